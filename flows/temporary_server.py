"""The Prefect server of one command, where none is configured: started early, ended with the command.

Prefect would start one itself when the first flow asks for it, and the command would wait: for the imports of the
server and, in a new workspace, for the migrations of its database. Started here it comes up in its own process while
this one imports Prefect and MLflow, which then need not import the server as well. What it has to say goes to a file:
of a full disk it would tell a page of tracebacks, again and again, where the stage says one line.
"""

from __future__ import annotations

import atexit
import http.client
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

from flows import full_disk
from flows.errors import HnnError

HOST = "127.0.0.1"
ADDRESS = "PREFECT_API_URL"
PATIENCE = "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS"
#: Whoever has set one of these has told Prefect where its server is, or that it must not start one.
CHOICES = (
    ADDRESS,
    "PREFECT_PROFILE",
    "PREFECT_PROFILES_PATH",
    "PREFECT_SERVER_ALLOW_EPHEMERAL_MODE",
    "PREFECT_SERVER_EPHEMERAL_ENABLED",
)

LOG = "temporary-server.log"  # in PREFECT_HOME
_FULL = ("disk is full", "No space left on device")

_server: subprocess.Popen[bytes] | None = None


def begin() -> None:
    """Start the server and return at once. Call it before Prefect is imported, which reads its address only then.

    Where Prefect may have settings of its own, in the environment or in a file, it is left to find its server itself.
    """
    global _server
    if _server is not None or _prefect_has_settings():
        return
    # The socket listens before there is a server: no other program can take the port meanwhile.
    with socket.create_server((HOST, 0)) as listening, _log().open("wb") as said:
        start = f"import sys; sys.path[:] = {sys.path!r}; from flows import temporary_server as t; t.serve()"
        _server = subprocess.Popen(
            [sys.executable, "-c", start],
            stdin=listening.fileno(),
            stderr=said,
            env={**os.environ, "PREFECT_SERVER_UI_ENABLED": "false"},
            start_new_session=True,  # Ctrl-C is the command's to handle, which then still has a server to tell
        )
        os.environ[ADDRESS] = f"http://{HOST}:{listening.getsockname()[1]}/api"
    atexit.register(_end, _server)  # before Prefect registers its own endings, so after they have run


def await_ready() -> None:
    """Wait until the server answers."""
    deadline = time.monotonic() + float(os.environ.get(PATIENCE, 300))
    while _server is not None and not _answers():
        if _server.poll() is not None:
            raise HnnError(f"Prefect's temporary server ended with exit code {_server.returncode}: {_last_words()}")
        if time.monotonic() > deadline:
            raise HnnError(f"Prefect's temporary server did not answer in time; {PATIENCE} is how many seconds it has")
        time.sleep(0.05)


def serve() -> None:
    """In the server's process: answer on the socket that is its standard input."""
    import uvicorn
    from prefect.server.api.server import create_app

    app = create_app(ephemeral=True, final=True)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on"))
    server.run(sockets=[socket.socket(fileno=os.dup(0))])
    if not server.started:
        sys.exit(3)


def _log() -> Path:
    _home().mkdir(parents=True, exist_ok=True)
    return _home() / LOG


def _last_words() -> str:
    """Why the server ended: what matters of its log, and where the rest is."""
    lines = [line.strip() for line in _log().read_text("utf-8", "replace").splitlines() if line.strip()]
    if full_disk.is_full(_home()) or any(word in line for line in lines for word in _FULL):
        return f"{_home()}: {full_disk.advice(_home())}"
    reasons = [line for line in lines if "Error" in line.partition(":")[0]]
    return f"{(reasons or lines or ['it said nothing'])[-1]} ({_log()} has the rest)"


def _prefect_has_settings() -> bool:
    if any(os.environ.get(name) for name in CHOICES):
        return True
    project = Path("pyproject.toml")
    return any(path.exists() for path in (_home() / "profiles.toml", Path("prefect.toml"), Path(".env"))) or (
        project.is_file() and "[tool.prefect" in project.read_text("utf-8", errors="replace")
    )


def _home() -> Path:
    return Path(os.environ.get("PREFECT_HOME") or Path.home() / ".prefect").expanduser()


def _answers() -> bool:
    """Asked without urllib, which would ask a proxy of the environment instead."""
    address = urlsplit(os.environ[ADDRESS])
    connection = http.client.HTTPConnection(address.hostname or HOST, address.port, timeout=10)
    try:
        connection.request("GET", f"{address.path}/health")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _end(server: subprocess.Popen[bytes]) -> None:
    server.terminate()
    try:
        server.wait(5)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
