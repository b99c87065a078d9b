"""Verbs read patterns of files, filter rows and let the named engine count; the doctor tells which engines work."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from dampen import Category, Number
from dampen.cli.app import app
from dampen.errors import ParameterError
from dampen.learn import Schema
from tests.contracts.engines import SPARK


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for place, city in enumerate(("Oslo", "Bonn")):
        rows = "".join(f"{city},{value},{value % 3}\n" for value in range(10 * place, 10 * place + 31))
        (tmp_path / f"pay{place}.csv").write_text("city,pay,left\n" + rows)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(app, [*arguments, "--epsilon", "100000"], env={"COLUMNS": "200"})


@pytest.mark.parametrize("engine", ["arrays", "duckdb", SPARK])
def test_a_pattern_and_a_filter(folder: Path, engine: str) -> None:
    if engine == "spark":
        from tests.contracts.engines import spark_session

        spark_session()
    common = ("--engine", engine)
    counted = invoke("count", "pay*.csv", "--where", "city=Bonn", "--where", "left=1", *common)
    assert (counted.exit_code, counted.stdout) == (0, "11\n"), counted.exception
    asked = ("--column", "pay", "--bounds", "0", "100", "--step", "1", "--where", "city=Bonn", *common)
    assert invoke("percentile", "pay*.csv", "--p", "50", *asked).stdout == "25\n"
    if engine == "spark":
        return
    assert invoke("percentile", "pay*.csv", "--p", "0", "--p", "100", *asked).stdout == "10\n40\n"
    assert invoke("sum", "pay*.csv", "--column", "pay", "--bounds", "0", "100", *common).stdout == "1240\n"
    mean = invoke("mean", "pay?.csv", "--column", "pay", "--bounds", "0", "100", "--where", "city=Oslo", *common)
    assert abs(float(mean.stdout) - 15) < 0.1
    (folder / "cities.txt").write_text("Oslo\nBonn\n")
    city = ("--column", "city", "--categories", "cities.txt", "--where", "left=0", *common)
    assert invoke("most-common", "pay*.csv", *city).stdout == "Oslo\n"
    by = ("--by", "city", "--groups", "Oslo,Bonn", *common)
    assert invoke("count", "pay*.csv", *by).stdout == "Oslo\t31\nBonn\t31\n"
    grouped = invoke("median", "pay*.csv", "pay", "--bounds", "0", "100", *by)
    assert grouped.stdout == "Oslo\t15\nBonn\t25\n"
    (folder / "left.txt").write_text("\n".join(map(str, range(41))))
    chosen = invoke("top-nodes", "pay*.csv", "--src", "pay", "--dst", "left", "--nodes", "41", "--k", "3", *common)
    assert sorted(chosen.stdout.split()) == ["0", "1", "2"]


@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
def test_a_tree_of_filtered_rows(folder: Path, engine: str) -> None:
    schema = Schema({"left": Category(0, 1, 2), "pay": Number(0, 40, bins=4)}, classes=["Oslo", "Bonn"])
    (folder / "schema.json").write_text(schema.to_json())
    asked = ("--target", "city", "--schema", "schema.json", "--kind", "tree", "--depth", "1", "--engine", engine)
    done = invoke("train", "pay*.csv", *asked, "--where", "city=Oslo")
    assert json.loads(done.stdout)["released"]["counts"] == [31, 0]
    narrow = Schema({"left": Category(0, 1, 2), "pay": Number(0, 40, bins=4)}, classes=["Oslo"])
    (folder / "schema.json").write_text(narrow.to_json())
    for where in ((), ("--where", "city=Oslo")):  # what is refused depends on all rows
        told = str(invoke("train", "pay*.csv", *asked, *where).exception)
        assert "target must hold only the declared classes" in told


def test_scores_of_several_files(folder: Path) -> None:
    (folder / "s1.csv").write_text("name,votes\nann,5\n")
    (folder / "s2.csv").write_text("name,votes\nbob,900\n")
    asked = ("--label", "name", "--score", "votes", "--sensitivity", "1")
    assert invoke("select", "s?.csv", *asked).stdout == "bob\n"
    assert invoke("top-k", "s?.csv", *asked, "--k", "2", "--engine", "arrays").stdout == "bob\nann\n"


def test_a_wrong_filter(folder: Path) -> None:
    done = invoke("count", "pay*.csv", "--where", "city")
    assert isinstance(done.exception, ParameterError)
    assert "where must be written as pay>=1000" in str(done.exception)


def test_the_doctor_names_every_engine() -> None:
    done = CliRunner().invoke(app, ["doctor"])
    assert done.exit_code == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["arrays", "duckdb", "ibis", "spark"]
    assert "duckdb  works" in done.stdout
