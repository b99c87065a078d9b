"""``dampen compare``: exact errors on a public file."""

from pathlib import Path

import pytest
import typer

from dampen.cli.app import app
from dampen.front.compare import EPSILONS
from tests.unit.cli.shell import refusal, tell, tell_json


@pytest.fixture
def public(tmp_path: Path) -> Path:
    path = tmp_path / "public.csv"
    rows = (f"{1000 + 37 * i % 3000},{'lab' if i % 3 else 'sales'}" for i in range(120))
    path.write_text("pay,team\n" + "\n".join(rows))
    return path


def test_the_help_tells_the_prices_that_are_taken() -> None:
    """Its text is written down, since --help waits for no comparison."""
    [option] = [each for each in typer.main.get_command(app).commands["compare"].params if each.name == "epsilons"]  # type: ignore[attr-defined]
    assert f"the default is {','.join(map(str, EPSILONS))}." in option.help


def test_percentiles_are_compared(public: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    asked = ("compare", public, "--column", "pay", "--question", "percentile", "--p", "50", "--bounds", 0, 5000)
    told = tell(*asked, "--step", "100", "--epsilons", "0.1,1", "--public", "--html", page).stdout
    assert told.startswith("percentile: mean error (exceeded by 5 %)")
    assert "distance: PermuteAndFlip" in told
    assert "Take " in told
    assert "<svg" in page.read_text()


def test_the_most_frequent_is_compared(public: Path) -> None:
    asked = ("compare", public, "--column", "team", "--question", "most-common", "--categories", "lab,sales,board")
    told = tell_json(*asked, "--public", "--epsilons", "1")
    assert told["best"] == [{"from": "1", "mechanism": "PermuteAndFlip"}]
    assert told["unit"] == "records"


def test_counts_and_sums_are_compared(public: Path) -> None:
    count = tell_json("compare", public, "--column", "pay", "--question", "count", "--public", "--epsilons", "1")
    assert {"Laplace", "Staircase"} <= {each["mechanism"] for each in count["errors"]}
    asked = ("--question", "sum", "--bounds", 0, 5000, "--public", "--epsilons", "1")
    assert tell_json("compare", public, "--column", "pay", *asked)["best"][0]["mechanism"] in ("Laplace", "Staircase")


@pytest.mark.parametrize("question", ["mean", "variance", "histogram"])
def test_means_variances_and_histograms_are_compared(public: Path, question: str) -> None:
    asked = ("--question", question, "--bounds", 0, 5000, "--public", "--epsilons", "0.5,1", "--delta", "1e-6")
    told = tell_json("compare", public, "--column", "pay", *asked)
    assert told["best"][0]["mechanism"] in ("Laplace", "Staircase", "LaplaceCounts")
    assert {each["mechanism"] for each in told["errors"]} >= {told["best"][0]["mechanism"]}
    assert any("Gaussian" in each["mechanism"] for each in told["errors"])


def test_lists_of_labels_are_compared(public: Path) -> None:
    labels = ("--categories", "lab,sales,board", "--public", "--epsilons", "1")
    told = tell_json("compare", public, "--column", "team", "--question", "top-categories", "--k", 2, *labels)
    assert told["best"][0]["mechanism"] == "TopK of PermuteAndFlip"
    bars = tell_json("compare", public, "--column", "team", "--question", "histogram", *labels)
    assert bars["best"][0]["mechanism"] == "LaplaceCounts"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--question", "median", "--bounds", "0", "5000"), "public must be said, --public"),
        (("--question", "median", "--public"), "bounds must be given with --bounds"),
        (("--question", "most-common", "--public"), "categories must be given"),
        (("--question", "count", "--p", "3", "--public"), "--p must be left out"),
        (("--question", "sum", "--bounds", "0", "5", "--step", "1", "--public"), "--step must be left out"),
        (("--question", "percentile", "--bounds", "0", "5", "--public"), "p must be given"),
        (("--question", "histogram", "--public"), "bounds must be given with --bounds"),
        (("--question", "top-categories", "--categories", "a,b", "--public"), "k must be given with --k"),
        (("--question", "mean", "--bounds", "0", "5", "--unit", "1", "--public"), "--unit must be left out"),
    ],
)
def test_what_cannot_be_compared_is_refused(public: Path, words: tuple[str, ...], why: str) -> None:
    assert why in refusal("compare", public, "--column", "pay", *words)
