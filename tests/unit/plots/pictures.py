"""One figure of each kind, on made-up data; and where they are kept for somebody to look at."""

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import dampen
from dampen import Adjacency, Category, Frame, Number, NumericFrame, NumericProblem, SelectionProblem, plots
from dampen.audit import add_remove_neighbours, audit_selection, multisets
from dampen.learn import PrivateClassifier, PrivateScorecard, PrivateTreeClassifier, Schema
from dampen.mechanisms import Exponential, Ladder, Laplace, LocalDampening, PairwiseDampening, PermuteAndFlip
from dampen.sensitivity import RungTable

CITIES = ("Aldby", "Brook", "Carn", "Dunmore")
SCHEMA = Schema({"age": Number(0, 100, bins=4), "sex": Category(["F", "M"])}, classes=["no", "yes"])


def choice() -> SelectionProblem:
    """Private until it is marked."""
    frame = Frame(CITIES, bound=2000, adjacency=Adjacency.ADD_REMOVE)
    rungs = RungTable([[20, 25, 22, 30], [40, 45, 42, 55], [90, 300, 80, 700]], bound=2000)
    return SelectionProblem(frame, [5200, 4900, 4100, 900], rungs)


def number() -> NumericProblem:
    frame = NumericFrame(bound=50, adjacency=Adjacency.ADD_REMOVE)
    return NumericProblem(frame, 700, RungTable([[3], [5], [9], [20]], bound=50))


@cache
def report() -> Any:
    frame = Frame(CITIES[:2], bound=1, adjacency=Adjacency.ADD_REMOVE, monotone=True)
    universe, neighbours = multisets(CITIES[:2], largest=4), add_remove_neighbours(CITIES[:2])
    return audit_selection(
        Exponential("1/4"),
        lambda x: SelectionProblem(frame, [x.count(city) for city in frame.candidates]),
        universe,
        neighbours,
    )


def ledger(folder: Path) -> Any:
    made = dampen.Budget.open(folder / "study.db", epsilon=3)
    people = [made.scope("analyst", name, epsilon=2) for name in ("ann", "bob")]
    for person, epsilon in zip([*people, *people], ("1/2", "1/4", "1", "1/4"), strict=True):
        PermuteAndFlip(epsilon).release(choice(), budget=person, note="best city")
    return made


@cache
def bars() -> Any:
    ages = np.random.default_rng(3).normal(45, 16, 900)
    budget = dampen.Budget(epsilon=1)
    return dampen.histogram(ages, bounds=(0, 90), step=5, epsilon="1/2", budget=budget, note="ages of members")


def people() -> tuple[dict[str, Any], list[str]]:
    rng = np.random.default_rng(1)
    age, sex = rng.integers(0, 100, 800), rng.choice(["F", "M"], 800)
    return {"age": age, "sex": sex}, np.where((age < 50) & (sex == "M"), "yes", "no").tolist()


@cache
def classifier() -> PrivateClassifier:
    return PrivateClassifier(2, SCHEMA, dampen.Budget(epsilon=2), 800, kind="table").fit(*people())


@cache
def joint() -> PrivateClassifier:
    return PrivateClassifier(2, SCHEMA, dampen.Budget(epsilon=2), 800, kind="joint").fit(*people())


@cache
def card() -> PrivateScorecard:
    return PrivateScorecard(2, SCHEMA, dampen.Budget(epsilon=2)).fit(*people())


@cache
def tree() -> PrivateTreeClassifier:
    return PrivateTreeClassifier(epsilon=2, schema=SCHEMA, budget=dampen.Budget(epsilon=2), max_depth=2).fit(*people())


LAWS = (PermuteAndFlip(1), LocalDampening(1), PairwiseDampening(1))
FIGURES: dict[str, Callable[[Path], Any]] = {
    "law": lambda _: plots.law(choice().as_public(), LAWS),
    "law of a number": lambda _: plots.law(number().as_public(), [Laplace(1), Ladder(1)]),
    "tradeoff": lambda _: plots.tradeoff(choice().as_public(), [PermuteAndFlip, PairwiseDampening]),
    "tradeoff of a number": lambda _: plots.tradeoff(number().as_public(), [Laplace, Ladder], epsilons=[0.1, 1, 3]),
    "dampening": lambda _: plots.dampening(choice().as_public(), "Brook"),
    "ladder": lambda _: plots.ladder(choice().as_public()),
    "ladder of a number": lambda _: plots.ladder(number().as_public()),
    "audit": lambda _: plots.audit(report()),
    "budget": lambda folder: plots.budget(ledger(folder)),
    "histogram": lambda _: plots.histogram(bars()),
    "table": lambda _: plots.table(classifier()),
    "table of a joint model": lambda _: plots.table(joint()),
    "scorecard": lambda _: plots.scorecard(card()),
    "tree": lambda _: plots.tree(tree()),
    "explanation": lambda _: dampen.explain(bars()).plot(),
}


def keep(figure: Any, name: str, folder: Path) -> Path:
    """Draw it into the folder that DAMPEN_PICTURES names, else into the one of the test."""
    place = Path(os.environ.get("DAMPEN_PICTURES", folder)) / f"{name.replace(' ', '_')}.png"
    place.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(place)
    return place
