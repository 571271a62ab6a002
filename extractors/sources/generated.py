"""The embedded sample corpus as a source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from extractors.sources.options import SourceOptions
from extractors.sources.readings import Found, keep
from extractors.sources.records import DocumentRecord
from extractors.sources.sample import SampleOptions, generate
from extractors.sources.source import Known, Progress, Source, SourceError
from extractors.store import DocumentStore

# The sample was never sent: a fixed day keeps its table the same on every machine.
_WRITTEN_AT = datetime(2024, 1, 1, tzinfo=UTC)
_SPEC = re.compile(r"sample(?::(?P<settings>[^:]*))?")


class SampleSource(Source):
    """``sample`` or ``sample:emails=240,seed=7``."""

    kind = "sample"

    def __init__(self, spec: str, options: SourceOptions) -> None:
        self._options = options
        self._sample = SampleOptions(**_settings(spec))
        if self._sample.emails == 0:
            raise SourceError(f"{spec}: no emails there; expected emails=1 or more")

    def fingerprint(self) -> str:
        return f"sample:emails={self._sample.emails},seed={self._sample.seed}"

    def documents(self, store: DocumentStore, known: Known, progress: Progress) -> Iterator[DocumentRecord]:
        for number, email in enumerate(generate(self._sample), start=1):
            found = Found(html=email.html.encode(), declared="utf-8", sender=email.sender, subject=email.subject)
            yield keep(found, store, self._options).record(
                source=self.kind,
                location=f"sample/{email.sender}/{email.campaign}-{number}.html",
                sender=email.sender,
                fetched_at=_WRITTEN_AT,
            )
            progress(number, self._sample.emails)


def is_sample(spec: str) -> bool:
    return _SPEC.fullmatch(spec) is not None


def _settings(spec: str) -> dict[str, int]:
    settings: dict[str, int] = {}
    written = spec.partition(":")[2]
    for setting in filter(None, written.split(",")):
        name, _, value = setting.partition("=")
        if name.strip() not in ("emails", "seed") or not re.fullmatch(r"\s*\d{1,12}\s*", value):
            raise SourceError(
                f"{spec}: unknown setting {setting!r}; expected emails=N and seed=N, as in sample:emails=240,seed=7"
            )
        settings[name.strip()] = int(value)
    return settings
