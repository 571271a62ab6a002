"""A full disk, told as one line, whoever met it: a stage, the record of a run, or the database of Prefect or MLflow."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flows.errors import HnnError, LastingError

NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
FULL = 1_000_000  # bytes: with less left, the next write of a database may be the one that is refused


def is_full(place: Path) -> bool:
    return _left(place) < FULL


def advice(place: Path) -> str:
    left = f"{_left(place) / 1e6:,.1f} MB left"
    return f"the disk is full ({left}). Free some space (`hnn clean` shows what it could free) and run again"


def _left(place: Path) -> int:
    """Bytes, also where the place itself could not be made."""
    return shutil.disk_usage(next(folder for folder in (place, *place.parents) if folder.exists())).free


@contextmanager
def told_as_such(workspace: Path) -> Iterator[None]:
    """Raise what the run said, or that the disk is full, in the place of what came of it.

    Prefect's server has its database on the same disk: it answers "500 Internal Server Error" when it is told of a
    failed run, and its client raises that over the run's own reason.
    """
    try:
        yield
    except HnnError:
        raise
    except Exception as error:
        chain = list(_with_what_led_to_it(error))
        for earlier in chain:
            if isinstance(earlier, HnnError):
                raise earlier from None
        if not is_full(workspace) and not any(isinstance(e, OSError) and e.errno in NO_ROOM for e in chain):
            raise
        stages = [note.removeprefix("in ") for e in chain for note in getattr(e, "__notes__", ())]
        place = next((note for note in stages if note.startswith("stage ")), str(workspace))
        raise LastingError(f"{place}: {advice(workspace)}. Earlier results are untouched.") from error


def _with_what_led_to_it(error: BaseException) -> Iterator[BaseException]:
    current: BaseException | None = error
    while current is not None:
        yield current
        current = current.__cause__ or current.__context__
