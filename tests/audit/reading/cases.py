"""Random cases: what is declared, a container with the types of its columns, a data set, and other records."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from tests.audit.reading import pool
from tests.audit.reading.check import Change, Judge, Question, Record, all_changes
from tests.audit.reading.columns import Kind
from tests.audit.reading.entries import BOUNDS, DAY_GRIDS, GRIDS, SPANS, Entry, Public
from tests.audit.reading.forms import Form, forms_of
from tests.audit.reading.oracle import MISSING, NOTHING, No, day, number, readings, sort

OWN = {"id": (None,), "spot": (0, 1, 2), "weight": (1, -1, 2)}
"""Roles whose values are not awkward."""
ID_KINDS = ("list", "pandas int64", "polars from arrow int64", "arrow int64", "csv", "json", "xlsx")
SIZES, MOST, OTHERS, LABELS = (1, 2, 3, 4), 8, 3, 6
"""How many different records a data set has, all of them, how many others come to it, and how many labels there are."""
COUNTS = (1, 2, 3, 4, LABELS, LABELS)
CLEAN, CLOSE, MIXED = 0.75, 0.8, 0.5
"""How often all values are such as are not refused, a label is of the cluster, and a column holds any type."""
SEED, MASK = 8, 9
"""Bytes that decide what a case holds, and which parts of it stay: three bits each."""


@dataclass(frozen=True, eq=False)
class Case:
    """One data set in one container, and the records that come to it or take another's place."""

    entry: Entry
    public: Public
    form: Form
    kinds: tuple[Kind, ...]
    records: tuple[Record, ...]
    others: tuple[Record, ...]

    def __repr__(self) -> str:
        return f"{self.entry} of {self.form} {self.kinds}, {self.public}: {self.records} and {self.others}"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """How Hypothesis shows it."""
        printer.text(repr(self))

    def only(self, records: Sequence[bool], others: Sequence[bool], labels: Sequence[bool]) -> "Case":
        """The case without some of its parts."""
        return replace(
            self,
            public=self.entry.settles(self.public.only(labels[:LABELS], labels[LABELS:])),
            records=_some(self.records, records),
            others=_some(self.others, others),
        )

    def judge(self, changes: Callable[[Sequence[Record], Sequence[Record]], list[Change]] = all_changes) -> int:
        """Ask, and say how many pairs were tried."""
        names, question = tuple(self.entry.columns), self.entry.pose(self.public)
        judge = Judge(
            replace(
                question,
                name=self.entry.name,
                expect=self._of_held(question),
                nonempty=question.nonempty or self.form.nonempty,
            ),
            lambda records: self.form.hold(names, self.kinds, records),
            repr(self.kinds),
        )
        judge.judge(self.records, changes(self.records, self.others))
        return judge.pairs

    def _of_held(self, question: Question) -> Callable[[Sequence[Record]], Any]:
        """The oracle reads what the columns hold, not what was put into them."""

        def expect(records: Sequence[Record]) -> Any:
            held = [
                tuple(self.form.held(kind, value) for kind, value in zip(self.kinds, row, strict=True))
                for row in records
            ]
            return question.expect(held)

        return expect


