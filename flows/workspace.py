"""A workspace folder: where results lie, who is writing, and how a write becomes visible at once.

::

    workspace/
      store/                     raw documents by content hash
      stages/<stage>/<key>/      one published result: tables and manifest.json
      stages/<stage>/current     the key of the result in use
      runs/<run>.json            what each run did
      prefect/ mlflow/           homes of the two servers
      .lock                      held by the process that writes
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import shutil
import struct
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from flows import full_disk
from flows.errors import HnnError
from flows.manifest import MANIFEST, Manifest

ROOM = 32_000_000  # bytes: the new databases of Prefect and MLflow take a tenth of it, a small run most of the rest


@dataclass(frozen=True)
class Holder:
    """The process that writes to a workspace now."""

    pid: int
    purpose: str  # its command
    since: str


class Workspace:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.store = root / "store"
        self.stages = root / "stages"
        self.runs = root / "runs"
        self.corpus = root / "corpus.json"  # what --corpus named last

    def result(self, stage: str, key: str) -> Path:
        return self.stages / stage / key

    def manifest(self, stage: str, key: str) -> Manifest | None:
        """The manifest of a published result, or None where there is none."""
        self._recover(stage, key)
        path = self.result(stage, key) / MANIFEST
        return Manifest.read(path) if path.exists() else None

    def current(self, stage: str) -> Manifest | None:
        """The manifest of the result in use."""
        try:
            key = (self.stages / stage / "current").read_text("utf-8").strip()
        except FileNotFoundError:
            return None
        return self.manifest(stage, key)

    def use(self, stage: str, key: str) -> None:
        """Make a published result the one in use."""
        pointer = self.stages / stage / "current"
        if not pointer.exists() or pointer.read_text("utf-8").strip() != key:
            write_atomically(pointer, key + "\n")

    def manifests(self, stage: str) -> list[Manifest]:
        """All published results of a stage, newest first."""
        folder = self.stages / stage
        if not folder.exists():
            return []
        found = [self.manifest(stage, child.name) for child in folder.iterdir() if _is_key(child)]
        return sorted((m for m in found if m), key=lambda m: m.finished_at, reverse=True)

    @contextlib.contextmanager
    def writing(self, stage: str, key: str) -> Iterator[Path]:
        """A fresh folder beside the results; what is left of an earlier, killed attempt is removed."""
        folder = self.stages / stage
        folder.mkdir(parents=True, exist_ok=True)
        for leftover in folder.glob(".writing-*"):
            shutil.rmtree(leftover, ignore_errors=True)
        draft = folder / f".writing-{key}"
        draft.mkdir()
        try:
            yield draft
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            raise

    def publish(self, draft: Path, manifest: Manifest) -> None:
        """Make a draft visible: fsync everything, then rename.

        Where a result with this key exists already (it was damaged, or the run was forced) it is moved aside
        first; ``_recover`` puts it back if a kill falls between the two renames.
        """
        write_atomically(draft / MANIFEST, manifest.to_json())
        _sync_tree(draft)
        target = self.result(manifest.stage, manifest.key)
        aside = _aside(target)
        if target.exists():
            shutil.rmtree(aside, ignore_errors=True)
            target.rename(aside)
        draft.rename(target)
        _sync_folder(target.parent)
        shutil.rmtree(aside, ignore_errors=True)
        self.use(manifest.stage, manifest.key)

    def _recover(self, stage: str, key: str) -> None:
        target = self.result(stage, key)
        aside = _aside(target)
        if aside.exists() and not target.exists():
            with contextlib.suppress(OSError):
                aside.rename(target)

    @contextlib.contextmanager
    def lock(self, purpose: str, *, wait: bool | None = None) -> Iterator[None]:
        """Hold the workspace for writing. The kernel lets go when the process ends, however it ends.

        Who is in the way is waited for, or named in an error; None is for commands that have no ``--wait``.
        """
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            handle = (self.root / ".lock").open("a+", encoding="utf-8")
        except OSError as error:
            reason = explain_os_error(error, self.root)
            raise HnnError(f"{self.root}: cannot write to the workspace: {reason}") from None
        with handle:
            # POSIX locks, not flock: a forked worker that outlives us must not keep the workspace locked.
            while not _try_lock(handle.fileno()):
                if not wait:
                    raise _in_use(self.root, _holder(handle), may_wait=wait is not None)
                time.sleep(0.2)
            handle.truncate(0)
            handle.write(json.dumps({"pid": os.getpid(), "purpose": purpose}))
            handle.flush()
            self._remove_leftovers()
            yield

    def _remove_leftovers(self) -> None:
        """What processes left that were killed while they wrote a pointer or a record: nobody else writes now."""
        for leftover in (*self.stages.glob("*/.current.*"), *self.runs.glob(".*.json.*")):
            with contextlib.suppress(OSError):
                leftover.unlink()

    def check_free(self) -> None:
        """The error of :meth:`lock`, before anything is begun; the lock itself still decides."""
        if holder := self.holder():
            raise _in_use(self.root, f"`{holder.purpose}` (process {holder.pid})", may_wait=True)

    def check_room(self) -> None:
        """A run that cannot write, or has no room for the servers' databases, would end in their words."""
        try:
            with tempfile.TemporaryFile(dir=self.root):
                pass
        except OSError as error:
            raise HnnError(f"{self.root}: {explain_os_error(error, self.root)}") from None
        if (free := shutil.disk_usage(self.root).free) < ROOM:
            raise HnnError(
                f"{self.root}: its disk has {free / 1e6:,.0f} MB left, and a run needs {ROOM / 1e6:,.0f} to begin. "
                "Free some space (`hnn clean` shows what it could free) and run again."
            )

    def holder(self) -> Holder | None:
        """Who holds the workspace for writing, asked without taking it from anybody."""
        try:
            with (self.root / ".lock").open("rb") as handle:
                if not _is_locked(handle.fileno()):
                    return None
                note = _note(handle.read())
                since = datetime.fromtimestamp(os.fstat(handle.fileno()).st_mtime, UTC)
        except OSError:  # nobody has ever written here, or we may not look
            return None
        return Holder(note["pid"], note["purpose"], since.isoformat(timespec="seconds")) if note else None


