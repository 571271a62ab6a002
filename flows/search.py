"""The search for hyperparameters, its candidates side by side on a runner; see :mod:`hnn_core.search`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from flows.benchmark import experiments_folder
from flows.config import ExecutionConfig
from flows.errors import UsageError
from flows.runner import Runner, open_runner
from flows.trials import one_at_a_time

if TYPE_CHECKING:
    from hnn_core.search import Outcome, Try


def choose(names: Sequence[str], folder: Path | None = None) -> list[Path]:
    """The files of the named searches; all if none is named."""
    known = {path.stem: path for path in sorted(((folder or experiments_folder()) / "search").glob("*.yaml"))}
    for name in names:
        if name not in known:
            match = difflib.get_close_matches(name, known, n=1)
            hint = f" Did you mean {match[0]!r}?" if match else ""
            raise UsageError(f"unknown search {name!r}.{hint} There are {', '.join(known)}.")
    return [known[name] for name in (names or known)]


def run(path: Path, data: Path | None, execution: ExecutionConfig) -> Iterator[Outcome]:
    """What each candidate that is not in the record yet gave, as they come; the record is kept up after each."""
    from hnn_core.search import run_search

    with open_runner(execution) as runner:
        yield from run_search(path, data, lambda tries, root: _spread(runner, tries, root))


def _spread(runner: Runner, tries: Iterable[Try], root: Path | None) -> Iterator[Outcome]:
    return runner.map_batches(_try, tries, root, ordered=False)


def _try(each: Try, root: Path | None) -> Outcome:
    import torch

    from hnn_core.search import validate

    with one_at_a_time:
        torch.set_num_threads(1)
        return validate(each, root)
