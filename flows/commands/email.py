"""`hnn inspect`, `hnn recommend` and `hnn report`: one email at a time, and the page of a workspace."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.commands.terminal import (
    DEFAULT_WORKSPACE,
    JsonOption,
    WorkspaceOption,
    escape,
    out,
    print_json,
    print_row,
)
from flows.errors import HnnError, UsageError

if TYPE_CHECKING:
    from rich.text import Text

    from flows.advice import Advice, StyleAdvice

_SENDER = 26  # characters
_WIDE = 110  # columns: below, what a section says would be cut after its first letters


def inspect(
    file: Annotated[Path, typer.Argument(help="An .html, .eml or .msg file.")],
    granularity: Annotated[
        str | None, typer.Option("--granularity", help="card or leaf \\[default: as in the workspace, else card].")
    ] = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
    html: Annotated[Path | None, typer.Option("--html", help="Write a page with the fragments outlined.")] = None,
) -> None:
    """Show one email's fragments, entities and neighbours, extracted as the emails of the workspace were."""
    from extractors import inspect as inspection
    from extractors.limits import Rejected
    from extractors.tasks import ExtractOptions
    from flows.workspace import Workspace

    if granularity not in (None, "card", "leaf"):
        raise UsageError(f"--granularity {granularity}: expected card or leaf")
    made = Workspace(workspace).current("extract")
    settings: dict[str, Any] = {name: made.parameters[name] for name in ("granularity", "width")} if made else {}
    options = ExtractOptions(**settings | ({"granularity": granularity} if granularity else {}))
    _check_page(html, as_json)
    text = read_email(file)
    try:
        if html is not None:
            write_page(html, inspection.inspect_html(text, options))
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
    from flows.advice import Advisor, as_table, target_named
    from flows.workspace import Workspace

    target_named(target)
    _check_page(html, as_json)
    email = read_email(file)
    advisor = Advisor.of_workspace(Workspace(workspace))
    try:
        advice = advisor.advise(email, target, top)
    except HnnError as error:
        raise HnnError(f"{file}: {error}") from None
    if html is not None:
        from flows.pages.advice import recommend_html

        title = f"Recommended styles for {file.name}"
        write_page(html, recommend_html(email, as_table(advice), title, options=advisor.options))
        out.print(f"Written to {html}", soft_wrap=True)
    elif as_json:
        print_json(advice.as_json())
    else:
        _print_advice(advice)


def _check_page(html: Path | None, as_json: bool) -> None:
    if html is None:
        return
    if as_json:
        raise UsageError("--html writes a page and --json prints: ask for one of them")
    if not html.absolute().parent.is_dir():
        raise UsageError(f"--html {html}: there is no folder {html.absolute().parent}")
    if html.is_dir():
        raise UsageError(f"--html {html}: is a folder; name a file in it")


def write_page(file: Path, page: str) -> None:
    from flows.workspace import write_atomically

    try:
        write_atomically(file, page)
    except OSError as error:
        raise HnnError(f"--html {file}: cannot be written: {error.strerror or error}") from None


def _print_advice(advice: Advice) -> None:
    """One line a style: drawn, named, how probable, and the fragment that speaks most for it.

    Styles that round to nothing are counted only; the best one is always shown.
    """
    from rich.text import Text

    for fragment in advice.fragments:
        head = Text(f"#{fragment.fragment} {fragment.kind}", style="bold")  # as `hnn inspect` numbers them
        head.append(f"  {fragment.text}", style="dim")
        print_row(head)
        for style in fragment.current:
            print_row(Text("   now       ").append_text(_drawn(advice.target, style)))
        if fragment.composed is not None:
            line = Text("   composed  ").append_text(_drawn(advice.target, fragment.composed.style))
            print_row(line.append(f", contrast {fragment.composed.contrast:.1f}"))
        shown = [style for style in fragment.styles if round(100 * style.score) >= 1] or fragment.styles[:1]
        for suggestion in shown:
            print_row(_suggestion(advice.target, suggestion))
        if len(shown) < len(fragment.styles):
            print_row(Text(f"      and {len(fragment.styles) - len(shown)} more below 1 %", style="dim"))
        out.print()


def _suggestion(target: str, suggestion: StyleAdvice) -> Text:
    from rich.text import Text

    line = Text(f"   {suggestion.rank:>2} {suggestion.score:>5.0%}  ").append_text(_drawn(target, suggestion.style))
    if suggestion.used:
        line.append("  in use", style="green")
    for reason in suggestion.because[:1]:
        sender = reason.sender if len(reason.sender) <= _SENDER else f"{reason.sender[: _SENDER - 1]}…"
        where = f"in “{reason.text}”" if reason.text else "in a section without text"
        words = [sender, where] if out.width >= _WIDE else [sender or where]
        line.append("  as " + " ".join(filter(None, words)), style="dim")
    return line


def _drawn(target: str, signature: str) -> Text:
    """A style as colours and words; where it is not one that can be drawn, as it was written."""
    from rich.text import Text

    from flows.pages.styles import Style, opaque

    style = Style.parse(target, signature)
    if style is None:
        return Text(signature)
    ink = f"{opaque(style.color)}" if style.color else "default"
    ground = f" on {opaque(style.background)}" if style.background and not style.see_through else ""
    return Text(" Aa " if style.color else "    ", style=f"{ink}{ground}").append(
        f" {style.facts}", style="default on default"
    )


def read_email(file: Path) -> str:
    """The HTML of one file of any kind that the sources read."""
    import tempfile

    from extractors.charset import decode
    from extractors.sources import SourceError, SourceOptions, open_source
    from extractors.sources.pictures import is_picture
    from extractors.store import DocumentStore

    if not file.exists():
        raise UsageError(f"{file}: no such file")
    if file.is_file() and is_picture(file.open("rb").read(16)):
        raise UsageError(f"{file}: is a picture or a PDF, not an email; expected HTML")
    if file.is_dir():
        raise UsageError(f"{file}: is a folder; give one email, or `hnn run --corpus {file}` for all of them")
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
        if len(usable) > 1:
            raise UsageError(
                f"{file}: holds {len(usable):,} emails; give one of them, or `hnn run --corpus {file}` for all"
            )
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
        try:
            shutil.copytree(folder, to, dirs_exist_ok=True, ignore=shutil.ignore_patterns("manifest.json"))
        except OSError as error:  # shutil's own error is one of them
            raise HnnError(f"--to {to}: the report cannot be copied there: {error.strerror or error}") from None
        folder = to
    if as_json:
        print_json({"report": str(folder / "report.html"), "files": sorted(manifest.outputs)})
        return
    out.print(escape(str(folder / "report.html")), soft_wrap=True)
    for name in sorted(manifest.outputs):
        if name.startswith("exports/"):
            out.print(escape(str(folder / name)), soft_wrap=True)
