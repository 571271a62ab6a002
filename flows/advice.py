"""Styles for an email the corpus has never seen, from the recommender that stage train published.

Nothing is trained here: the email is extracted, its fragments are asked about, and each answer names the fragments of
the corpus that speak for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows.errors import HnnError, UsageError
from flows.manifest import damaged_files
from flows.workspace import Workspace

if TYPE_CHECKING:
    import pyarrow as pa

    from extractors.tasks import ExtractOptions
    from hnn_core.recommend.recommender import Recommendation, Recommender

#: The short names of what can be recommended.
TARGETS = {
    "button": "button-style",
    "background": "background-style",
    "text": "text-style",
    "pair": "color-pair",
}
#: Where the recommender lies in the result of stage train, see hnn_core/recommend/storage.py.
RECOMMENDER = "recommender"
#: Beside it: what the fragments of the corpus are called when they explain a recommendation.
EXAMPLES = "examples.parquet"
_WORDS = 60  # characters of a fragment's text
_UNSEEN = "unseen"  # the new email's name among documents


@dataclass(frozen=True)
class Reason:
    """A fragment of the corpus that holds the style and is like the one asked about."""

    fragment_id: str
    text: str
    sender: str


@dataclass(frozen=True)
class StyleAdvice:
    """One style of the corpus for one fragment."""

    rank: int
    style: str
    entity_id: str
    score: float  # probability among the corpus's styles
    used: bool  # the fragment has this style already
    because: tuple[Reason, ...]


@dataclass(frozen=True)
class ComposedAdvice:
    """A button put together for this email: its own colours where they serve, text that can be read."""

    style: str
    background: str
    color: str
    radius: float
    font_size: float
    contrast: float


@dataclass(frozen=True)
class FragmentAdvice:
    """What goes into one fragment of the email."""

    fragment: int  # reading order, from 0
    kind: str
    text: str
    current: tuple[str, ...]
    composed: ComposedAdvice | None  # for buttons
    styles: tuple[StyleAdvice, ...]


@dataclass(frozen=True)
class Advice:
    """The answer for an email; as JSON, what `hnn recommend --json` prints and the served model sends."""

    target: str
    fragments: tuple[FragmentAdvice, ...]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, eq=False)
class Advisor:
    """A recommender with the words for its explanations."""

    recommender: Recommender
    examples: Mapping[str, Reason]
    options: ExtractOptions  # how the emails it has learned from were cut

    @classmethod
    def load(cls, folder: Path) -> Advisor:
        """From the folder that stage train wrote."""
        import pyarrow.parquet as pq

        from extractors.tables import how
        from extractors.tasks import ExtractOptions
        from hnn_core.recommend import storage

        examples = pq.read_table(folder / EXAMPLES)
        try:
            recommender = storage.load(folder)
        except (OSError, ValueError) as error:
            raise HnnError(str(error)) from None
        reasons = {row["fragment_id"]: Reason(**row) for row in examples.to_pylist()}
        return cls(recommender, reasons, ExtractOptions(**how(examples.schema)))

    @classmethod
    def of_workspace(cls, workspace: Workspace) -> Advisor:
        """The recommender in use."""
        manifest = workspace.current("train")
        if manifest is None:
            raise HnnError(f"{workspace.root}: there is no trained recommender. Run `hnn run` first.")
        folder = workspace.result("train", manifest.key)
        if f"{RECOMMENDER}/{EXAMPLES}" not in manifest.outputs:
            raise HnnError(f"{folder}: was trained by an older version, without a recommender. Run `hnn run`.")
        damaged = damaged_files(manifest, folder)
        if damaged:
            raise HnnError(f"{'; '.join(damaged)}. Repair it with `hnn stage train --force`, or `hnn run`.")
        return cls.load(folder / RECOMMENDER)

    def advise(self, html: str, target: str = "button", top: int = 10) -> Advice:
        """The best styles for each fragment of an email, in reading order."""
        from extractors.extraction import extract
        from extractors.limits import Rejected
        from extractors.writing import arrow_tables
        from hnn_core.recommend.corpus import EmailTables

        name = target_named(target)
        try:
            email = arrow_tables([extract(html, _UNSEEN, self.options)])
        except Rejected as error:
            raise HnnError(f"nothing can be recommended for this email: {error}") from None
        tables = EmailTables(
            **{table: email[table] for table in ("fragments", "entities", "occurrences", "neighbours")}
        )
        try:
            recommended = self.recommender.recommend(tables, name, top)
        except LookupError as error:
            raise HnnError(str(error)) from None
        of = {row["fragment_id"]: row for row in email["fragments"].to_pylist()}
        return Advice(name, tuple(self._fragment(of[each.fragment_id], each) for each in recommended))

    def _fragment(self, fragment: Mapping[str, Any], recommended: Recommendation) -> FragmentAdvice:
        composed = recommended.composed
        return FragmentAdvice(
            fragment=fragment["position"],
            kind=fragment["kind"],
            text=_shortened(fragment["text"]),
            current=recommended.current,
            composed=None
            if composed is None
            else ComposedAdvice(
                composed.signature,
                composed.background,
                composed.color,
                composed.radius,
                composed.font_size,
                round(composed.contrast, 2),
            ),
            styles=tuple(
                StyleAdvice(
                    rank=style.rank,
                    style=style.signature,
                    entity_id=style.entity_id,
                    score=round(style.score, 6),
                    used=style.signature in recommended.current,
                    because=tuple(self.examples[each] for each in style.neighbours if each in self.examples),
                )
                for style in recommended.styles
            ),
        )


def target_named(target: str) -> str:
    """The entity type of a target's short or full name."""
    if target not in TARGETS and target not in TARGETS.values():
        raise UsageError(f"--target {target}: expected one of {', '.join(TARGETS)}")
    return TARGETS.get(target, target)


