"""Texts by number: against a dictionary of Python, on letters of every kind."""

from random import Random

import numpy as np
import pytest

from dampen.tables.columns import as_column
from dampen.tables.engines import array_texts
from dampen.tables.engines.array_persons import person_codes
from dampen.tables.engines.array_texts import number_texts
from dampen.tables.reading import MISSING, OTHER, is_blank

LETTERS = ["ab", "ab\x00", "aé", "a\ud800", "a\U0001f600b", "\t a"]
"""Also a zero, half a surrogate pair, letters of four bytes, and such that stand for nothing."""


def numbered_by_hand(texts: list[str]) -> tuple[list[int], list[int]]:
    known: dict[str, int] = {}
    codes = [known.setdefault(text, len(known)) for text in texts]
    return codes, [codes.index(code) for code in range(len(known))]


@pytest.mark.parametrize("slots", [2, 2**21])
@pytest.mark.parametrize("letters", LETTERS)
def test_equal_texts_have_equal_numbers(letters: str, slots: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(array_texts, "SLOTS", slots)
    rng = Random(3)
    for size in (0, 1, 2, 40, 400):
        texts = ["".join(rng.choices(letters, k=rng.randint(0, 6))) for _ in range(size)]
        found = number_texts(texts)
        assert (found.codes.tolist(), found.firsts.tolist()) == numbered_by_hand(texts)
        blank = [is_blank(texts[row]) for row in found.firsts.tolist()]
        assert all(found.doubtful[code] for code in np.flatnonzero(blank)), "no blank text is taken for a person"


def test_parts_of_texts_are_not_texts() -> None:
    """All letters lie in one array: where a text ends is not lost."""
    assert number_texts(["ab", "a", "b", "", "abab", "ba"]).codes.tolist() == [0, 1, 2, 3, 4, 5]


def test_texts_of_one_hash_are_told_apart() -> None:
    same = array_texts._same.py_func
    letters, ends = np.frombuffer(b"annaannbanna", dtype=np.uint8), np.array([4, 8, 12])
    assert same(letters, ends, 0, 8, 12)
    assert not same(letters, ends, 0, 4, 8)
    assert not same(letters, ends, 1, 8, 11)


def test_persons_of_texts_with_gaps() -> None:
    long, blanks = ["patient 1", "patient 2", "patient 1"], ["", "NaN", " \t ", "    ", None, float("nan")]
    for items in ([*long, "7", *blanks[:4]], [*long, "7", *blanks]):
        found = person_codes(as_column(items))
        assert found.codes.tolist() == [0, 1, 0, 2] + [MISSING] * (len(items) - 4)
    assert person_codes(as_column(np.array(long))).codes.tolist() == [0, 1, 0]


class Stubborn(float):
    """A number that cannot be asked anything."""

    def __ne__(self, other: object) -> bool:
        raise RuntimeError("no")


def test_one_strange_value_changes_no_other() -> None:
    usual = ["patient 1", "patient 2", "patient 1", ""]
    assert person_codes(as_column([*usual, Stubborn()])).codes.tolist() == [0, 1, 0, MISSING, OTHER]
