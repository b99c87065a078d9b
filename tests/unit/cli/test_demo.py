"""``dampen demo``: the true answer, a private answer, the law as bars, the budget left."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dampen import Adjacency, Frame, SelectionProblem
from dampen.cli.app import app
from dampen.cli.tour.steps import BAR, CITIES, STEPS, VOTES, draw_laws
from dampen.errors import NotPublic


@pytest.fixture(scope="module")
def tour() -> str:
    done = CliRunner().invoke(app, ["demo"])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_true_answer_and_a_private_one_are_shown(tour: str) -> None:
    assert VOTES.index(max(VOTES)) == 0
    assert f"true answer: {CITIES[0]}" in tour
    found = re.search(r"private answer at epsilon 1/4: (\w+)", tour)
    assert found is not None
    assert found.group(1) in CITIES


def test_the_law_is_a_chart_of_bars_in_proportion(tour: str) -> None:
    rows = [line for line in tour.splitlines() if line.startswith(CITIES) and "0." in line]
    assert [line.split()[0] for line in rows] == list(CITIES)
    for line in rows:
        for share, bar in re.findall(r"(0\.\d{4}) (█*)", line):
            assert len(bar) == pytest.approx(BAR * float(share), abs=0.51)
    assert sum(float(re.findall(r"0\.\d{4}", line)[0]) for line in rows) == pytest.approx(1, abs=1e-3)


def test_the_budget_left_follows_every_step(tour: str) -> None:
    left = re.findall(r"budget: spent epsilon (\S+) of 1\.5, (\S+) left", tour)
    assert left == [("0.25", "1.25"), ("0.5", "1"), *[("1", "0.5")] * 4, ("1.5", "0"), ("1.5", "0")]
    assert len(STEPS) == len(left)


def test_the_promise_is_checked_and_the_refusal_shown(tour: str) -> None:
    words = " ".join(tour.split())
    assert "holds" in words
    assert "BROKEN" not in words
    assert "not enough budget: asked epsilon 0.1; spent epsilon 1.5; limit epsilon 1.5" in words


def test_a_table_is_described_once_and_asked_by_groups(tour: str) -> None:
    words = " ".join(tour.split())
    assert re.search(r"median age of the lab at epsilon 1/4: \d+; at most \d+ people more or fewer", words)
    for team, size in {"board": 30, "lab": 120, "sales": 150}.items():
        assert re.search(rf"{team}: -?[\d.]+ \(true: 5\d\.\d, of {size}\); off by at most", words)


def test_the_hubs_of_a_graph_are_found(tour: str) -> None:
    found = re.search(r"private at epsilon 2: \((\d+), (\d+), (\d+), (\d+)\)", " ".join(tour.split()))
    assert found is not None
    assert set(map(int, found.groups())) <= set(range(400))
    assert "spent epsilon 2 of 2" in tour


def test_every_step_has_its_heading(tour: str) -> None:
    words = " ".join(tour.split())
    for number, step in enumerate(STEPS, start=1):
        assert step.__doc__ is not None
        assert f"{number}. {step.__doc__}" in words


def test_the_chart_is_for_public_problems() -> None:
    from rich.console import Console

    problem = SelectionProblem(Frame(("a", "b"), 1, Adjacency.ADD_REMOVE), [1, 2])
    with pytest.raises(NotPublic):
        draw_laws(Console(), problem, ("1",))


NAMESPACES = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
"""Names of kinds of elements, which nobody opens."""


def test_the_page_opens_without_a_network(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    assert CliRunner().invoke(app, ["demo", "--html", str(page)]).exit_code == 0
    text = page.read_text()
    assert text.count("<svg") == 5
    assert set(re.findall(r"https?://[^\"<\s]+", text)) <= NAMESPACES
    assert not re.search(r"<(script|link|img|iframe)|(?:src|href)=\"https?:|url\(http|@import", text)
