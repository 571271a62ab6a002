"""The five ways emails of the sample are built, as found in the wild."""

from __future__ import annotations

from extractors.sources.sample.dialects.base import Dialect
from extractors.sources.sample.dialects.classes import Classes
from extractors.sources.sample.dialects.hybrid import Hybrid
from extractors.sources.sample.dialects.legacy import Legacy
from extractors.sources.sample.dialects.mjml import Mjml
from extractors.sources.sample.dialects.tables import Tables

DIALECTS: dict[str, type[Dialect]] = {dialect.name: dialect for dialect in (Tables, Hybrid, Mjml, Classes, Legacy)}

__all__ = ["DIALECTS", "Dialect"]
