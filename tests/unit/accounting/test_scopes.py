"""The names of the parts of a budget."""

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from dampen.accounting.scopes import branch_of, child_of, within
from dampen.errors import ParameterError

if TYPE_CHECKING:
    from tests.conftest import Refused


def test_a_child_is_named_below_its_parent() -> None:
    assert child_of("", "analyst", "ann") == "analyst=ann"
    assert child_of("analyst=ann", "project", "the census") == "analyst=ann/project=the census"
    assert child_of("", "Abteilung", "Köln 数据 🎉") == "Abteilung=Köln 数据 🎉"
    assert child_of("", "k" * 100, "n" * 100) == "k" * 100 + "=" + "n" * 100


@pytest.mark.parametrize(
    "wrong",
    ["", " ", " ann", "ann ", "a/b", "a=b", "a\nb", "\x1b[1m", "\ud800", "\u00a0ann", "x" * 101, None, 5, b"ann", True],
    ids=lambda value: ascii(value)[:12],
)
def test_a_wrong_word_is_refused_by_its_argument(wrong: Any, refused: "Refused") -> None:
    with refused(ParameterError, "name must be"):
        child_of("", "analyst", wrong)
    with refused(ParameterError, "kind must be"):
        child_of("", wrong, "ann")


@pytest.mark.parametrize(
    ("scope", "branch"),
    [
        ("", ("",)),
        ("a=b", ("", "a=b")),
        ("a=b/c=d/e=f", ("", "a=b", "a=b/c=d", "a=b/c=d/e=f")),
    ],
)
def test_a_branch_runs_from_the_whole_to_the_scope(scope: str, branch: tuple[str, ...]) -> None:
    assert branch_of(scope) == branch


def test_no_two_paths_have_one_name() -> None:
    words = ["a", "b", "a b", "ä", "[x]", "%", "_", "'"]
    names = [child_of(parent, kind, name) for kind in words for name in words for parent in ("", "a=b", "a=b/c=d")]
    assert len(set(names)) == len(names)


NAMES = [
    "",
    "a=b",
    "a=bc",
    "a=b c",
    "a=b/c=d",
    "a=b/c=d/e=f",
    "A=B",
    "a=%",
    "a=_",
    "a=_/c=d",
    "ä=🎉",
    "ä=🎉/x=y",
    "a=b'",
]


@pytest.mark.parametrize("scope", NAMES)
def test_within_finds_a_scope_and_those_below_it_and_no_other(scope: str) -> None:
    where, parameters = within(scope)
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE TABLE rows (scope TEXT)")
        db.executemany("INSERT INTO rows VALUES (?)", [(name,) for name in NAMES])
        found = {name for [name] in db.execute(f"SELECT scope FROM rows WHERE {where}", parameters)}
    assert found == {name for name in NAMES if scope in branch_of(name)}
