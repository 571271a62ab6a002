"""No orphans: whatever a command started ends with it, also when it is killed.

Prefect starts a temporary server as a child process; a killed command would leave it behind for ever. So a tiny
process waits for the end of a pipe that only the command holds, and then ends every process that carries the
command's mark in its environment, which all its descendants inherit.
"""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
from pathlib import Path

MARK = "HNN_FAMILY"


def watch() -> None:
    """Mark this process and all it will start, and have them ended after it. Once a process; Linux only."""
    if MARK in os.environ or not Path("/proc/self/environ").exists():
        return
    mark = f"{os.getpid()}-{secrets.token_hex(8)}"
    watchdog = subprocess.Popen(
        [sys.executable, "-S", __file__, mark], stdin=subprocess.PIPE, start_new_session=True, close_fds=True
    )
    os.environ[MARK] = mark
    _held.append(watchdog)


#: Keeps the pipe open as long as this process lives.
_held: list[subprocess.Popen[bytes]] = []


def family(mark: str) -> list[int]:
    """Processes that carry the mark."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                if wanted in (folder / "environ").read_bytes().split(b"\0"):
                    found.append(int(folder.name))
            except OSError:
                continue  # it has ended, or belongs to somebody else
    return found


if __name__ == "__main__":
    sys.stdin.read()
    for process in family(sys.argv[1]):
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            continue
