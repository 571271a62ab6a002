"""The command line `hnn`: one helpful line for problems a user can act on, exit codes 0, 1 and 2."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from flows.commands import email, exporting, research, review, running
from flows.commands.terminal import err, escape
from flows.errors import HnnError, UsageError

app = typer.Typer(
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
    debug = "--debug" in sys.argv or bool(os.environ.get("HNN_DEBUG"))
    sys.argv = [argument for argument in sys.argv if argument != "--debug"]
    try:
        app()
    except HnnError as error:
        if debug:
            raise
        err.print(f"[red]hnn:[/] {escape(str(error))}", soft_wrap=True)
        sys.exit(2 if isinstance(error, UsageError) else 1)
    except KeyboardInterrupt:
        err.print("hnn: interrupted; what was finished is kept, run again to go on")
        sys.exit(130)
    except Exception as error:
        if debug:
            raise
        text = escape(f"unexpected {type(error).__name__}: {error}")
        err.print(f"[red]hnn:[/] {text} (run again with --debug for the traceback)", soft_wrap=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
