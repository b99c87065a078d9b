"""Wrong arguments of the auditor: one sentence each, which names what is wanted."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from dampen import Adjacency, Frame, NumericFrame, NumericProblem, SelectionProblem
from dampen.audit import (
    ScriptedEntropy,
    add_remove_neighbours,
    audit_admissibility,
    audit_draw,
    audit_numeric,
    audit_selection,
    classify,
    dominates,
    law_by_enumeration,
    multisets,
)
from dampen.errors import NotPublic, ParameterError
from dampen.mechanisms import Laplace, PermuteAndFlip
from dampen.sensitivity import Constant
from tests.conftest import Refused

FRAME = Frame(("a", "b"), bound=1, adjacency=Adjacency.ADD_REMOVE, monotone=True)
NUMBER = NumericProblem(NumericFrame(1, Adjacency.ADD_REMOVE), 3).as_public()


def votes(x: tuple[str, ...]) -> SelectionProblem:
    return SelectionProblem(FRAME, [x.count("a"), x.count("b")])


def size(x: tuple[str, ...]) -> NumericProblem:
    return NumericProblem(NUMBER.frame, len(x))


TABLES = multisets("ab", largest=2)
NEIGHBOURS = add_remove_neighbours("ab")
PUBLIC = votes(("a",)).as_public()
Audit = Callable[..., object]
AUDITS: dict[str, Audit] = {
    "selection": lambda problem_of=votes, universe=TABLES, neighbours=NEIGHBOURS: audit_selection(
        PermuteAndFlip(1), problem_of, universe, neighbours
    ),
    "numeric": lambda problem_of=size, universe=TABLES, neighbours=NEIGHBOURS: audit_numeric(
        Laplace(1), problem_of, universe, neighbours
    ),
    "admissibility": lambda problem_of=votes, universe=TABLES, neighbours=NEIGHBOURS: audit_admissibility(
        problem_of, universe, neighbours, 2
    ),
}
each_audit = pytest.mark.parametrize("audit", AUDITS.values(), ids=AUDITS)


@each_audit
def test_with_right_arguments_it_passes(audit: Audit) -> None:
    assert audit()


def drawn_by_hand(problem: SelectionProblem) -> int:
    return 0


@pytest.mark.parametrize(
    "mechanism",
    [drawn_by_hand, PermuteAndFlip, None, "PermuteAndFlip", Laplace(1)],
    ids=["function", "class", "none", "name", "number"],
)
def test_a_selection_is_audited_of_a_selection_mechanism(mechanism: Any, refused: Refused) -> None:
    with refused(ParameterError, "mechanism must be a SelectionMechanism, such as PermuteAndFlip(epsilon=1); got"):
        audit_selection(mechanism, votes, TABLES, NEIGHBOURS)


@pytest.mark.parametrize(
    "mechanism", [drawn_by_hand, Laplace, None, PermuteAndFlip(1)], ids=["function", "class", "none", "selection"]
)
def test_a_number_is_audited_of_a_numeric_mechanism(mechanism: Any, refused: Refused) -> None:
    with refused(ParameterError, "mechanism must be a NumericMechanism, such as Laplace(epsilon=1); got"):
        audit_numeric(mechanism, size, TABLES, NEIGHBOURS)


@each_audit
@pytest.mark.parametrize("problem_of", [None, PUBLIC, [1, 2]], ids=["none", "problem", "list"])
def test_problems_are_posed_by_a_function(audit: Audit, problem_of: Any, refused: Refused) -> None:
    with refused(ParameterError, "problem_of must be a function from a data set to its problem; got"):
        audit(problem_of=problem_of)


@pytest.mark.parametrize("name", AUDITS)
def test_what_is_posed_is_a_problem(name: str, refused: Refused) -> None:
    other = size if name != "numeric" else votes
    kind = "NumericProblem" if name == "numeric" else "SelectionProblem"
    for problem_of in (other, lambda x: [1, 2], lambda x: None):
        with refused(ParameterError, f"problem_of must return a {kind}; it returned"):
            AUDITS[name](problem_of=problem_of)


@each_audit
@pytest.mark.parametrize("universe", [None, 5, votes], ids=["none", "number", "function"])
def test_a_universe_is_made_of_data_sets(audit: Audit, universe: Any, refused: Refused) -> None:
    with refused(ParameterError, "universe must be data sets in a list or another iterable; got"):
        audit(universe=universe)


@each_audit
def test_neighbours_are_found_by_a_function(audit: Audit, refused: Refused) -> None:
    with refused(ParameterError, "neighbours must be a function from a data set to its neighbours; got"):
        audit(neighbours=TABLES)


@each_audit
@pytest.mark.parametrize("neighbours", [add_remove_neighbours, lambda x: 5], ids=["without its domain", "number"])
def test_a_data_set_has_several_neighbours(audit: Audit, neighbours: Any, refused: Refused) -> None:
    with refused(ParameterError, "neighbours must return data sets in an iterable; it returned"):
        audit(neighbours=neighbours)


@each_audit
def test_data_sets_are_hashable(audit: Audit, refused: Refused) -> None:
    with refused(ParameterError, "data sets must be hashable, such as tuples of records; got a list"):
        audit(universe=[["a"]])
    with refused(ParameterError, "data sets must be hashable, such as tuples of records; got a list"):
        audit(neighbours=lambda x: [["b"]])


@each_audit
def test_a_universe_without_a_pair_tells_nothing(audit: Audit, refused: Refused) -> None:
    with refused(ParameterError, "at least one data set that has a neighbour"):
        audit(universe=[])
    with refused(ParameterError, "at least one data set that has a neighbour"):
        audit(neighbours=lambda x: [x])


@each_audit
def test_a_universe_may_be_read_once(audit: Audit) -> None:
    assert audit(universe=iter(TABLES))


WRONG_DRAWS: dict[str, tuple[Callable[[], object], str]] = {
    "function": (partial(audit_draw, drawn_by_hand, PUBLIC), "mechanism must be a SelectionMechanism, a Numeric"),  # type: ignore[arg-type]
    "class": (partial(audit_draw, PermuteAndFlip, PUBLIC), "mechanism must be a SelectionMechanism, a Numeric"),  # type: ignore[arg-type]
    "other problem": (partial(audit_draw, PermuteAndFlip(1), NUMBER), "problem must be a SelectionProblem; got"),
    "other number": (partial(audit_draw, Laplace(1), PUBLIC), "problem must be a NumericProblem; got"),
    "data": (partial(audit_draw, Laplace(1), [1, 2]), "problem must be a NumericProblem; got a list"),  # type: ignore[arg-type]
    "depth": (partial(audit_draw, Laplace(1), NUMBER, depth=-1), "depth must be a whole number of at least 0"),
    "draws": (partial(audit_draw, PermuteAndFlip(1), PUBLIC, draws="many"), "draws must be a whole number"),  # type: ignore[arg-type]
    "few draws": (partial(audit_draw, PermuteAndFlip(1), PUBLIC, draws=2000), "draws must be at least 2450"),
}


@pytest.mark.parametrize(("audit", "said"), WRONG_DRAWS.values(), ids=WRONG_DRAWS)
def test_draws_are_audited_of_a_mechanism_and_its_problem(
    audit: Callable[[], object], said: str, refused: Refused
) -> None:
    with refused(ParameterError, said):
        audit()


def test_draws_of_a_private_problem_are_not_audited(refused: Refused) -> None:
    with refused(NotPublic, "audit_draw"):
        audit_draw(PermuteAndFlip(1), votes(("a", "a")))
    with refused(NotPublic, "audit_draw"):
        audit_draw(Laplace(1), size(("a", "a")))


OTHERS: dict[str, tuple[Callable[[], object], str]] = {
    "classify": (partial(classify, votes), "problem must be a SelectionProblem; got"),  # type: ignore[arg-type]
    "dominates": (
        partial(dominates, votes, Constant(1, size=2), direction="up", horizon=1),  # type: ignore[arg-type]
        "problem must be a SelectionProblem; got",
    ),
    "dominates by": (
        partial(dominates, PUBLIC, 1, direction="up", horizon=1),  # type: ignore[arg-type]
        "other must be a SensitivityFunction; got 1",
    ),
    "multisets": (partial(multisets, [1, "a"], largest=2), "domain must be values that can be sorted; got a list"),
    "no domain": (partial(multisets, None, largest=2), "domain must be values that can be sorted; got None"),  # type: ignore[arg-type]
    "enumeration": (partial(law_by_enumeration, 5, depth=2), "draw must be a function from a source of entropy"),  # type: ignore[arg-type]
    "depth": (partial(law_by_enumeration, lambda source: 0, depth=-1), "depth must be a whole number of at least 0"),
    "script": (partial(ScriptedEntropy, [0, 2]), "script must be a sequence of bits, 0 and 1; got a list"),
    "no script": (partial(ScriptedEntropy, 5), "script must be a sequence of bits, 0 and 1; got 5"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize(("call", "said"), OTHERS.values(), ids=OTHERS)
def test_the_rest_of_the_room(call: Callable[[], object], said: str, refused: Refused) -> None:
    with refused(ParameterError, said):
        call()
