"""Lists on the command line, all spelt alike: ``a,b,c``, with quotes around what has a comma itself."""

import csv
from collections.abc import Iterable
from pathlib import Path

from dampen._validate import render
from dampen.errors import ParameterError
from dampen.tables import read_labels

HELP = "a,b,c or a file with one per line"


def split_list(given: str, name: str) -> tuple[str, ...]:
    """The words of a list. ``name``: the option that it was given for.

    >>> split_list('lab, "sales, abroad"', "groups")
    ('lab', 'sales, abroad')
    """
    lines = [*csv.reader(given.splitlines(), skipinitialspace=True)]
    words = tuple(word.strip() for line in lines for word in line)
    if len(lines) != 1 or not words or not all(words):
        raise ParameterError(f"{name} must have no empty label, as between two commas; got {render(given)}")
    return words


def split_lists(given: Iterable[str] | None, name: str) -> tuple[str, ...]:
    """The words of an option that may be repeated, and is a list each time."""
    return tuple(word for each in given or () for word in split_list(each, name))


def read_list(given: str, name: str) -> tuple[str, ...]:
    """The words of a list, or the lines of a file: what has a comma is a list, anything else a path."""
    if "," in given:
        return split_list(given, name)
    if not Path(given).is_file():
        raise ParameterError(f"{name} must be a list such as a,b,c or a file that exists; got {render(given)}")
    return read_labels(Path(given))
