"""What a stage is: a pure function from input files and parameters to output files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from flows.config import Config
    from flows.workspace import Workspace


class Progress(Protocol):
    """Where a stage reports how far it is; see flows/progress.py for the bars."""

    def start(self, title: str, total: int | None = None) -> None: ...

    def advance(self, steps: int = 1, note: str = "") -> None: ...

    def finish(self) -> None: ...


class Prepared(Protocol):
    """What a stage has made ready before its inputs are there, such as processes that take time to come up."""

    def close(self) -> None: ...


@dataclass(frozen=True)
class Context:
    """All that a stage's function may look at."""

    config: Config
    inputs: Mapping[str, Path]  # by "stage/file", verified
    out: Path  # write here; published when the function returns
    workspace: Workspace
    previous: Path | None  # the newest earlier result with the same version and parameters, for reuse
    progress: Progress
    prepared: Any = None  # what the stage's ``prepare`` began, if that was asked


@dataclass(frozen=True)
class Stage:
    name: str
    version: int  # raise it when the same input gives another output
    inputs: tuple[str, ...]  # "stage/file"
    outputs: tuple[str, ...]
    run: Callable[[Context], Mapping[str, Any]]  # returns the summary shown to people
    #: What of the world outside the workspace decides the result, e.g. the state of a folder; None = read it to know.
    outside: Callable[[Config], str | None] | None = None
    #: Begins what takes time to come up, while the stages before it run; must return at once.
    prepare: Callable[[Config], Prepared | None] | None = None
    timeout_seconds: int = 3600
    retries: int = 0  # only where a second try can help: fetching
    #: Parameters of other sections that the result depends on.
    also_reads: tuple[str, ...] = field(default=())

    def parameters(self, config: Config) -> dict[str, Any]:
        parameters = config.parameters(self.name)
        for dotted in self.also_reads:
            section, _, key = dotted.partition(".")
            parameters[dotted] = config.parameters(section)[key]
        return parameters


def table_input(
    inputs: Mapping[str, Path], name: str, columns: Sequence[str] | None = None, repeated: Sequence[str] = ()
) -> Any:
    """Read one input table, or some columns of it; those with ``repeated`` values as dictionaries."""
    import pyarrow.parquet as pq

    # Not read_table: it would import pyarrow's data sets first, to find out that this is one file.
    with pq.ParquetFile(inputs[name], read_dictionary=list(repeated)) as file:
        return file.read(columns and list(columns))
