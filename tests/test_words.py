"""One word for one thing: in the library, in the command, in the notes of a ledger and in description files.

What differs is listed here with its reason, and nothing else may.
"""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import typer

import dampen
from dampen import Adjacency, Category, Database, FileReading, Flag, Graph, Number, PrivacyLoss, Table
from dampen.cli.app import app
from dampen.cli.verbs import VERBS
from dampen.describe.columns import COLUMNS
from dampen.describe.description import GRAPH, KEYS, Description
from dampen.describe.plain import NEEDED, WORDS
from dampen.front.groups import GroupedTable
from dampen.front.unknown_groups import UnknownGroups
from dampen.graphs import graph as plain_graphs
from dampen.questions.record import RECORD

OF_LISTS_ALONE = {
    "select": "candidates and their scores are no table",
    "top_k": "candidates and their scores are no table",
}
OF_GRAPHS = {"top_nodes": "top_nodes", "count_subgraphs": "count"}
"""The questions of graphs and the methods that ask them. Whoever counts in a graph counts patterns."""
NOT_BY_GROUP = {
    "variance": "of one group, ask with where",
    "top_categories": "of one group, ask with where",
    "release_group_members": "it is asked of groups already",
}
SEVERAL = {
    "percentiles": ("percentile", "--p may be given several times"),
    "top_categories": ("most-common", "--k says how many"),
    "count_subgraphs": ("count", "of a file of edges with --pattern"),
}
"""Questions that a verb asks beside the one that it is named after: which verb, and why."""
GONE = [
    *("total", "quantiles", "quantile_number", "mode", "counts"),
    *("group_by", "group_counts", "group_percentiles", "group_most_common"),
]


def asks(method: Any) -> bool:
    """Whether a method asks a question: it takes an epsilon by name."""
    known = inspect.signature(method).parameters if inspect.isfunction(method) else {}
    return "epsilon" in known and known["epsilon"].kind is inspect.Parameter.KEYWORD_ONLY


def questions_of(kind: type) -> set[str]:
    return {name for name, method in vars(kind).items() if not name.startswith("_") and asks(method)}


def parameters(function: Callable[..., Any]) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name != "self"]


# The library


def test_every_question_is_a_function_of_the_library() -> None:
    assert set(RECORD) <= set(dampen.__all__)
    assert all(question.ask.__name__ == name for name, question in RECORD.items())


def test_methods_have_the_names_of_the_functions() -> None:
    assert questions_of(Table) == set(RECORD) - set(OF_LISTS_ALONE) - set(OF_GRAPHS)
    assert questions_of(GroupedTable) == questions_of(Table) - set(NOT_BY_GROUP)
    assert questions_of(Graph) == set(OF_GRAPHS.values())


TABLE_WORDS = {
    "column": "what a table is asked about; a list has none",
    "id": "the column of the ids",
    "by": "the column of the groups",
    "public": "the columns that a filter may name where ids come out; a list has no filter",
    "of": "rows or persons, where persons have several rows; a list has one value each",
    "cap": "where what a person has is cut",
    "bounds": "in place of those described; of a list they are said in any case",
    "leading_bits": "of answers without bounds; a list has them in its grid, dampen.unbounded_grid",
}
UNBOUNDED = {"few", "centre", "bars"}
"""How bounds are found privately, which is not asked by group."""
GROUP_WORDS = {"non_negative": "counts alone", "consistent": "counts alone"}
GIVEN_BY_THE_TABLE = {
    "values", "ids", "groups", "graph", "bounds", "step", "unit", "categories", "budget", "adjacency"
}  # fmt: skip
"""What the description of a table says, or the table is."""


@pytest.mark.parametrize("name", sorted(questions_of(Table)))
def test_methods_have_the_parameters_of_the_functions(name: str) -> None:
    function = set(parameters(RECORD[name].ask)) - GIVEN_BY_THE_TABLE
    assert set(parameters(getattr(Table, name))) - set(TABLE_WORDS) == function
    if name not in NOT_BY_GROUP:
        assert (
            set(parameters(getattr(GroupedTable, name))) - set(TABLE_WORDS) - set(GROUP_WORDS) == function - UNBOUNDED
        )


def test_methods_of_graphs_have_the_parameters_of_the_functions() -> None:
    for question, method in OF_GRAPHS.items():
        assert set(parameters(getattr(Graph, method))) == set(parameters(RECORD[question].ask)) - {"graph"}


