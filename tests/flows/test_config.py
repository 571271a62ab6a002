"""Four layers, typed, and an unknown key is answered with the nearest right one."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows import config
from flows.errors import UsageError


def test_each_layer_overrides_the_one_below(tmp_path: Path) -> None:
    file = tmp_path / "hnn.toml"
    file.write_text("[train]\nepochs = 5\nwidth = 7\nlayers = 3\n")
    environment = {"HNN_TRAIN_WIDTH": "8", "HNN_TRAIN_LAYERS": "4", "HNN_DATA": "ignored", "PATH": "ignored"}
    effective = config.load(file, environment, ["train.layers=1"])
    assert (effective.train.epochs, effective.train.width, effective.train.layers) == (5, 8, 1)
    assert effective.train.lr == config.TrainConfig().lr


def test_lists_are_comma_separated() -> None:
    effective = config.load(None, {}, ["hypergraph.types=button-style, word"])
    assert effective.hypergraph.types == ("button-style", "word")
    as_printed = config.load(None, {}, ['hypergraph.types=["button-style", "word"]'])
    assert as_printed.hypergraph.types == effective.hypergraph.types


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("train.epoch=3", "did you mean 'train.epochs'"),
        ("trian.epochs=3", "did you mean 'train.epochs'"),
        ("train.epochs", "expected section.key=value"),
        ("train.epochs=many", "train.epochs: Input should be a valid integer"),
        ("train.epochs=0", "greater than or equal to 1"),
        ("train.variant=p3", "train.variant"),
    ],
)
def test_a_wrong_override_names_the_key_and_what_is_right(override: str, expected: str) -> None:
    with pytest.raises(UsageError, match=expected.replace(".", r"\.").replace("(", r"\(")):
        config.load(None, {}, [override])


def test_a_wrong_file_key_and_variable_name_their_place(tmp_path: Path) -> None:
    file = tmp_path / "hnn.toml"
    file.write_text("[train]\nepochz = 5\n")
    with pytest.raises(UsageError, match=r"hnn\.toml: unknown configuration key 'train\.epochz', did you mean"):
        config.load(file, {})
    with pytest.raises(UsageError, match="HNN_TRAIN_EPOCHZ"):
        config.load(None, {"HNN_TRAIN_EPOCHZ": "1"})
    with pytest.raises(UsageError, match="no such configuration file"):
        config.load(tmp_path / "absent.toml", {})
    file.write_text("[train\n")
    with pytest.raises(UsageError, match="not readable as TOML"):
        config.load(file, {})


def test_secrets_in_a_source_are_not_parameters() -> None:
    source = "https://user:hunter2@news.example/list.txt?token=abc123&page=2"
    effective = config.load(None, {}, [f"scrape.source={source}"])
    assert effective.scrape.source == source
    recorded = str(effective.public()) + str(effective.parameters("scrape"))
    assert "hunter2" not in recorded
    assert "abc123" not in recorded
    assert "page=2" in recorded


def test_what_is_shown_of_a_configuration_can_be_shown_to_others() -> None:
    secret = "curl -H X:1 -d @- https://me:hunter2@hooks.example/services/hunter2?token=hunter2"
    shown_to_nobody = config.load(
        None, {}, ["scrape.source=https://me:hunter2@example.org/list.txt", f"notify.command={secret}"]
    )
    shown = shown_to_nobody.shown()
    assert "hunter2" not in str(shown)
    assert shown["notify"]["command"] == "curl -H X:1 -d @- https://hooks.example/***"
    assert set(shown) == set(config.Config.model_fields)
