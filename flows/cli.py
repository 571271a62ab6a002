"""The command line `hnn`: one helpful line for each problem.

Exit codes: 0 fine, 1 failed, 2 wrong usage, 130 interrupted, 141 nobody reads the output any more.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from flows import interrupts
from flows.commands import email, exporting, research, review, running
from flows.commands.terminal import DEBUG, debugging, err, escape, flush
from flows.errors import HnnError, UsageError


class Commands(TyperGroup):
    """Typer would end an interrupted command without a word."""

    def invoke(self, ctx: Any) -> Any:
        try:
            try:
                return super().invoke(ctx)
            finally:
                interrupts.raise_kept()
        except KeyboardInterrupt as error:
            if err.is_terminal:
                err.print()  # after the ^C that the terminal shows
            err.print(f"hnn: interrupted{_place(error)}; nothing is lost, run again to go on", soft_wrap=True)
            sys.exit(130)


app = typer.Typer(
    cls=Commands,
    help="Turn a pile of HTML emails into a hypergraph of design decisions, and learn from it.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
app.command()(running.run)
app.command()(running.stage)
app.command()(review.status)
app.command("runs")(review.list_runs)
app.command("config")(review.show_config)
app.command()(email.inspect)
app.command()(email.recommend)
app.command()(email.report)
app.command()(research.benchmark)
app.command()(research.search)
app.command()(exporting.export)
app.command()(review.clean)
app.command()(review.ui)


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks (may stand anywhere).")] = False,
) -> None:
    """Options of all commands."""


def main() -> None:
    if "--debug" in sys.argv:
        os.environ[DEBUG] = "1"
        sys.argv = [argument for argument in sys.argv if argument != "--debug"]
    interrupts.keep()
    try:
        try:
            app()
        finally:
            flush()
    except HnnError as error:
        if debugging():
            raise
        err.print(f"[red]hnn:[/] {escape(str(error))}", soft_wrap=True)
        sys.exit(2 if isinstance(error, UsageError) else 1)
    except Exception as error:
        if debugging():
            raise
        what = " ".join(str(error).split()) or "no reason given"
        text = escape(f"unexpected {type(error).__name__}{_place(error)}: {what}")
        err.print(f"[red]hnn:[/] {text} (--debug shows the traceback)", soft_wrap=True)
        sys.exit(1)


def _place(error: BaseException) -> str:
    """`` in stage train``, where flows/running.py has noted it."""
    return "".join(f" {note}" for note in getattr(error, "__notes__", ()) if note.startswith("in stage "))


if __name__ == "__main__":
    main()
