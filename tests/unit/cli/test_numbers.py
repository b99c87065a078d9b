"""``dampen count``, ``dampen sum`` and ``dampen mean`` from the shell."""

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import dampen
from dampen import Budget
from dampen.cli import main
from dampen.cli.app import app

SURE = "300"


@pytest.fixture
def pay(tmp_path: Path) -> Path:
    path = tmp_path / "pay.csv"
    path.write_text("city,pay\nParis,100\nRome,250\nParis,9000\n")
    return path


@pytest.fixture
def edges(tmp_path: Path) -> Path:
    path = tmp_path / "edges.txt"
    path.write_text("0 1\n1 2\n0 2\n2 3\n")
    return path


def invoke(*arguments: object) -> Result:
    done = CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": "200"})
    assert done.exit_code == 0, (done.output, done.exception)
    return done


def test_rows_sums_and_means_of_a_file(pay: Path) -> None:
    assert invoke("count", pay, "--where", "city=Paris", "--epsilon", SURE).stdout == "2\n"
    assert invoke("count", pay, "--column", "pay", "--epsilon", SURE).stdout == "3\n"
    money = ("--column", "pay", "--bounds", 0, 1000)
    assert abs(int(invoke("sum", pay, *money, "--epsilon", "100000").stdout) - 1350) <= 1
    assert abs(float(invoke("mean", pay, *money, "--epsilon", "100000").stdout) - 450) < 1


def test_patterns_of_a_graph(edges: Path) -> None:
    asked = ("--nodes", 6, "--pattern", "triangle", "--epsilon", SURE)
    done = invoke("count", edges, *asked)
    assert done.stdout == "1\n"
    assert "nothing remembers" in done.stderr
    told = json.loads(invoke("count", edges, *asked, "--delta", "1e-6", "--json").stdout)
    assert told["mechanism"].startswith("ExactPairLaplace")
    published = invoke("count", edges, "--nodes-from-edges", "--pattern", "edge", "--epsilon", SURE)
    assert "published" in published.stderr


def test_a_ledger_pays(pay: Path, tmp_path: Path) -> None:
    Budget.open(tmp_path / "study.db", epsilon=3).close()
    invoke("sum", pay, "--column", "pay", "--bounds", 0, 10, "--epsilon", 1, "--budget", tmp_path / "study.db")
    study = Budget.open(tmp_path / "study.db")
    assert study.spent.epsilon == 1
    study.close()


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (("--epsilon", "1", "--where", "Paris"), "where"),
        (("--epsilon", "1", "--where", "city=Paris", "--k", "3"), "k must come with --pattern"),
        (("--epsilon", "1", "--where", "city=Paris", "--delta", "1e-6"), "delta must come with --pattern"),
        (("--epsilon", "1", "--pattern", "edge", "--nodes", "3", "--where", "city"), "where must be written"),
        (("--epsilon", "1", "--pattern", "edge"), "nodes must be declared"),
        (("--epsilon", "1", "--pattern", "edge", "--nodes=-3"), "nodes must be a whole number"),
        (("--epsilon", "1", "--pattern", "edge", "--adjacency", "replace"), "adjacency is for tables"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_does_not_fit_together_is_one_sentence(
    arguments: tuple[str, ...],
    shown: str,
    pay: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["dampen", "count", str(pay), *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code not in (0, None)
    [line] = capsys.readouterr().err.splitlines()
    assert shown in line


def test_the_python_names_are_there() -> None:
    assert {"count", "total", "mean", "quantile_number", "count_subgraphs"} <= set(dampen.__all__)
