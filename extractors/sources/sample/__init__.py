"""An embedded corpus of invented brands' emails, so that the first run needs no data.

for email in generate(SampleOptions(emails=240, seed=7)):
    email.html, email.truth
"""

from __future__ import annotations

from extractors.sources.sample.corpus import SampleEmail, SampleOptions, generate, sample_email
from extractors.sources.sample.truth import Tokens, Truth, TruthButton, TruthNeighbour, TruthSection

__all__ = [
    "SampleEmail",
    "SampleOptions",
    "Tokens",
    "Truth",
    "TruthButton",
    "TruthNeighbour",
    "TruthSection",
    "generate",
    "sample_email",
]
