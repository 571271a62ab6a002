"""The command line as a new user meets it: help without heavy imports, one helpful line for each mistake."""

from __future__ import annotations

import random
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from pipeline_project import SMALL, Project
from warm import WarmRuns

from extractors.sources.sample import SampleOptions, generate
from flows import config as configuration
from flows.counting import counted
from flows.execution import execute
from flows.planning import decide
from flows.progress import Silent
from flows.running import corpus_from_anywhere
from flows.scrape import STAGE as SCRAPE
from flows.workspace import Workspace


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
        (["run", "--corpus", "no/such/folder"], 2, "no/such/folder: no such file or folder"),
        (["run", "--force", "--corpus", "empty"], 2, "empty: no emails there; expected files that end in"),
        (["stage", "scrape", "--set", "scrape.source=nowhere.txt"], 2, "nowhere.txt: No such file"),
        (["inspect", "no/such/mail.html"], 2, "no/such/mail.html: no such file"),
        (["benchmark", "--known", "absent.jsonl"], 2, "absent.jsonl"),
        (["benchmark", "--data", "absent"], 2, "absent"),
        (["recommend", "empty"], 2, "empty: is a folder; give one email"),
        (["inspect", "mail.html", "--granularity", "word"], 2, "--granularity word: expected card or leaf"),
        (
            ["inspect", "three.zip"],
            2,
            "three.zip: holds 3 emails; give one of them, or `hnn run --corpus three.zip` for all",
        ),
        (["inspect", "mail.html", "--html", "a.html", "--json"], 2, "ask for one of them"),
        (["recommend", "mail.html", "--html", "nowhere/a.html"], 2, "--html nowhere/a.html: there is no folder"),
        (["inspect", "mail.html", "--html", "empty"], 2, "--html empty: is a folder; name a file in it"),
        (["clean", "-w", "nowhere"], 2, "nowhere: there is no such workspace"),
        (["stage", "scrape", "--set", "scrape.source=photo.html"], 1, "not-html: it is a picture or a PDF (1)."),
        (["stage", "scrape", "--set", "scrape.source=random.html"], 1, "not-html: it is binary data, not text (1)."),
        (["run", "--set", "notify.command=cat >> told"], 2, "'>>' has no meaning; write sh -c '…' around it"),
        (["run", "--set", "train.epoch=1"], 2, "did you mean 'train.epochs'"),
        (["run", "--corpus", "somewhere", "--emails", "3"], 2, "--emails sets the size of the sample corpus"),
        (["run", "--config", "absent.toml"], 2, "absent.toml"),
        (["run", "--nonsense"], 2, "--nonsense"),
    ],
)
def test_a_mistake_gets_one_helpful_line(
    project: Project, warm: WarmRuns, arguments: list[str], code: int, message: str
) -> None:
    project.warm = warm
    (project.folder / "empty").mkdir()
    (project.folder / "photo.html").write_bytes(b"\xff\xd8\xff\xe0 no text")
    (project.folder / "random.html").write_bytes(random.Random(3).randbytes(3000))
    with zipfile.ZipFile(project.folder / "three.zip", "w") as archive:
        for number, email in enumerate(generate(SampleOptions(emails=3))):
            archive.writestr(f"{number}.html", email.html)
    result = project.hnn(*arguments, expect=code)
    assert message in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr
    assert not (project.workspace / "stages").exists() or not list(project.workspace.glob("stages/*/*/manifest.json"))


def test_debug_shows_the_traceback(project: Project) -> None:
    assert "Traceback" in project.hnn("--debug", "stage", "trian", expect=1).stderr


@pytest.mark.parametrize("arguments", [["--help"], ["config"], ["config", "--json"], ["status"], ["status", "--json"]])
def test_output_that_nobody_reads_ends_a_command_quietly(project: Project, arguments: list[str]) -> None:
    with project.start(*arguments) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()  # as `| head -1` does once it has its line
        said = process.stderr.read()
    assert (process.returncode, said) == (141, "")


def test_a_corpus_is_called_by_a_name_that_holds_in_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    (tmp_path / "latest").symlink_to(tmp_path / "there")
    monkeypatch.chdir(tmp_path / "here")
    for source in ("sample", "sample:emails=3", "https://acme.example/sitemap.xml", "/mails/*.eml", "/a!b.zip"):
        assert corpus_from_anywhere(source) == source
    for source, name in {
        "mails": "here/mails",
        "./mails/": "here/mails",
        "mails/**/[ab]*.html": "here/mails/**/[ab]*.html",
        "all!.tar.gz": "here/all!.tar.gz",
        "urls.txt": "here/urls.txt",
        "../there": "there",
        str(tmp_path / "latest"): "latest",
    }.items():
        assert corpus_from_anywhere(source) == str(tmp_path / name)


def test_a_relative_corpus_is_found_again_from_another_folder(project: Project, tmp_path: Path) -> None:
    """Also one that was remembered as it was written, by an earlier version: in its own folder it is still fresh."""
    mails = project.folder / "mails"
    mails.mkdir()
    (project.folder / "hnn.toml").write_text(SMALL.replace('source = "sample:emails=24"', ""))
    for number, sample in enumerate(generate(SampleOptions(emails=3))):
        (mails / f"{number}.html").write_text(sample.html)
    workspace = Workspace(project.workspace)
    digests = []
    for source in ("mails", corpus_from_anywhere(str(mails))):
        config = configuration.load(project.folder / "hnn.toml", {}, [f"scrape.source={source}"])
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(project.folder)
            decision = decide(workspace, SCRAPE, config, {})
            manifest = execute(workspace, decision, config, {"scrape.source": source}, Silent()).manifest
        assert project.json("config")["scrape"]["source"] == source
        assert project.json("status")["stages"][0]["state"] == "fresh"
        digests.append(manifest.outputs["documents.parquet"].sha256)
    assert digests[0] == digests[1], "by whatever name, nothing after the first stage has to be run again"
    elsewhere = Project(tmp_path / "elsewhere", settings="")
    shown = elsewhere.json("config", "--workspace", str(project.workspace))
    assert shown["scrape"]["source"] == str(mails)
    status = elsewhere.json("status", "--workspace", str(project.workspace))
    assert status["stages"][0]["state"] == "fresh"


def test_one_thing_is_not_many() -> None:
    assert [counted(number, "document") for number in (0, 1, 2000)] == ["0 documents", "1 document", "2,000 documents"]


def test_inspect_cuts_an_email_as_the_workspace_did(project: Project) -> None:
    (project.folder / "mail.html").write_text(next(iter(generate(SampleOptions(emails=1)))).html)
    card, leaf = (len(project.json("inspect", "mail.html", "--granularity", g)["fragments"]) for g in ("card", "leaf"))
    assert card < leaf
    assert len(project.json("inspect", "mail.html")["fragments"]) == card
    workspace, config = Workspace(project.workspace), configuration.load(None, {}, ["extract.granularity=leaf"])
    from flows.extract import STAGE as EXTRACT

    scraped = execute(workspace, decide(workspace, SCRAPE, config, {}), config, {}, Silent()).manifest
    execute(workspace, decide(workspace, EXTRACT, config, {"scrape": scraped}), config, {}, Silent())
    assert len(project.json("inspect", "mail.html", "-w", "workspace")["fragments"]) == leaf
