"""The command line as a new user meets it: help without heavy imports, one helpful line for each mistake."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pipeline_project import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "mein projekt ü")


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["config"], ["status"], ["runs"]])
def test_light_commands_import_nothing_heavy(project: Project, arguments: list[str]) -> None:
    code = (
        "import sys; sys.argv = ['hnn', *sys.argv[1:]]\n"
        "from flows import cli\n"
        "try:\n    cli.main()\nexcept SystemExit as stop:\n    assert not stop.code, stop.code\n"
        "heavy = {'torch', 'prefect', 'mlflow'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    command = [sys.executable, "-c", code, *arguments]
    result = subprocess.run(command, cwd=project.folder, env=project.environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["stage", "trian"], 2, "unknown stage 'trian'. Did you mean 'train'?"),
        (["run", "--from", "nowhere"], 2, "unknown stage 'nowhere'"),
        (["stage", "train"], 1, "needs the result of stage extract"),
        (["run", "--corpus", "no/such/folder"], 1, "no/such/folder"),
        (["run", "--corpus", "empty"], 1, "empty"),
        (["run", "--set", "train.epoch=1"], 2, "did you mean 'train.epochs'"),
        (["run", "--corpus", "somewhere", "--emails", "3"], 2, "--emails sets the size of the sample corpus"),
        (["run", "--config", "absent.toml"], 2, "absent.toml"),
        (["run", "--nonsense"], 2, "--nonsense"),
    ],
)
def test_a_mistake_gets_one_helpful_line(project: Project, arguments: list[str], code: int, message: str) -> None:
    (project.folder / "empty").mkdir()
    result = project.hnn(*arguments, expect=code)
    assert message in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr
    assert not (project.workspace / "stages").exists() or not list(project.workspace.glob("stages/*/*/manifest.json"))


def test_debug_shows_the_traceback(project: Project) -> None:
    assert "Traceback" in project.hnn("--debug", "stage", "trian", expect=1).stderr
