"""The record: everything in it can be asked, and its frame and its price are those of the answer, without data."""

import inspect
from collections.abc import Callable
from itertools import chain, combinations, product
from pathlib import Path
from typing import Any

import pytest

import dampen
from dampen import Adjacency, Budget, questions
from dampen.errors import DataError, ParameterError, ReleaseFailed
from dampen.front.groups import GroupedTable
from dampen.privacy import PrivacyLoss, Release
from dampen.questions.record import RECORD, Arguments, Composite
from dampen.tables.engines import Source
from docs.generate_commands import questions_table
from tests.errors.questions import QUESTIONS, ROWS, applications, good_columns, good_data

ROOT = Path(__file__).parents[3]


class Recording:
    """A payer that writes down what it is asked to pay."""

    def __init__(self) -> None:
        self.losses: list[PrivacyLoss] = []
        self.budget = Budget(epsilon=10)

    def reserve(self, loss: PrivacyLoss, *, note: str = "") -> Any:
        self.losses.append(loss)
        return self.budget.reserve(loss, note=note)


NODES = 20


def public_arguments(name: str) -> dict[str, Any]:
    more = {"candidates": ("a", "b", "c")} if name in ("select", "top_k") else {}
    return {**QUESTIONS[name].public, **more, "epsilon": 1}


def private_arguments(name: str, *, in_table: bool) -> dict[str, Any]:
    """Columns as they are, or a source that names its column, as a table asks."""
    columns, asked = good_columns(), QUESTIONS[name]
    if not in_table or not asked.reads:
        return asked.given(good_data(name))
    return asked.given({column: Source(columns, column=column, missing="refuse") for column in asked.reads})


def sides(name: str, adjacency: Adjacency | None) -> dict[str, Any]:
    return {} if adjacency is None or "adjacency" not in RECORD[name].parameters else {"adjacency": adjacency}


def test_every_question_is_listed_once_and_nowhere_else() -> None:
    assert set(RECORD) == set(questions.__all__) == {name for name in QUESTIONS if name.isidentifier()}
    assert set(RECORD) < set(dampen.__all__)
    for name, question in RECORD.items():
        assert question.name == name
        assert question.ask is getattr(dampen, name) is getattr(questions, name)


def test_the_names_for_type_checkers_are_those_of_the_record() -> None:
    lines = (ROOT / "src" / "dampen" / "__init__.py").read_text().splitlines()
    typed = [line.split()[-1] for line in lines if line.startswith("    from dampen") and " import " in line]
    assert sorted(typed) == dampen.__all__


def test_all_names_can_be_imported_at_once() -> None:
    namespace: dict[str, Any] = {}
    exec("from dampen import *", namespace)
    assert set(dampen.__all__) <= set(namespace)


@pytest.mark.parametrize("name", RECORD)
def test_public_parameters(name: str) -> None:
    parameters = RECORD[name].parameters
    everything = list(inspect.signature(RECORD[name].ask).parameters)
    assert [*everything[:1], *parameters] == [word for word in everything if word not in ("budget", "note")]
    assert {"budget", "note"} <= set(everything)
    assert "epsilon" in parameters


@pytest.mark.parametrize("name", RECORD)
def test_a_public_function_says_what_it_returns(name: str) -> None:
    assert "Posed" not in str(inspect.signature(RECORD[name].ask).return_annotation)


@pytest.mark.parametrize("adjacency", [None, Adjacency.REPLACE])
@pytest.mark.parametrize("in_table", [False, True], ids=["columns", "table"])
@pytest.mark.parametrize("name", RECORD)
def test_frame_and_price_are_those_of_the_answer(name: str, in_table: bool, adjacency: Adjacency | None) -> None:
    question, public = RECORD[name], public_arguments(name) | sides(name, adjacency)
    private = private_arguments(name, in_table=in_table)
    payer = Recording()
    question.ask(**{**public, **private}, budget=payer)
    posed = question.pose(**{**public, **private})
    records = NODES if "graph" in private else ROWS
    assert payer.losses == [question.price(records=records, **public)] == [posed.loss]
    assert repr(question.frame(records=records, **public)) == repr(posed.frame)


def test_posing_costs_nothing() -> None:
    posed = RECORD["median"].pose([1, 2, 3], bounds=range(9), epsilon=1)
    assert posed.loss == PrivacyLoss(1, adjacency=Adjacency.ADD_REMOVE)
    budget = Budget(epsilon=1)
    assert posed.release(budget, "twice").value in range(9)
    assert budget.spent.epsilon == 1


