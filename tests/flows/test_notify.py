"""When a run ends somebody is told, and trouble with the telling is no trouble of the run."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from flows.config import load, redact_urls
from flows.notify import Ending, announce

KEEP = f"{sys.executable} -c \"import sys; open('told.json', 'w').write(sys.stdin.read())\""


def ending(state: str) -> Ending:
    return Ending("nightly in workspace", state, "HnnError: the disk is full", "workspace", "4711")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hnn.toml").write_text(f"[notify]\ncommand = {json.dumps(KEEP)}\n")
    return tmp_path


def test_the_command_gets_what_happened(project: Path) -> None:
    announce(ending("failed"))
    assert json.loads((project / "told.json").read_text()) == {
        "run": "nightly in workspace",
        "state": "failed",
        "message": "HnnError: the disk is full",
        "workspace": "workspace",
        "id": "4711",
    }


def test_good_news_are_told_only_if_wanted(project: Path) -> None:
    announce(ending("completed"))
    assert not (project / "told.json").exists()
    announce(ending("completed"), overrides=("notify.on=completed,failed",))
    assert json.loads((project / "told.json").read_text())["state"] == "completed"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("no-such-command --token hunter2", "No such file"),
        (
            "sh -c 'echo refused by http://me:hunter2@hooks.example/x >&2; exit 3'",
            "exit code 3, refused by http://hooks",
        ),
        ("an 'unfinished quote", "No closing quotation"),
    ],
)
def test_a_command_that_fails_is_a_warning_without_secrets(
    command: str, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    announce(ending("failed"), overrides=(f"notify.command={command}",))
    assert said in caplog.text
    assert "hunter2" not in caplog.text


def test_a_configuration_that_cannot_be_read_is_told_by_the_run_itself(project: Path) -> None:
    (project / "hnn.toml").write_text("[notify\n")
    announce(ending("failed"))


def test_the_command_is_in_no_record() -> None:
    assert "hooks.example" not in str(load(None, {}, ["notify.command=curl https://hooks.example/T0/secret"]).public())


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "HnnError: http://me:hunter2@h.example/x?token=hunter2: none of 3",
            "HnnError: http://h.example/x?token=***: none of 3",
        ),
        ("(see https://h.example/?page=2), please", "(see https://h.example/?page=2), please"),
        ("tcp://10.0.0.5:8786: no scheduler", "tcp://10.0.0.5:8786: no scheduler"),
        ("sqlite:////srv/a b/mlflow.db", "sqlite:////srv/a b/mlflow.db"),
        ("s3://bucket/tables", "s3://bucket/tables"),
    ],
)
def test_addresses_within_a_text_are_shown_by_the_rule_of_the_sources(text: str, shown: str) -> None:
    assert redact_urls(text) == shown
