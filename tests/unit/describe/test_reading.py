"""How a file is written is declared: what is no such declaration is refused, and two names of an encoding are one."""

from typing import TYPE_CHECKING, Any

import pytest

from dampen.describe.nearest import nearest
from dampen.describe.reading import PLAIN, FileReading
from dampen.errors import ParameterError

if TYPE_CHECKING:
    from tests.conftest import Refused


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"delimiter": ""}, "delimiter must be one character"),
        ({"delimiter": ";;"}, "delimiter must be one character"),
        ({"delimiter": '"'}, "neither a quote nor a line end"),
        ({"delimiter": "\n"}, "neither a quote nor a line end"),
        ({"delimiter": 3}, "delimiter must be one character"),
        ({"decimal": "'"}, "decimal must be one of '.', ','"),
        ({"na": [1]}, "na must be texts"),
        ({"na": 5}, "na must be texts"),
        ({"encoding": "klingon"}, "encoding must be one that Python knows"),
        ({"encoding": "hex"}, "encoding must be one that Python knows"),
        ({"encoding": "a\0b"}, "encoding must be one that Python knows"),
        ({"encoding": None}, "encoding must be one that Python knows"),
        ({"header": 0}, "header must be True or False"),
    ],
)
def test_what_is_no_declaration_is_refused(given: dict[str, Any], shown: str, refused: "Refused") -> None:
    with refused(ParameterError, shown):
        FileReading(**given)


def test_equal_declarations_are_equal() -> None:
    assert FileReading(na="NA") == FileReading(na=["NA"]) == FileReading(na=("NA",))  # type: ignore[arg-type]
    assert FileReading(encoding="UTF8") == FileReading(encoding="utf-8") == PLAIN
    assert FileReading(encoding="latin1") == FileReading(encoding="ISO-8859-1") != PLAIN
    assert hash(FileReading(encoding="latin1")) == hash(FileReading(encoding="ISO-8859-1"))


def test_only_what_was_given_is_told() -> None:
    assert PLAIN.given() == ()
    assert FileReading(delimiter=";", header=False).given() == ("delimiter", "header")
    assert FileReading(decimal=".", na=(), encoding="UTF-8").given() == ()


@pytest.mark.parametrize(
    ("name", "found"), [("pya", "pay"), ("PAY", "pay"), ("teams", "team"), ("zzz", None), ("", None)]
)
def test_the_nearest_name(name: str, found: str | None) -> None:
    assert nearest(name, ["age", "pay", "team"]) == found