def test_what_must_be_public_to_have_a_price(refused: Any) -> None:
    with refused(ParameterError, "candidates must be declared"):
        RECORD["select"].price(sensitivity=1, epsilon=1)
    with refused(ParameterError, "nodes must be a count"):
        RECORD["top_nodes"].price(k=1, epsilon=1)
    with refused(ParameterError, "records"):
        RECORD["median"].price(bounds=range(9), epsilon=1, records=-1)
    with refused(ParameterError, "epsilon"):
        RECORD["median"].price(bounds=range(9), epsilon=0)


def test_a_graph_has_a_price_by_its_number_of_nodes() -> None:
    assert RECORD["count_subgraphs"].frame(records=30, epsilon=1).bound == 28


MOST_WORDS = 7
"""A question with more keywords than this asks for a table, which is described once."""
SCORES = ("select", "top_k")
"""They take scores of any kind, so their sensitivity, monotony and candidates must be told each time."""

LISTS_OF_NODES = ("top_nodes", "Graph.top_nodes")
"""They may tell scores too, which is one word more: a graph is described once already."""


def keywords(function: Callable[..., Any]) -> list[str]:
    """All but rho, which stands in the place of epsilon."""
    parameters = inspect.signature(function).parameters.values()
    return [each.name for each in parameters if each.kind is inspect.Parameter.KEYWORD_ONLY and each.name != "rho"]


@pytest.mark.parametrize("name", [name for name in applications() if name not in (*SCORES, *LISTS_OF_NODES)])
def test_no_question_has_more_than_seven_keywords(name: str) -> None:
    kinds = {"Table.by": GroupedTable, "Table": dampen.Table, "Graph": dampen.Graph}
    kind, _, method = name.rpartition(".")
    ask = getattr(kinds[kind], method) if kind else getattr(dampen, name)
    assert "epsilon" in keywords(ask)
    assert len(keywords(ask)) <= MOST_WORDS


def test_questions_of_scores_have_no_more_keywords_than_they_need() -> None:
    for ask in (*(getattr(dampen, name) for name in (*SCORES, "top_nodes")), dampen.Graph.top_nodes):
        assert len(keywords(ask)) == MOST_WORDS + 1


def test_wrong_calls_fail_as_those_of_any_function() -> None:
    with pytest.raises(TypeError, match=r"median.* missing 1 required keyword-only argument: 'budget'"):
        dampen.median([1], bounds=range(3), epsilon=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'grids'"):
        dampen.median([1], grids=range(3), epsilon=1, budget=Budget(epsilon=1))  # type: ignore[call-arg]


@pytest.mark.parametrize("name", RECORD)
def test_every_question_has_a_proof_page(name: str) -> None:
    assert (ROOT / "docs" / "proofs" / f"{RECORD[name].proof}.md").exists()


def test_the_guide_shows_the_record() -> None:
    assert questions_table() in (ROOT / "docs" / "guide.md").read_text()


class Odd:
    """What tells its secret when it is touched."""

    def __hash__(self) -> int:
        raise ValueError("secret 97")


def test_posing_says_nothing_of_data_either() -> None:
    with pytest.raises(DataError) as caught:
        RECORD["release_group_members"].pose([Odd(), Odd()], ["a", "b"], categories=("a", "b"), epsilon=1)
    assert "97" not in str(caught.value)


def test_what_is_built_of_draws_is_built_where_nothing_can_leave() -> None:
    def build(*_: object) -> Release:
        raise ValueError("secret 17")

    loss = PrivacyLoss(1, adjacency=Adjacency.ADD_REMOVE)
    with pytest.raises(ReleaseFailed) as caught:
        Composite(None, loss, lambda _: 1, build).release(Budget(epsilon=1), "")
    assert caught.value.__context__ is None


def test_arguments_fit_exactly_where_python_would_take_them() -> None:
    def pose(a: int, b: int = 1, *, c: int, d: int = 2) -> None: ...

    signature = inspect.signature(pose)
    for count, names in product(range(4), chain.from_iterable(combinations("abcde", size) for size in range(6))):
        data, public = (0,) * count, dict.fromkeys(names, 0)
        try:
            signature.bind(*data, **public)
            taken = True
        except TypeError:
            taken = False
        assert Arguments(signature).fit(data, public) is taken
