"""A small project folder of its own for tests that run the real pipeline through its command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warm import WarmRuns

ROOT = Path(__file__).parent.parent.parent

#: Small enough for seconds, large enough that every stage has something to do.
SMALL = """
[scrape]
source = "sample:emails=24"

[features]
dim = 8

[train]
compare = ["hnn", "p2"]
protocols = ["transductive"]
epochs = 3
width = 8
recommender_epochs = 1

[recommend]
targets = ["button-style"]
protocols = ["link"]
"""


class Project:
    """A folder with hnn.toml and workspace/, and the commands run in it with nothing inherited from the tester."""

    def __init__(
        self,
        folder: Path,
        settings: str = SMALL,
        prefect_api: str | None = None,
        warm: WarmRuns | None = None,
    ) -> None:
        self.folder = folder
        self.warm = warm  # commands are forked from it
        self.prefect_api = prefect_api
        self.workspace = folder / "workspace"
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "hnn.toml").exists():
            (folder / "hnn.toml").write_text(settings, encoding="utf-8")

    @property
    def environment(self) -> dict[str, str]:
        dropped = ("PREFECT_", "MLFLOW_", "HNN_", "COV_CORE_", "PYTEST_")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        own = {"HOME": str(home), "PWD": str(self.folder), "OMP_NUM_THREADS": "1", "COLUMNS": "80"}
        return {**kept, **own, **({"PREFECT_API_URL": self.prefect_api} if self.prefect_api else {})}

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "flows.cli", *arguments]

    def start(self, *arguments: str, **variables: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command(*arguments),
            cwd=self.folder,
            env={**self.environment, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def hnn(self, *arguments: str, expect: int = 0, **variables: str) -> subprocess.CompletedProcess[str]:
        if self.warm is not None:
            result = self.warm.run(self.folder, *arguments, **variables)
        else:
            result = subprocess.run(
                self.command(*arguments),
                cwd=self.folder,
                env={**self.environment, **variables},
                capture_output=True,
                text=True,
                timeout=800,
            )
        assert result.returncode == expect, f"{arguments}: exit {result.returncode}\n{result.stdout}\n{result.stderr}"
        return result

    def json(self, *arguments: str) -> Any:
        return json.loads(self.hnn(*arguments, "--json").stdout)

    def tables(self) -> dict[str, str]:
        """The content hash of every file of every result in use."""
        hashes = {}
        for pointer in sorted(self.workspace.glob("stages/*/current")):
            manifest = json.loads((pointer.parent / pointer.read_text().strip() / "manifest.json").read_text())
            for name, output in manifest["outputs"].items():
                hashes[f"{manifest['stage']}/{name}"] = output["sha256"]
        return hashes


@dataclass(frozen=True)
class Finished:
    """A project in which `hnn run` has been run once, by a process of its own: tests copy it."""

    project: Project
    shown: str  # what the command printed