def write_examples(fragments: pa.Table, documents: pa.Table, folder: Path) -> None:
    """What :meth:`Advisor.load` calls each fragment of the corpus: its first words and its sender."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    known = documents.select(["doc_id", "sender", "location"]).to_pylist()
    senders = {row["doc_id"]: row["sender"] for row in known if _names_its_sender(row["sender"], row["location"])}
    rows = [
        {
            "fragment_id": row["fragment_id"],
            "text": _shortened(row["text"]),
            "sender": _shortened(senders.get(row["doc_id"], "")),
        }
        for row in fragments.select(["fragment_id", "doc_id", "text"]).to_pylist()
    ]
    columns = [pa.field(name, pa.string(), nullable=False) for name in ("fragment_id", "text", "sender")]
    schema = pa.schema(columns, fragments.schema.metadata)  # which says how emails were cut
    pq.write_table(pa.Table.from_pylist(rows, schema), folder / EXAMPLES)


def _names_its_sender(sender: str, location: str) -> bool:
    """Whether a message or a folder of its own says who sent it; else the table has the name of the whole corpus."""
    return "." in sender or bool({"/", "!"} & set(location))


def as_table(advice: Advice) -> pa.Table:
    """The advice in the columns of the report's recommendations; a composed style has no entity."""
    import pyarrow as pa

    from flows.pages.inputs import RECOMMENDATIONS

    return pa.Table.from_pylist(list(_rows(advice)), RECOMMENDATIONS)


def _rows(advice: Advice) -> Iterator[dict[str, Any]]:
    for fragment in advice.fragments:
        head = {"fragment_id": f"{_UNSEEN}#{fragment.fragment}", "target": advice.target}
        if fragment.composed is not None:
            composed = fragment.composed
            reason = f"composed for this email; contrast {composed.contrast:.1f}"
            made = {"rank": 0, "entity_id": "", "signature": composed.style, "score": 1.0, "truth": False}
            yield head | made | {"explanation": [reason]}
        for style in fragment.styles:
            yield head | {
                "rank": style.rank,
                "entity_id": style.entity_id,
                "signature": style.style,
                "score": style.score,
                "truth": style.used,
                "explanation": [_reason(each) for each in style.because],
            }


def _reason(reason: Reason) -> str:
    text = reason.text or "a section without text"
    return f"{reason.sender}: {text}" if reason.sender else text


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _WORDS else line[: _WORDS - 1].rstrip() + "…"