@pytest.mark.parametrize("name", GONE)
def test_old_words_are_gone(name: str) -> None:
    assert not hasattr(dampen, name)
    assert not hasattr(Table, name)
    assert name not in RECORD
    assert name.replace("_", "-") not in verbs()


# The command


def verbs() -> dict[str, Any]:
    """Every verb that may be typed."""
    return dict(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


def test_verbs_have_the_names_of_the_questions() -> None:
    asked = {question: verb.name for verb in VERBS for question in verb.asks}
    assert set(asked) == set(RECORD)
    assert set(asked.values()) <= set(verbs())
    for question, verb in asked.items():
        assert verb == SEVERAL[question][0] if question in SEVERAL else verb == question.replace("_", "-")
    assert {verb for verb, _ in SEVERAL.values()} <= {name.replace("_", "-") for name in RECORD}


def test_verbs_that_ask_nothing_have_no_name_of_a_question() -> None:
    asking = {verb.name for verb in VERBS if verb.asks}
    assert not {name.replace("-", "_") for name in set(verbs()) - asking} & set(RECORD)


OPTIONS = {
    "file": "the table or graph, or its description",
    "name": "COLUMN, the same as --column",
    "where": "Table.where",
    "groups": "all values of a --by column: without a description there are several columns to describe",
    "no_header": "header=False of a FileReading: a flag is typed for what is not usual",
    "nodes_from_edges": "that a graph has no other nodes must be said by hand",
    "label": "the column of the candidates in a file of scores, which is a mapping in the library",
    "score": "the column of the scores in such a file",
    "real": "scores of a mapping are whole or real by their type, and texts have none",
    "scope": "the part of a ledger that pays",
    "as_json": "how the answer is written: --json",
    "out": "where the answer is written",
    "public": "that the data may be shown",
    "table": "Database.table: a description may have several",
    "show_law": "what is shown then",
}
"""What may be typed at a verb and is no parameter of the library: why."""


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb.asks], ids=lambda verb: verb.name)
def test_options_have_the_names_of_parameters(verb: Any) -> None:
    known = {name for question in RECORD.values() for name in question.parameters} - {"groups"}
    known |= {*parameters(Table.__init__), *parameters(FileReading), *parameters(Number), *parameters(Category)}
    known |= {*TABLE_WORDS, *GROUP_WORDS, *GRAPH, "note", *parameters(UnknownGroups.count)}
    typed = {option.name for option in verbs()[verb.name].params}
    assert typed - known - set(OPTIONS) == set()


def test_every_other_option_is_there() -> None:
    typed = {option.name for verb in VERBS if verb.asks for option in verbs()[verb.name].params}
    assert set(OPTIONS) <= typed


def test_the_command_spells_adjacencies_as_descriptions_do() -> None:
    spelt = {
        choice
        for verb in VERBS
        for option in verbs()[verb.name].params
        if option.name == "adjacency"
        for choice in option.type_descriptor.choices
    }
    words = {choice.value.replace("-", "_") for choice in spelt}
    assert words == {Adjacency.ADD_REMOVE.value, Adjacency.REPLACE.value}
    assert Description({"f": Flag()}, adjacency="replace").adjacency is Adjacency.REPLACE


# The ledger


