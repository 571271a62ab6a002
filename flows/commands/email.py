"""`hnn inspect`, `hnn recommend` and `hnn report`: one email at a time, and the page of a workspace."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands.terminal import (
    DEFAULT_WORKSPACE,
    JsonOption,
    WorkspaceOption,
    out,
    print_json,
)
from flows.errors import HnnError

if TYPE_CHECKING:
    from flows.advice import Suggestion

#: How JPEG, PNG, GIF, WebP and PDF files begin, whatever they are called.
PICTURES = (b"\xff\xd8\xff", b"\x89PNG", b"GIF8", b"RIFF", b"%PDF")


def inspect(
    file: Annotated[Path, typer.Argument(help="An .html, .eml or .msg file.")],
    granularity: Annotated[str, typer.Option("--granularity", help="card or leaf.")] = "card",
    as_json: JsonOption = False,
    html: Annotated[Path | None, typer.Option("--html", help="Write a page with the fragments outlined.")] = None,
) -> None:
    """Show one email's fragments, entities and neighbours."""
    from extractors import inspect as inspection
    from extractors.extraction import ExtractOptions
    from extractors.limits import Rejected

    if granularity not in ("card", "leaf"):
        raise HnnError(f"--granularity {granularity}: expected card or leaf")
    options = ExtractOptions(granularity="leaf" if granularity == "leaf" else "card")
    text = read_email(file)
    try:
        if html is not None:
            from flows.workspace import write_atomically

            write_atomically(html, inspection.inspect_html(text, options))
            out.print(f"Written to {html}", soft_wrap=True)
        elif as_json:
            print_json(inspection.inspect_json(text, options))
        else:
            out.print(inspection.inspect_tree(text, options))
    except Rejected as error:
        raise HnnError(f"{file}: cannot be used: {error}") from None


def recommend(
    file: Annotated[Path, typer.Argument(help="An .html, .eml or .msg file that need not be in the corpus.")],
    target: Annotated[str, typer.Option("--target", help="button, background, text or pair.")] = "button",
    top: Annotated[int, typer.Option("--top", min=1, max=50, help="Styles for each fragment.")] = 10,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
    html: Annotated[Path | None, typer.Option("--html", help="Write a page with the styles drawn.")] = None,
) -> None:
    """Recommend styles for an email, from what the workspace has learned; nothing is trained again."""
    from flows import advice
    from flows.workspace import Workspace

    advice.target_named(target)
    email = read_email(file)
    suggestions = advice.suggest(Workspace(workspace), email, target, top)
    if html is not None:
        from flows.pages.advice import recommend_html
        from flows.workspace import write_atomically

        write_atomically(html, recommend_html(email, advice.as_table(suggestions, target)))
        out.print(f"Written to {html}", soft_wrap=True)
    elif as_json:
        print_json(advice.as_json(suggestions, target))
    else:
        _print_suggestions(suggestions)


def _print_suggestions(suggestions: list[Suggestion]) -> None:
    from rich.text import Text

    for suggestion in suggestions:
        if suggestion.rank == 1:
            out.print(Text(f"#{suggestion.fragment} {suggestion.kind} “{suggestion.text}”", style="bold"))
        line = Text(f"  {suggestion.rank:>2}  ")
        for part in suggestion.style.split(";"):
            colour = part.partition(":")[2]
            if colour.startswith("#"):
                line.append("██ ", style=colour[:7])
        line.append(suggestion.style)
        line.append("  in use" if suggestion.used else "", style="green")
        out.print(line)


def read_email(file: Path) -> str:
    """The HTML of one file of any kind that the sources read."""
    import tempfile

    from extractors.charset import decode
    from extractors.sources import SourceError, SourceOptions, open_source
    from extractors.store import DocumentStore

    if not file.exists():
        raise HnnError(f"{file}: no such file")
    if file.is_file() and file.open("rb").read(8).startswith(PICTURES):
        raise HnnError(f"{file}: is a picture or a PDF, not an email; expected HTML")
    if file.is_dir():
        raise HnnError(f"{file}: is a folder; give one email, or `hnn run --corpus {file}` for all of them")
    with tempfile.TemporaryDirectory() as folder:
        store = DocumentStore(Path(folder))
        try:
            records = list(open_source(str(file), SourceOptions()).read(store))
        except SourceError as error:
            raise HnnError(str(error)) from None
        usable = [record for record in records if record.status == "ok"]
        if not usable:
            reason = records[0].reason if records else "it holds no email"
            raise HnnError(f"{file}: cannot be used: {reason}")
        return decode(store.get(usable[0].sha256), usable[0].charset)[0]


def report(
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    to: Annotated[Path | None, typer.Option("--to", help="Copy the report and its exports into this folder.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Say where the report is, or copy it somewhere."""
    import shutil

    from flows.workspace import Workspace

    place = Workspace(workspace)
    manifest = place.current("report")
    if manifest is None:
        raise HnnError(f"{workspace}: there is no report yet. Make one with `hnn run`.")
    folder = place.result("report", manifest.key)
    if to is not None:
        shutil.copytree(folder, to, dirs_exist_ok=True, ignore=shutil.ignore_patterns("manifest.json"))
        folder = to
    if as_json:
        print_json({"report": str(folder / "report.html"), "files": sorted(manifest.outputs)})
        return
    out.print(str(folder / "report.html"), soft_wrap=True)
    exports = [name for name in manifest.outputs if name.startswith("exports/")]
    if exports:
        out.print(f"Exports: {', '.join(str(folder / name) for name in exports)}", soft_wrap=True)
