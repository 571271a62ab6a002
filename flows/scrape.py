"""Stage scrape: from a folder, mailbox, archive, web site or the sample to stored documents and their table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from flows.config import Config, redact_urls
from flows.counting import counted
from flows.errors import HnnError, LastingError
from flows.stage import Context, Stage

#: How the reasons begin that are the same tomorrow; a server that is away or out of order is not among them.
_LASTING = ("private-address:", "robots: robots.txt forbids", "not-html:", "empty:", "too-large:")


def run(context: Context) -> Mapping[str, Any]:
    from extractors.sources import SourceError, open_source
    from extractors.sources.records import read_records, write_records
    from extractors.store import DocumentStore

    store = DocumentStore(context.workspace.store)
    known = read_records(context.previous / "documents.parquet") if context.previous else {}
    statuses: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    context.progress.start("scrape")

    done = 0

    def count(record: Any) -> Any:
        statuses[record.status] += 1
        if record.status == "rejected":
            reasons[record.reason] += 1
        return record

    def show(now: int, total: int | None) -> None:
        nonlocal done
        context.progress.advance(now - done, note=f"{statuses['rejected']} rejected")
        done = now

    try:
        source = open_source(context.config.scrape.source, _options(context.config))
        write_records(context.out / "documents.parquet", map(count, source.read(store, known, show)))
    except SourceError as error:
        raise HnnError(str(error)) from error
    if not statuses["ok"]:
        lasting = bool(reasons) and all(reason.startswith(_LASTING) for reason in reasons)
        raise (LastingError if lasting else HnnError)(
            f"{redact_urls(context.config.scrape.source)}: nothing in {counted(sum(statuses.values()), 'document')} "
            f"could be used{_most_often(reasons)}. "
            "Expected HTML emails (.html, .eml, .mbox, .msg, an archive of them, or addresses)."
        )
    return {"documents": sum(statuses.values()), **dict(statuses)}


def _most_often(reasons: Counter[str]) -> str:
    """Why documents were refused: nothing is published that could be asked later."""
    if not reasons:
        return ""
    shown = [f"{redact_urls(reason)} ({count:,})" for reason, count in reasons.most_common(3)]
    return f": {'; '.join(shown)}{' and others' if len(reasons) > 3 else ''}"


def outside(config: Config) -> str | None:
    """A cheap fingerprint of the source; None for the web, which has to be asked."""
    from extractors.sources import SourceError, open_source

    try:
        fingerprint: str | None = open_source(config.scrape.source, _options(config)).fingerprint()
    except SourceError as error:
        raise HnnError(str(error)) from error
    return fingerprint


def _options(config: Config) -> Any:
    from extractors.sources import SourceOptions

    scrape = config.scrape
    return SourceOptions(
        delay_seconds=scrape.delay_seconds,
        max_bytes=scrape.max_bytes,
        user_agent=scrape.user_agent,
        allow_private=scrape.allow_private,
    )


STAGE = Stage(
    name="scrape",
    version=3,
    inputs=(),
    outputs=("documents.parquet",),
    run=run,
    outside=outside,
    retries=2,
    timeout_seconds=12 * 3600,
)
