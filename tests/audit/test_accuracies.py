"""What is told of an answer's error knows what was drawn, and public things, but never the data.

Every question is asked of data sets that differ, neighbours and others, while its draws are decided from outside: then
the releases must be equal in all that they tell, value and accuracy alike.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import dampen
from dampen import Adjacency, Budget, Category, Date, Flag, Graph, Number, Release, SelectionProblem, Table, between
from dampen.errors import ParameterError
from dampen.front.groups import GroupedTable
from dampen.mechanisms import Exponential, LocalDampening, ReportNoisyMax, SmoothExponential
from dampen.mechanisms.base import Mechanism
from dampen.mechanisms.noise_errors import NoiseAccuracy
from dampen.mechanisms.selection.ordered import OrderedMechanism
from dampen.privacy import PrivateAccuracy
from dampen.problem import CapProblem, CountsProblem, GroupProblem, NumericProblem
from dampen.queries.graph.centralities import CENTRALITIES
from dampen.questions.members_by_group import METHODS
from dampen.questions.record import RECORD, Single
from tests.every_mechanism import find_mechanisms
from tests.test_words import questions_of

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
DECISIONS = (0, 1, 5)
CONFIDENCES = ("1/2", "0.95")


def decide(mechanism: Any, problem: Any, decision: int) -> Any:
    """What is drawn, by a public number and the public frame alone."""
    if isinstance(problem, NumericProblem):
        return 300 * decision
    if isinstance(problem, CapProblem):
        return problem.frame.caps[decision % len(problem.frame.caps)], 300 * decision
    if isinstance(problem, CountsProblem):
        return decision - np.arange(problem.frame.size) % 2
    if isinstance(problem, GroupProblem):
        told = (np.arange(problem.frame.people) + decision) % problem.frame.kinds
        return tuple(np.flatnonzero(told == kind) for kind in range(problem.frame.kinds))
    assert isinstance(problem, SelectionProblem)
    size = len(problem.frame.candidates)
    if isinstance(mechanism, OrderedMechanism):
        return tuple((decision + place) % size for place in range(mechanism.k))
    return decision % size


@contextmanager
def decided(decision: int) -> Iterator[None]:
    """Every draw of every mechanism."""

    def draw(self: Any, problem: Any, source: object) -> Any:
        return decide(self, problem, decision)

    homes = {
        home
        for kind in find_mechanisms(dampen.mechanisms, Mechanism).values()  # type: ignore[type-abstract]
        for home in kind.__mro__
        if "draw" in vars(home)
    }
    with ExitStack() as patches:
        for home in homes:
            patches.enter_context(patch.object(home, "draw", draw))
        yield


def told_by(release: Release) -> list[Any]:
    """All that a release tells, also in words; arrays as lists."""
    known = release.accuracy
    assert known is not None, "every answer says something of its error"
    value = release.value
    if isinstance(value, dict):
        value = {label: each.tolist() if isinstance(each, np.ndarray) else each for label, each in value.items()}
    told = [type(release), value, release.loss, release.mechanism, release.note, known, str(release)]
    if not any(isinstance(each, np.ndarray) for each in _parts(release)):
        told.append(release.as_dict())
    for confidence in CONFIDENCES:
        told.append(known.statement(confidence))
        if not isinstance(known, PrivateAccuracy):
            told.append(known.bound(confidence))
    return told


def _parts(release: Release) -> Iterable[Any]:
    return release.value.values() if isinstance(release.value, dict) else ()


def require_one_release(ask: Callable[[Any], Release], data: Iterable[Any]) -> None:
    for decision in DECISIONS:
        with decided(decision):
            first, *others = (told_by(ask(each)) for each in data)
        assert others
        assert all(told == first for told in others)


# Lists


NUMBERS = {
    REPLACE: ([1, 4, 9], [1, 4, 2], [0, 0, 0], [10, 10, 10]),
    ADD_REMOVE: ([1, 4, 9], [1, 4], [], [0] * 30, [10] * 200),
}
LABELS = {
    REPLACE: (["a", "a", "b"], ["a", "c", "b"], ["c"] * 3),
    ADD_REMOVE: (["a", "a", "b"], ["a", "a"], [], ["c"] * 50),
}
SCORES: tuple[dict[str, int], ...] = ({"a": 3, "b": 1}, {"a": 3, "b": 2, "c": 9}, {}, {"c": 100})
GRAPHS = tuple(
    Graph.from_edges([a for a, _ in edges], [b for _, b in edges], nodes=6)
    for edges in ([(0, 1), (1, 2), (0, 2)], [(0, 1), (1, 2)], [], [(a, b) for a in range(6) for b in range(a)])
)
MEMBERS = (["a", "a", "b"], ["a", "b", "b"], ["c", "c", "c"])
ON_GRID: dict[str, Any] = {"bounds": (0, 10), "step": 1}


def pay(adjacency: Adjacency | None = None) -> dict[str, Any]:
    return {"epsilon": 1, "budget": Budget(epsilon=2, delta="1/2")} | (
        {} if adjacency is None else {"adjacency": adjacency}
    )


def pay_rho(adjacency: Adjacency) -> dict[str, Any]:
    return {"rho": 1, "budget": Budget(rho=2), "adjacency": adjacency}


Lists = Callable[[Any, Adjacency], Release]
OF_NUMBERS: dict[str, Lists] = {
    "count": lambda x, a: dampen.count(x, **pay(a)),
    "sum": lambda x, a: dampen.sum(x, bounds=(0, 10), **pay(a)),
    "mean": lambda x, a: dampen.mean(x, bounds=(0, 10), **pay(a)),
    "variance": lambda x, a: dampen.variance(x, bounds=(0, 10), **pay(a)),
    "median": lambda x, a: dampen.median(x, **ON_GRID, **pay(a)),
    "percentile": lambda x, a: dampen.percentile(x, 90, **ON_GRID, **pay(a)),
    "percentile by rank": lambda x, a: dampen.percentile(x, 90, **ON_GRID, **pay(a), method="rank"),
    "percentile as a number": lambda x, a: dampen.percentile(x, 90, **ON_GRID, **pay(a), method="number"),
    "percentile by softmax": lambda x, a: dampen.percentile(x, 90, **ON_GRID, **pay(a), method=Exponential),
    "percentile dampened": lambda x, a: dampen.percentile(x, 90, **ON_GRID, **pay(a), method=LocalDampening),
    "percentiles": lambda x, a: dampen.percentiles(x, (25, 75), **ON_GRID, **pay(a)),
    "percentiles by halving": lambda x, a: dampen.percentiles(x, (25, 75), **ON_GRID, **pay(a), strategy="halving"),
    "histogram": lambda x, a: dampen.histogram(x, **ON_GRID, **pay(a)),
    "count at a rho": lambda x, a: dampen.count(x, **pay_rho(a)),
    "sum at a rho": lambda x, a: dampen.sum(x, bounds=(0, 10), **pay_rho(a)),
    "mean at a rho": lambda x, a: dampen.mean(x, bounds=(0, 10), **pay_rho(a)),
    "variance at a rho": lambda x, a: dampen.variance(x, bounds=(0, 10), **pay_rho(a)),
    "median at a rho": lambda x, a: dampen.median(x, **ON_GRID, **pay_rho(a)),
    "histogram at a rho": lambda x, a: dampen.histogram(x, **ON_GRID, **pay_rho(a)),
}
OF_LABELS: dict[str, Lists] = {
    "most_common": lambda x, a: dampen.most_common(x, categories=("a", "b", "c"), **pay(a)),
    "most_common by noise": lambda x, a: dampen.most_common(
        x, categories=("a", "b", "c"), **pay(a), mechanism=ReportNoisyMax
    ),
    "most_common, smooth": lambda x, a: dampen.most_common(
        x, categories=("a", "b", "c"), **pay(a), mechanism=SmoothExponential(1, "1e-6")
    ),
    "top_categories": lambda x, a: dampen.top_categories(x, 2, categories=("a", "b", "c"), **pay(a)),
}
OF_SCORES: dict[str, Callable[[Any], Release]] = {
    "select": lambda x: dampen.select(x, sensitivity=1, candidates=("a", "b", "c"), **pay()),
    "top_k": lambda x: dampen.top_k(x, 2, sensitivity=1, candidates=("a", "b", "c"), **pay()),
}


def ask_nodes(score: str, method: str, graph: Any) -> Release:
    return dampen.top_nodes(graph, 1, score=score, method=method, **pay())


def ask_members(method: str, groups: Any) -> Release:
    ids = ["ann", "bob", "cid"]
    return dampen.release_group_members(ids, groups, categories=("a", "b", "c"), method=method, **pay())


OF_GRAPHS: dict[str, Callable[[Any], Release]] = {
    "count_subgraphs": lambda x: dampen.count_subgraphs(x, "triangle", **pay()),
    "count_subgraphs with delta": lambda x: dampen.count_subgraphs(x, "k-star", k=2, delta="1/1000", **pay()),
    "count_subgraphs: edges": lambda x: dampen.count_subgraphs(x, "edge", **pay()),
    "count_subgraphs: edges of nodes": lambda x: dampen.count_subgraphs(x, "edge", unit="node", **pay()),
    **{
        f"top_nodes by {score}, {method}": partial(ask_nodes, score, method)
        for score, centrality in CENTRALITIES.items()
        for method in centrality.methods
    },
}
OF_MEMBERS = {f"release_group_members by {method}": partial(ask_members, method) for method in METHODS}


def test_every_question_is_asked() -> None:
    asked = {*OF_NUMBERS, *OF_LABELS, *OF_SCORES, *OF_GRAPHS, *OF_MEMBERS}
    assert {name for name in RECORD if any(each.startswith(name) for each in asked)} == set(RECORD)


@pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE], ids=lambda adjacency: adjacency.value)
@pytest.mark.parametrize("name", [*OF_NUMBERS, *OF_LABELS])
def test_answers_about_lists(name: str, adjacency: Adjacency) -> None:
    """Under ``REPLACE`` the number of values is public, and the same."""
    ask, data = (OF_NUMBERS[name], NUMBERS) if name in OF_NUMBERS else (OF_LABELS[name], LABELS)
    require_one_release(lambda x: ask(x, adjacency), data[adjacency])


def test_answers_that_are_positions() -> None:
    def ask(x: Any) -> Release:
        return dampen.percentile(x, 50, bounds=(0, 10), method="label", **pay(REPLACE))

    require_one_release(ask, NUMBERS[REPLACE])


@pytest.mark.parametrize("name", OF_SCORES)
def test_answers_about_scores(name: str) -> None:
    require_one_release(OF_SCORES[name], SCORES)


@pytest.mark.parametrize("name", OF_GRAPHS)
def test_answers_about_graphs(name: str) -> None:
    require_one_release(OF_GRAPHS[name], GRAPHS)


@pytest.mark.parametrize("name", OF_MEMBERS)
def test_answers_about_members(name: str) -> None:
    require_one_release(OF_MEMBERS[name], MEMBERS)


# Tables


COLUMNS: dict[str, Any] = {
    "v": Number(0, 10, step=5),
    "g": Category("a", "b", "c"),
    "f": Flag(),
    "d": Date("2020-01-01", "2022-12-31", step="year"),
}
RECORDS = [(1, "a", True, "2020-02-02"), (9, "b", False, "2021-02-02"), (4, "a", False, "2022-02-02")]
OTHERS = {
    ADD_REMOVE: (RECORDS[:2], [], [*RECORDS, RECORDS[1]], [RECORDS[2]] * 40),
    REPLACE: ([*RECORDS[:2], (10, "c", True, "2020-01-01")], [RECORDS[2]] * 3),
}
ARGUMENTS: dict[str, Any] = {"p": 90, "ps": (25, 75), "k": 2, "epsilon": 1}
"""Of every method; the columns stand below."""
ABOUT = {"most_common": ("f",), "top_categories": ("g",), "histogram": ("v", "d"), "median": ("v", "d")}
IN_TABLES = sorted(questions_of(Table) - {"release_group_members"})
NEED_THE_NUMBER = ("mean", "variance", "median", "percentile", "percentiles")
"""Under ``REPLACE`` they refuse a filter."""


def as_table(records: list[Any], adjacency: Adjacency) -> Table:
    data = {name: [record[place] for record in records] for place, name in enumerate(COLUMNS)}
    return Table(data, columns=COLUMNS, budget=Budget(epsilon=1000), adjacency=adjacency)


def asking(name: str, column: str) -> Callable[[Any], Release]:
    def ask(asked: Any) -> Release:
        method = getattr(asked, name)
        given = ARGUMENTS | {"column": column}
        known = inspect.signature(method).parameters.values()
        needed = [each for each in known if each.default is each.empty or each.name == "epsilon"]
        release: Release = method(**{each.name: given[each.name] for each in needed})
        return release

    return ask


@pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE], ids=lambda adjacency: adjacency.value)
@pytest.mark.parametrize("name", IN_TABLES)
def test_answers_about_tables(name: str, adjacency: Adjacency) -> None:
    tables = [as_table(records, adjacency) for records in (RECORDS, *OTHERS[adjacency])]
    for column in ABOUT.get(name, ("v",)):
        ask = asking(name, column)
        require_one_release(ask, tables)
        if adjacency is REPLACE and name in NEED_THE_NUMBER:
            with pytest.raises(ParameterError, match="REPLACE"):
                ask(tables[0].where(f=False))
        else:
            require_one_release(lambda table, ask=ask: ask(table.where(f=False)), tables)  # type: ignore[misc]


@pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE], ids=lambda adjacency: adjacency.value)
@pytest.mark.parametrize("name", sorted(questions_of(GroupedTable)))
def test_answers_about_groups(name: str, adjacency: Adjacency) -> None:
    tables = [as_table(records, adjacency) for records in (RECORDS, *OTHERS[adjacency])]
    for column in ABOUT.get(name, ("v",)):
        ask = asking(name, column)
        for by in (("g",), ("g", "f")) if column != "f" else (("g",),):
            require_one_release(lambda table, ask=ask, by=by: ask(table.by(*by)), tables)  # type: ignore[misc]
        require_one_release(
            lambda table, ask=ask: ask(table.where(d=between("2021-01-01", None)).by("g")),  # type: ignore[misc]
            tables,
        )


PRIVATE: dict[str, Callable[[GroupedTable], Release]] = {
    "median as a number": lambda groups: groups.median("v", epsilon=1, method="number"),
    "counts that add up": lambda groups: groups.count(epsilon=1, consistent=True),
}


@pytest.mark.parametrize("name", PRIVATE)
def test_groups_whose_error_is_private_say_so(name: str) -> None:
    """They can be printed and written as all others."""
    tables = [as_table(records, ADD_REMOVE) for records in (RECORDS, *OTHERS[ADD_REMOVE])]
    require_one_release(lambda table: PRIVATE[name](table.by("g")), tables)
    release = PRIVATE[name](tables[0].by("g"))
    assert isinstance(release.accuracy, PrivateAccuracy)
    assert release.as_dict()["error"] == {"statement": release.accuracy.reason}
    with pytest.raises(ParameterError, match=release.accuracy.reason[:20]):
        release.error()


# Planted faults


def test_an_accuracy_that_sees_the_problem_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    build = Single.build

    def leaky(self: Any, drawn: Any, loss: Any, note: str) -> Any:
        release = build(self, drawn, loss, note)
        known = release.accuracy
        assert isinstance(known, NoiseAccuracy)
        return replace(release, accuracy=replace(known, largest=1000 + self.problem.value))

    require_one_release(lambda x: OF_NUMBERS["count"](x, ADD_REMOVE), NUMBERS[ADD_REMOVE])
    monkeypatch.setattr(Single, "build", leaky)
    with pytest.raises(AssertionError):
        require_one_release(lambda x: OF_NUMBERS["count"](x, ADD_REMOVE), NUMBERS[ADD_REMOVE])


def test_an_error_that_knows_the_number_of_records_is_caught() -> None:
    """Under ``REPLACE`` that number is public. Where it differs, as it must not between neighbours, it is seen."""
    with pytest.raises(AssertionError):
        require_one_release(lambda x: OF_NUMBERS["mean"](x, REPLACE), ([1, 4, 9], [1, 4]))
