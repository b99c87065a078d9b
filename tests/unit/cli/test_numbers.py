"""``dampen count``, ``dampen sum`` and ``dampen mean`` from the shell."""

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import dampen
from dampen import Adjacency, Budget
from dampen.cli import main
from dampen.cli.app import app
from tests.unit.cli.shell import refusal

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
    assert invoke("count", pay, "--epsilon", SURE).stdout == "3\n"
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


def test_a_delta_that_was_not_spent_is_told(edges: Path, tmp_path: Path) -> None:
    ledger = tmp_path / "patterns.db"
    Budget.open(ledger, epsilon=10, delta="1e-5").close()
    ask = ("count", edges, "--nodes", 1000, "--pattern", "triangle", "--budget", ledger)
    assert "nothing of --delta was spent" in invoke(*ask, "--epsilon", 1, "--delta", "1e-6").stderr
    assert Budget.open(ledger).spent.delta == 0
    assert "--delta" not in invoke(*ask, "--epsilon", 1).stderr
    assert "--delta" not in invoke(*ask, "--epsilon", 5, "--delta", "1e-6").stderr
    assert Budget.open(ledger).spent.delta > 0


def test_edges_of_a_graph_whose_nodes_are_hidden(edges: Path, tmp_path: Path) -> None:
    ask = ("count", edges, "--nodes", 6, "--pattern", "edge", "--unit", "node", "--epsilon", "3000")
    told = json.loads(invoke(*ask, "--json").stdout)
    assert (told["value"], told["cap"] in (4, 5), told["loss"]["unit"]) == (4, True, "node")
    Budget.open(tmp_path / "edges.db", epsilon=10**6, adjacency=Adjacency.EDGE).close()
    assert "Budget.open(..., adjacency=Adjacency.ADD_REMOVE, unit='node')" in refusal(
        *ask, "--budget", tmp_path / "edges.db"
    )
    assert "nodes must be declared with --unit node" in refusal(*ask[:2], "--nodes-from-edges", *ask[4:])


def test_counts_of_groups_are_made_consistent(pay: Path) -> None:
    by = ("count", pay, "--by", "city", "--groups", "Paris,Rome,Oslo")
    done = invoke(*by, "--epsilon", "1/10", "--consistent", "--adjacency", "replace")
    numbers = [int(line.split("\t")[1]) for line in done.stdout.splitlines()]
    assert (sum(numbers), min(numbers) >= 0) == (3, True)
    assert "tell no error" in done.stderr
    noisy = invoke(*by, "--epsilon", "1/100", "--non-negative").stdout.splitlines()
    assert min(int(line.split("\t")[1]) for line in noisy) >= 0


def test_graphs_of_tables(tmp_path: Path) -> None:
    path = tmp_path / "edges.txt"
    path.write_text("1;ann;bob\n1;bob;cid\n1;ann;cid\n2;cid;dan\n")
    table = (path, "--src", "c1", "--dst", "c2", "--no-header", "--delimiter", ";", "--epsilon", SURE)
    for nodes in (("--nodes", "ann,bob,cid,dan"), ("--nodes-from-edges",)):
        assert invoke("count", *table, *nodes, "--pattern", "edge").stdout == "4\n"
        assert invoke("count", *table, *nodes, "--pattern", "edge", "--where", "c0=1").stdout == "3\n"
    piped = CliRunner().invoke(app, ["count", "-", *map(str, table[1:]), "--nodes-from-edges", "--pattern", "edge"],
                               input=path.read_bytes())  # fmt: skip
    assert piped.stdout == "4\n"


@pytest.mark.parametrize("words", ["count friends.toml --pattern edge", "top-nodes friends.toml --k 1"])
def test_a_described_graph_says_all_of_itself(words: str, staff: Path) -> None:
    ask = (*words.split(), "--epsilon", SURE)
    assert invoke(*ask).stdout in ("59\n", "3\n")
    for option in ("--nodes 7", "--nodes-from-edges", "--src a", "--dst b"):
        assert refusal(*ask, *option.split()).endswith("must be left out: the description says it")
    for option in ("--where a=1", "--engine arrays", "--delimiter ;"):
        assert refusal(*ask, *option.split()).endswith("must be left out: a graph that is described is read as it is")
    Path("friends.toml").write_text('ledger = "none.db"\n' + Path("friends.toml").read_text())
    assert "dampen budget create" in refusal(*ask), "who cannot pay is refused before the edges are read"


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
        (("--epsilon", "1", "--where", "city=Paris", "--k", "3"), "must be left out: it comes with --pattern"),
        (("--epsilon", "1", "--where", "city=Paris", "--delta", "1e-6"), "must be left out: it comes with --pattern"),
        (("--epsilon", "1", "--unit", "node"), "--unit must be left out: it comes with --pattern"),
        (("--epsilon", "1", "--nodes", "3"), "--nodes must be left out: it comes with --pattern"),
        (("--epsilon", "1", "--pattern", "edge", "--nodes", "3", "--where", "city"), "where must be written"),
        (("--epsilon", "1", "--pattern", "edge"), "nodes must be declared"),
        (("--epsilon", "1", "--pattern", "edge", "--nodes=-3"), "nodes must be a list such as a,b,c or a file"),
        (
            ("--epsilon", "1", "--pattern", "edge", "--adjacency", "replace"),
            "--adjacency must be left out: it is for tables",
        ),
        (("--epsilon", "1", "--consistent"), "--consistent must be left out: it comes with --by"),
        (
            ("--epsilon", "1", "--pattern", "edge", "--non-negative"),
            "--non-negative must be left out: it is for tables",
        ),
        (("--epsilon", "1", "--pattern", "edge", "--by", "city"), "--by must be left out: it is for tables"),
        (("--epsilon", "1", "--pattern", "edge", "--missing", "drop"), "--missing must be left out: it is for tables"),
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
    assert {"count", "sum", "mean", "variance", "percentile", "count_subgraphs"} <= set(dampen.__all__)