def _in_use(root: Path, holder: str, may_wait: bool) -> HnnError:
    ways = "Wait for it to end, pass --wait, or" if may_wait else "Wait for it to end, or"
    return HnnError(f"{root}: in use by {holder}. {ways} use another --workspace.")


def write_atomically(path: Path, text: str) -> None:
    """Write beside, fsync, rename: a reader sees the old text or the new, never half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with beside.open("w", encoding="utf-8") as handle:
            handle.write(text)
            handle.flush()
            os.fsync(handle.fileno())
        beside.replace(path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def explain_os_error(error: OSError, place: Path) -> str:
    if error.errno in full_disk.NO_ROOM:
        return full_disk.advice(place)
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return "no permission to write. Choose another place with --workspace"
    return error.strerror or str(error)


def read_json(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return content


def _aside(target: Path) -> Path:
    return target.with_name(f".aside-{target.name}")


def _is_key(path: Path) -> bool:
    return path.is_dir() and not path.name.startswith(".")


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EAGAIN):
            return False
        raise
    return True


def _is_locked(descriptor: int) -> bool:
    """Whether another process holds the lock. Trying it would hold it for a moment, and send a run away."""
    start, length, process = 0, 0, 0
    if sys.platform == "linux":  # C's struct flock
        layout, kind = "hhqqi", 0
        asked = (fcntl.F_WRLCK, os.SEEK_SET, start, length, process)
    else:
        layout, kind = "qqihh", 3
        asked = (start, length, process, fcntl.F_WRLCK, os.SEEK_SET)
    answer = fcntl.fcntl(descriptor, fcntl.F_GETLK, struct.pack(layout, *asked))
    return bool(struct.unpack(layout, answer)[kind] != fcntl.F_UNLCK)


def _holder(handle: Any) -> str:
    handle.seek(0)
    content = _note(handle.read())
    return f"`{content['purpose']}` (process {content['pid']})" if content else "another run"


def _note(text: str | bytes) -> dict[str, Any]:
    """What the holder wrote into the lock; nothing where it is just about to."""
    try:
        note: dict[str, Any] = json.loads(text)
    except ValueError:
        return {}
    return note


def _sync_tree(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as handle:
                os.fsync(handle.fileno())
        else:
            _sync_folder(path)
    _sync_folder(folder)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
