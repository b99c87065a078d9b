"""Descriptions for hypothesis: every kind of column, with every kind of label that a file can hold."""

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from dampen import Category, Date, Flag, Number, Text
from dampen.describe.columns import STEPS, Column

KEPT = st.sampled_from(["refuse", "drop"])

exact_numbers = st.one_of(
    st.integers(-(2**61), 2**61),
    st.fractions(-(10**6), 10**6, max_denominator=10**4),
    st.decimals(-(10**6), 10**6, places=4).map(Fraction),
)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
labels = st.one_of(
    texts,
    st.integers(),
    st.floats(allow_nan=False),
    st.booleans(),
    st.dates(),
    st.datetimes().map(lambda moment: moment.replace(fold=0)),
)


@st.composite
def numbers(draw: st.DrawFn) -> Number:
    """Bounds in order, and a step that fits between them."""
    low, high = sorted(draw(st.lists(exact_numbers, min_size=2, max_size=2, unique_by=Fraction)))
    step = draw(st.none() | st.fractions(Fraction(1, 1000), 1, max_denominator=1000)) if high - low >= 1 else None
    unit = draw(st.none() | st.sampled_from([Fraction(1), Fraction(1, 3), Fraction(1, 100), Fraction(10)]))
    return Number(low, high, step=step, unit=unit, bins=draw(st.none() | st.integers(1, 99)), missing=draw(KEPT))


@st.composite
def categories(draw: st.DrawFn) -> Category:
    """Distinct labels, perhaps of several types, and perhaps one for the rest."""
    values = draw(st.lists(labels, min_size=1, max_size=5, unique=True))
    other: Any = draw(st.none() | st.sampled_from(values))
    kept = KEPT if other is None else st.sampled_from(["refuse", "drop", "other"])
    return Category(values, other=other, missing=draw(kept))


@st.composite
def dates(draw: st.DrawFn) -> Date:
    """Two days in order."""
    first, last = sorted(draw(st.lists(st.dates(), min_size=2, max_size=2, unique=True)))
    return Date(first, last, step=draw(st.sampled_from(STEPS)), missing=draw(KEPT))


columns: st.SearchStrategy[Column] = st.one_of(
    numbers(), categories(), dates(), st.builds(Flag, missing=KEPT), st.just(Text())
)
