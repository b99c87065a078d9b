"""How far things are apart: the files that an answer passes through, and those that a new question touches."""

import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent
from types import FrameType, ModuleType
from typing import Any

import pytest

import dampen
from dampen.questions.record import RECORD
from dampen.tables.engines import Source

SOURCE = str(Path(dampen.__file__).parent)
MOST_FILES = 20
"""Of the package, between a question and its answer."""


def files_passed(ask: Any) -> set[str]:
    """The files of the package in which some function runs. Imports are over: it was asked before."""
    ask()
    found: set[str] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(SOURCE):
            found.add(frame.f_code.co_filename.removeprefix(SOURCE))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        ask()
    finally:
        sys.setprofile(before)
    return found


def test_a_median_passes_through_few_files() -> None:
    """The shortest of six walks: a draw in thirty needs more random bits than usual, and passes through one more."""
    budget = dampen.Budget(epsilon=12)
    walks = [
        files_passed(lambda: dampen.median([23, 31, 45], bounds=range(121), epsilon=1, budget=budget)) for _ in range(6)
    ]
    files = min(walks, key=len)
    assert len(files) <= MOST_FILES, sorted(files)


# A new question: the walk-through of CONTRIBUTING.md, outside the package

QUESTION = '''
@question(zeros, proof="percentile")
def smallest(values, *, grid, epsilon, budget, adjacency=Adjacency.ADD_REMOVE, note="smallest") -> Posed[Release]:
    """The smallest value, privately."""
    problem = percentile_value_problem(values, 0, grid=grid, adjacency=adjacency)
    return Single(PermuteAndFlip(epsilon), problem)
'''
TOY = f"""
from dampen.mechanisms import PermuteAndFlip
from dampen.privacy import Adjacency, Release
from dampen.queries import percentile_value_problem
from dampen.questions.record import Posed, Single, question, zeros

{QUESTION}
"""


def test_the_guide_for_contributors_shows_the_toy() -> None:
    guide = (Path(SOURCE).parents[1] / "CONTRIBUTING.md").read_text()
    assert indent(QUESTION.strip(), "   ") in guide


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    (tmp_path / "toy_questions.py").write_text(TOY)
    monkeypatch.syspath_prepend(tmp_path)
    import toy_questions  # type: ignore[import-not-found]

    yield toy_questions
    del RECORD["smallest"], sys.modules["toy_questions"]
    vars(dampen).pop("smallest", None)


def test_a_question_registers_itself(toy: ModuleType) -> None:
    question, budget = RECORD["smallest"], dampen.Budget(epsilon=100)
    assert dampen.smallest is toy.smallest
    assert {"smallest"} <= set(dampen.__all__) & set(dir(dampen))
    assert question.parameters == ("grid", "epsilon", "adjacency")
    assert question.tells == "The smallest value, privately"
    price = question.price(grid=range(9), epsilon=100)
    assert price == dampen.PrivacyLoss(100, adjacency=dampen.Adjacency.ADD_REMOVE)
    assert question.frame(grid=range(9), epsilon=1).candidates[8] == 8
    assert budget.spent.epsilon == 0
    told = dampen.smallest([7, 4, 4, 6], grid=range(9), epsilon=100, budget=budget)
    assert (told.value, told.loss, told.note) == (4, price, "smallest")
    assert budget.spent.epsilon == 100
    asked = Source({"pay": [7, 4, None], "team": [1, 2, 1]}, {"team": 1}, column="pay", missing="drop")
    assert question.pose(asked, grid=range(9), epsilon=100).release(dampen.Budget(epsilon=100), "") == 7


def test_the_toy_is_gone_again() -> None:
    assert not hasattr(dampen, "smallest")
    assert "smallest" not in dampen.__all__