class Notes:
    """A budget that pays for everything and keeps the notes."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    @contextmanager
    def reserve(self, loss: PrivacyLoss, *, note: str = "") -> Iterator[None]:
        self.notes.append(note)
        yield


ROWS = {"pay": [1, 2, 3], "team": ["lab", "lab", "sales"], "smoker": [True, False, True], "name": ["ann", "bob", "cid"]}
ARGUMENTS: dict[str, Any] = {"p": 90, "ps": (25, 75), "k": 1, "id": "name", "by": "team", "epsilon": 1}
OF_LABELS = ("most_common", "top_categories")


def note_of(kind: str, name: str) -> str:
    """The note of a question that was asked without one."""
    paid = Notes()
    columns: dict[str, Any] = {"pay": Number(0, 10, step=1), "team": Category("sales", "lab"), "smoker": Flag()}
    table = Table(ROWS, columns=columns, budget=paid)
    graph = Graph.from_edges([0, 1], [1, 2], nodes=3).paid_by(paid)
    asked = {"table": table, "groups": table.by("smoker"), "graph": graph}[kind]
    given = ARGUMENTS | {"column": "team" if name in OF_LABELS else "pay"}
    method = getattr(asked, name)
    known = inspect.signature(method).parameters.values()
    needed = [each.name for each in known if each.default is inspect.Parameter.empty or each.name == "epsilon"]
    method(**{word: given[word] for word in needed})
    [note] = paid.notes
    return note


METHODS = [
    *(("table", name) for name in sorted(questions_of(Table))),
    *(("groups", name) for name in sorted(questions_of(GroupedTable))),
    *(("graph", name) for name in sorted(questions_of(Graph))),
]


@pytest.mark.parametrize(("kind", "name"), METHODS, ids=str)
def test_notes_begin_with_the_name_of_the_method(kind: str, name: str) -> None:
    assert note_of(kind, name).split()[0] == name


@pytest.mark.parametrize("name", sorted(RECORD))
def test_notes_of_functions_are_their_names(name: str) -> None:
    assert inspect.signature(RECORD[name].ask).parameters["note"].default == name


def test_the_histogram_of_a_category_is_remembered_as_the_count_by_it() -> None:
    """The one question that has two names: whoever asks it under the other one need not pay again."""
    paid = Notes()
    table = Table(ROWS, columns={"team": Category("sales", "lab")}, budget=paid)
    table.histogram("team", epsilon=1)
    table.by("team").count(epsilon=1)
    one, other = paid.notes
    assert one == other
    assert one.split()[0] == "count"


# The description


SPELT_TOGETHER = {"bounds": ("lo", "hi")}
"""Two parameters of a constructor that a file tells as one list, under the word of the functions."""


def test_kinds_have_the_names_of_the_classes() -> None:
    assert all(made.__name__.lower() == kind for kind, made in COLUMNS.items())
    assert {made.__name__ for made in COLUMNS.values()} <= set(dampen.__all__)
    assert set(WORDS) == set(COLUMNS)
    assert set(NEEDED) <= set(COLUMNS)


@pytest.mark.parametrize("kind", COLUMNS)
def test_keys_of_columns_are_parameters(kind: str) -> None:
    spelt = [word for key in WORDS[kind] for word in SPELT_TOGETHER.get(key, (key,))]
    assert spelt == parameters(COLUMNS[kind])


def test_bounds_are_a_word_of_the_functions() -> None:
    for name in ("median", "sum", "mean", "variance", "histogram"):
        assert {"bounds"} <= set(parameters(RECORD[name].ask))
    assert {"step"} <= set(parameters(RECORD["histogram"].ask))
    assert {"unit"} <= set(parameters(RECORD["sum"].ask)) & set(parameters(RECORD["variance"].ask))


OF_DESCRIPTIONS = {
    "ledger": "the file of a budget, which only an open one can be",
    "graph": "a graph is not a table, and is described in its place",
}
OF_TABLES = {"budget": "the ledger, opened", "name": "a file has one: its path"}


def test_keys_of_a_description_are_parameters_of_a_table() -> None:
    described = {*parameters(Table.__init__), *parameters(Database.__init__)}
    assert set(KEYS) - set(OF_DESCRIPTIONS) == described - set(OF_TABLES)
    assert set(KEYS) == set(parameters(Description)) - {"folder"}


def test_keys_of_reading_are_parameters_of_a_file_reading() -> None:
    for word in parameters(FileReading):
        value = {"delimiter": ";", "decimal": ",", "na": ["-"], "encoding": "utf-8", "header": False}[word]
        assert Description({"f": Flag()}, reading={word: value}).reading.keys() == {word}


def test_keys_of_graphs_are_parameters_of_their_files() -> None:
    assert set(GRAPH) <= set(parameters(plain_graphs.Graph.from_file))


# That differences are seen


def test_another_word_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def total(self: Table, column: str, *, epsilon: Any, note: str | None = None) -> Any:
        raise NotImplementedError

    monkeypatch.setattr(Table, "total", total, raising=False)
    assert questions_of(Table) != set(RECORD) - set(OF_LISTS_ALONE) - set(OF_GRAPHS)
    monkeypatch.setitem(WORDS, "number", ("range", *WORDS["number"][1:]))
    with pytest.raises(AssertionError):
        test_keys_of_columns_are_parameters("number")
    monkeypatch.setitem(RECORD, "total", RECORD["sum"])
    with pytest.raises(AssertionError):
        test_verbs_have_the_names_of_the_questions()
