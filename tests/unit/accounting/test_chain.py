"""Entries, their hashes and the head, against the rule written out by hand."""

import json
from fractions import Fraction
from hashlib import sha256
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dampen import Adjacency, PrivacyLoss
from dampen.accounting.chain import BEGINNING, Entry, Head, now, parse_head
from dampen.errors import ParameterError
from dampen.privacy import Amount

if TYPE_CHECKING:
    from tests.conftest import Refused

ENTRY = Entry(
    7,
    "2026-01-02T03:04:05Z",
    "charge",
    "a=b",
    "1/3",
    "1/1000",
    "1/3",
    "1/18",
    "add_remove",
    "row",
    None,
    "why, für wen?",
)


def test_the_hash_is_sha_256_of_a_json_list_of_the_previous_hash_and_all_fields() -> None:
    text = (
        '["' + "ab" * 32 + '", 7, "2026-01-02T03:04:05Z", "charge", "a=b", "1/3", "1/1000", "1/3", "1/18", '
        '"add_remove", "row", null, "why, f\\u00fcr wen?"]'
    )
    assert ENTRY.digest("ab" * 32) == sha256(text.encode()).hexdigest()
    placed = ENTRY.follow(Head(6, "ab" * 32))
    assert placed == ENTRY._replace(hash=ENTRY.digest("ab" * 32))
    assert placed.digest("ab" * 32) == ENTRY.digest("ab" * 32), "the hash is no part of itself"
    assert ENTRY._replace(number=0).follow(Head(6, "ab" * 32)) == placed, "the number follows too"


def test_every_field_and_the_previous_hash_change_the_hash() -> None:
    others: dict[str, Any] = {
        "number": 8,
        "at": "2026-01-02T03:04:06Z",
        "kind": "limit",
        "scope": "",
        "epsilon": "1/4",
        "delta": None,
        "bounded_range": None,
        "rho": "1/19",
        "adjacency": "replace",
        "unit": "patient",
        "refers": 1,
        "note": "",
    }
    assert set(others) == set(Entry._fields) - {"hash"}
    digests = [ENTRY._replace(**{field: value}).digest(BEGINNING) for field, value in others.items()]
    digests += [ENTRY.digest(BEGINNING), ENTRY.digest("1" * 64)]
    assert all(one != other for one, other in combinations(digests, 2))


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)


@given(st.tuples(words, words), st.tuples(words, words))
def test_text_cannot_move_from_one_field_to_the_next(one: tuple[str, str], other: tuple[str, str]) -> None:
    first, second = (ENTRY._replace(unit=unit, note=note).digest(BEGINNING) for unit, note in (one, other))
    assert (first == second) == (one == other)


def test_the_beginning_is_no_hash_of_anything() -> None:
    assert BEGINNING == "0" * 64


def test_an_entry_reads_back_as_a_loss_and_an_amount() -> None:
    assert ENTRY.amount == Amount(Fraction(1, 3), Fraction(1, 1000))
    assert ENTRY.loss == PrivacyLoss(
        "1/3", "1/1000", adjacency=Adjacency.ADD_REMOVE, unit="row", bounded_range="1/3", rho="1/18"
    )
    bare = ENTRY._replace(delta="0", bounded_range=None, rho=None, unit="patient")
    assert bare.loss == PrivacyLoss("1/3", adjacency=Adjacency.ADD_REMOVE, unit="patient")
    assert Entry(1, "", "outcome", "", refers=7, note="done").amount == Amount(Fraction(0), Fraction(0))


def test_a_head_prints_and_reads_back() -> None:
    head = Head(12, "ab" * 32)
    assert str(head) == "12:" + "ab" * 32
    assert parse_head(str(head)) == head


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        ":",
        "12",
        "12:",
        "ab" * 32,
        "12:" + "ab" * 31,
        "12:" + "ab" * 33,
        "12:" + "AB" * 32,
        "12:" + "xy" * 32,
        "-1:" + "ab" * 32,
        "+1:" + "ab" * 32,
        "1.5:" + "ab" * 32,
        "a:" + "ab" * 32,
        "12 :" + "ab" * 32,
        "12:" + "ab" * 32 + "\n",
        "9" * 19 + ":" + "ab" * 32,
        "²:" + "ab" * 32,
        12,
        b"12:" + b"ab" * 32,
        ("12", "ab" * 32),
        True,
    ],
    ids=lambda value: ascii(value)[:16],
)
def test_a_malformed_head_is_refused(wrong: Any, refused: "Refused") -> None:
    with refused(ParameterError, "head must be"):
        parse_head(wrong)


def test_the_time_is_in_utc_to_the_second() -> None:
    stamp = now()
    assert len(stamp) == len("2026-01-02T03:04:05Z")
    assert stamp.endswith("Z")
    assert json.loads(json.dumps(stamp)) == stamp
