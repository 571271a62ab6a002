"""The recommender in MLflow's registry: asked before it is champion, served with the answers of `hnn recommend`."""

from __future__ import annotations

import json
import os
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mlflow
import pytest
from loopback import free_port, private_environment, server
from trained_recommender import trained_workspace

from extractors.sources.sample import SampleOptions, generate
from flows import runs, serving, tracking
from flows.advice import RECOMMENDER, Advisor
from flows.errors import HnnError
from flows.workspace import Workspace

EMAILS = list(generate(SampleOptions(emails=10)))


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return trained_workspace(tmp_path_factory.mktemp("serving"), EMAILS, epochs=1)


@pytest.fixture(scope="module")
def recommender(workspace: Workspace) -> Path:
    manifest = workspace.current("train")
    assert manifest is not None
    return workspace.result("train", manifest.key) / RECOMMENDER


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A tracking store of its own, with the experiment of the pipeline."""
    folder = tmp_path_factory.mktemp("mlflow")
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri(f"sqlite:///{folder / 'mlflow.db'}")
    client = mlflow.MlflowClient()
    client.create_experiment("hnn", artifact_location=(folder / "artifacts").as_uri())
    yield client
    mlflow.set_tracking_uri(before)


def new_run(client: Any) -> str:
    return str(client.create_run(client.get_experiment_by_name("hnn").experiment_id).info.run_id)


@pytest.fixture(scope="module")
def champion(client: Any, recommender: Path) -> Any:
    serving.publish(client, new_run(client), recommender)
    return client.get_model_version_by_alias(serving.MODEL, serving.ALIAS)


def test_the_champion_belongs_to_its_run_and_says_what_it_takes(client: Any, champion: Any) -> None:
    info = mlflow.models.get_model_info(f"models:/{serving.MODEL}@{serving.ALIAS}")
    assert info.run_id == champion.run_id
    assert info.signature.inputs.input_names() == ["html", "target", "top"]
    assert info.saved_input_example_info is not None
    experiment = client.get_experiment_by_name("hnn").experiment_id
    assert [model.source_run_id for model in client.search_logged_models([experiment])] == [champion.run_id]


def test_emails_that_cannot_be_answered_say_why_beside_those_that_can(champion: Any) -> None:
    model = mlflow.pyfunc.load_model(f"models:/{serving.MODEL}@{serving.ALIAS}")
    answers = model.predict(
        {"html": ["<p>hello", "", "<p>hello"], "target": ["background", "button", "no such thing"], "top": [2, 2, 2]}
    )
    assert len(answers[0]["fragments"][0]["styles"]) == 2
    assert "nothing in it can be seen" in answers[1]["error"]
    assert answers[2]["error"].startswith("field target is 'no such thing': expected one of button")


def test_a_model_that_does_not_answer_never_becomes_champion(
    client: Any, recommender: Path, champion: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise HnnError("does not answer")

    run_id = new_run(client)
    monkeypatch.setattr(serving, "check", broken)
    with pytest.raises(HnnError, match="does not answer"):
        serving.publish(client, run_id, recommender)
    assert client.get_model_version_by_alias(serving.MODEL, serving.ALIAS).version == champion.version
    logged = client.search_logged_models([client.get_experiment_by_name("hnn").experiment_id])
    assert run_id not in {model.source_run_id for model in logged}, "the half that arrived is deleted"


def test_a_registry_that_goes_away_gets_the_model_later(
    client: Any, workspace: Workspace, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def away(*_: object, **__: object) -> None:
        raise mlflow.exceptions.MlflowException("Connection refused")

    monkeypatch.setenv("MLFLOW_TRACKING_URI", mlflow.get_tracking_uri())
    with monkeypatch.context() as broken:
        broken.setattr(mlflow.MlflowClient, "create_model_version", away)
        tracking.sync(workspace)
    assert "sent with the next run" in caplog.text
    tracking.sync(workspace)
    [record] = runs.load_all(workspace)
    assert record.tracking["complete"]
    champion = client.get_model_version_by_alias(serving.MODEL, serving.ALIAS)
    assert champion.run_id == record.tracking["parent"]
    logged = client.search_logged_models([record.tracking["experiment"]])
    assert [model.source_run_id for model in logged].count(champion.run_id) == 1


@pytest.mark.server
def test_the_server_answers_what_the_command_prints(recommender: Path, champion: Any, tmp_path: Path) -> None:
    port = free_port()
    command = [sys.executable, "-m", "mlflow", "models", "serve", "-m", f"models:/{serving.MODEL}@{serving.ALIAS}"]
    command += ["--env-manager", "local", "--host", "127.0.0.1", "--port", str(port)]
    environment = private_environment(tmp_path / "home") | {"MLFLOW_TRACKING_URI": mlflow.get_tracking_uri()}
    # MLflow calls uvicorn by name: the environment has to be on the path, activated or not.
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    html = EMAILS[3].html

    def post(email: dict[str, Any]) -> Any:
        body = json.dumps({"dataframe_records": [email]}).encode()
        url = f"http://127.0.0.1:{port}/invocations"
        request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)["predictions"]

    with server(command, f"http://127.0.0.1:{port}/ping", environment, tmp_path / "server.log"):
        answers = post({"html": html, "target": "background", "top": 4}) + post({"html": html})
    advisor = Advisor.load(recommender)
    expected = [advisor.advise(html, "background", 4), advisor.advise(html)]
    assert answers == [json.loads(json.dumps(advice.as_json())) for advice in expected]
