"""``dampen top-k``: the best labels, one per line."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dampen.cli.app import app

OPTIONS = ("--label", "name", "--score", "votes", "--sensitivity", "1", "--monotone")


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    path = tmp_path / "votes.csv"
    path.write_text("name,votes\ntea,31\ncoffee,28\nwater,4\n")
    return path


@pytest.mark.parametrize("mechanism", ["permute-and-flip", "exponential"])
def test_labels_stand_on_lines_of_their_own_best_first(votes: Path, mechanism: str) -> None:
    options = [*OPTIONS, "--k", "2", "--epsilon", "1000000", "--mechanism", mechanism]
    done = CliRunner().invoke(app, ["top-k", str(votes), *options])
    assert done.exit_code == 0
    assert done.stdout == "tea\ncoffee\n"
    assert "nothing remembers this spending" in done.stderr


def test_json_tells_the_total_price(votes: Path) -> None:
    done = CliRunner().invoke(app, ["top-k", str(votes), *OPTIONS, "--k", "3", "--epsilon", "1/2", "--json"])
    told = json.loads(done.stdout)
    assert sorted(told["value"]) == ["coffee", "tea", "water"]
    assert told["loss"]["epsilon"] == "0.5"