@st.composite
def cases(draw: st.DrawFn, entry: Entry, family: str) -> Case:
    """A case of an entry, in a container of a family.

    Hypothesis draws a seed, which decides what it holds, and which parts of it stay: seven of eight at first, and as
    few as it can when it shrinks a failure. (Piece by piece it would repeat the simplest of everything.)
    """
    drawn = draw(st.binary(min_size=SEED + MASK, max_size=SEED + MASK))
    assume(any(drawn))  # Hypothesis begins with the simplest case, which would be the only one where one is asked for
    whole = _random_case(Random(drawn[:SEED] + f"{entry}, {family}".encode()), entry, family)
    bits = int.from_bytes(drawn[SEED:])
    kept = [bool(bits >> 3 * part & 7) for part in range(8 * MASK // 3)]
    return whole.only(kept[:MOST], kept[MOST : MOST + OTHERS], kept[MOST + OTHERS :])


def _some(parts: tuple[Any, ...], kept: Sequence[bool]) -> tuple[Any, ...]:
    """The parts that are kept, and at least one."""
    return tuple(part for part, stays in zip(parts, kept, strict=False) if stays) or parts[:1]


def _random_case(rng: Random, entry: Entry, family: str) -> Case:
    """Most values, and most labels, are of one cluster: such as are easily taken for each other."""
    cluster = rng.choice([*pool.CLUSTERS, *pool.WORST])
    if "day" in entry.columns.values() and rng.random() < CLOSE:
        cluster = rng.choice(("days", "moments"))
    public = entry.settles(_public(rng, cluster))
    form = rng.choice([form for form in forms_of(family) if entry.takes(form)])
    roles = tuple(entry.columns.values())
    kinds = tuple(_kind(rng, form, role, cluster) for role in roles)
    clean, size = rng.random() < CLEAN, rng.choice(SIZES)
    each = zip(kinds, roles, strict=True)
    columns = [_column(rng, *_values(kind, role, public, cluster, clean), size + OTHERS) for kind, role in each]
    rows = list(zip(*columns, strict=True))
    doubled = rows[:size] * rng.choice((1, 2))
    named = [_with_id(spot, row, entry, kinds) for spot, row in enumerate([*doubled, *rows[size:]])]
    return Case(entry, public, form, kinds, tuple(named[: len(doubled)]), tuple(named[len(doubled) :]))


def _column(rng: Random, near: Sequence[Any], far: Sequence[Any], size: int) -> list[Any]:
    """Values of a column, most of them near, few of them twice."""
    several = [*near, *near, *far] if near else list(far)
    return rng.sample(several, size) if len(several) >= size else rng.choices(several, k=size)


def _with_id(spot: int, row: Record, entry: Entry, kinds: Sequence[Kind]) -> Record:
    """Every record has an id of its own, where it has one."""
    each = zip(row, entry.columns.values(), kinds, strict=True)
    return tuple((str(spot) if kind.name == "csv" else spot) if role == "id" else value for value, role, kind in each)


def _public(rng: Random, cluster: str) -> Public:
    """What is declared: labels mostly of one cluster."""
    labels, choices = random_labels(rng, cluster), random_labels(rng, cluster)
    wanted = [label for label in (*labels, *choices) if not isinstance(label, tuple | frozenset)]
    return Public(
        labels,
        choices,
        rng.choice(wanted or [1]),
        rng.choice((None, *labels)),
        rng.choice(("drop", "drop", "refuse", "other")),
        rng.choice(("drop", "drop", "refuse")),
        rng.choice(GRIDS),
        rng.choice(BOUNDS),
        rng.choice(DAY_GRIDS),
        rng.choice(SPANS),
    )


def random_labels(rng: Random, cluster: str) -> tuple[Any, ...]:
    """Distinct labels that could be declared; NumPy's own become Python's, as dampen takes them."""
    near = [value for value in pool.CLUSTERS[cluster] if _may_be_label(value)]
    drawn = [rng.choice(near if rng.random() < CLOSE else pool.LABELS) for _ in range(rng.choice(COUNTS))]
    return tuple(dict.fromkeys(label.item() if isinstance(label, np.generic) else label for label in drawn))


def _may_be_label(value: Any) -> bool:
    """What NumPy cannot turn into an object of Python's own is no label."""
    try:
        hash(value)
    except TypeError:
        return False
    if isinstance(value, np.datetime64 | np.longdouble):
        return False
    kind = sort(value)[0]
    return kind != "missing" and (kind != "else" or isinstance(value, pool.PLAIN_OBJECTS))


def _kind(rng: Random, form: Form, role: str, cluster: str) -> Kind:
    if role in OWN:
        return rng.choice([kind for kind in form.kinds if kind.name in ID_KINDS])
    mixed = [kind for kind in form.kinds if kind.values == pool.EVERY]
    holding = [kind for kind in form.kinds if len(near_values(kind, cluster)) > 1] or list(form.kinds)
    return rng.choice(mixed) if mixed and rng.random() < MIXED else rng.choice([*holding, *holding, *form.kinds])


@cache
def near_values(kind: Kind, cluster: str) -> tuple[Any, ...]:
    """The values of a column that are, or may be read as, one of a cluster; and those that are missing."""
    if kind.values == pool.EVERY:
        return pool.CLUSTERS[cluster]
    close = set().union(*(readings(value) for value in pool.CLUSTERS[cluster]), {NOTHING})
    return tuple(value for value in kind.values if readings(kind.held(value)) & close)


def _values(kind: Kind, role: str, public: Public, cluster: str, clean: bool) -> tuple[Sequence[Any], Sequence[Any]]:
    """Values of a column, near and all. ``clean``: such as are not refused, so that there is something to count."""
    if role in OWN:
        return (), OWN[role]
    near, far = near_values(kind, cluster), kind.values
    if clean:
        near, far = (tuple(v for v in part if _fits(kind.held(v), role, public)) for part in (near, far))
    return near, far or kind.values


def _fits(value: Any, role: str, public: Public) -> bool:
    """Whether a value is not refused."""
    if role in ("number", "finite"):
        found = number(value)
        return found is not No.NUMBER and (found is not No.MISSING or (public.missing != "refuse" and role == "number"))
    if role == "day":
        return day(value) is not No.DAY and (day(value) is not No.MISSING or public.missing != "refuse")
    if role in ("filter", "truth", "any"):
        return role != "truth" or sort(value)[0] == "truth"
    rule = public.choice_rule if role in ("choice", "class") else public.rule
    place = rule.place(value)
    if role in ("node", "choice", "class"):
        return place >= 0
    if role == "attribute":
        return place >= 0 or (public.rest is not None and (place != MISSING or public.missing == "other"))
    if place == MISSING:
        return public.missing == "drop" or (public.missing == "other" and public.rest is not None)
    return place >= 0 or (public.other == "drop" if role == "label" else public.rest is not None)
