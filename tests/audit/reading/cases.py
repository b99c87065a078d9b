"""Random cases: what is declared, a container with the types of its columns, a data set, and other records."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from tests.audit.reading import pool
from tests.audit.reading.check import Change, Judge, Question, Record, all_changes
from tests.audit.reading.columns import Kind
from tests.audit.reading.entries import BOUNDS, GRIDS, Entry, Public
from tests.audit.reading.forms import Form, forms_of
from tests.audit.reading.oracle import MISSING, No, number, sort

ID_KINDS = ("list", "pandas int64", "polars from arrow int64", "arrow int64", "csv")
MOST_RECORDS = 4
OTHERS = 3


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

    def judge(self, changes: Callable[[Sequence[Record], Sequence[Record]], list[Change]] = all_changes) -> int:
        """Ask, and say how many pairs were tried."""
        names, question = tuple(self.entry.columns), self.entry.pose(self.public)
        judge = Judge(
            replace(question, name=self.entry.name, expect=self._of_held(question)),
            lambda records: self.form.hold(names, self.kinds, records),
            repr(self.kinds),
        )
        judge.judge(self.records, changes(self.records, self.others))
        return judge.pairs

    def _of_held(self, question: Question) -> Callable[[Sequence[Record]], Any]:
        """The oracle reads what the columns hold, not what was put into them."""

        def expect(records: Sequence[Record]) -> Any:
            held = [
                tuple(kind.held(value) for kind, value in zip(self.kinds, row, strict=True)) for row in records
            ]
            return question.expect(held)

        return expect


@st.composite
def cases(draw: st.DrawFn, entry: Entry, family: str) -> Case:
    """A case of an entry, in a container of a family."""
    cluster = draw(st.sampled_from([*pool.CLUSTERS, ""]))
    public = entry.settles(draw(publics(cluster)))
    form = draw(st.sampled_from([form for form in forms_of(family) if entry.takes(form)]))
    kinds = tuple(draw(_kinds(form, role)) for role in entry.columns.values())
    clean = draw(st.integers(0, 3)) > 0
    row = st.tuples(
        *(
            _values(kind, role, public, cluster, clean)
            for kind, role in zip(kinds, entry.columns.values(), strict=True)
        )
    )
    records = draw(st.lists(row, min_size=1, max_size=MOST_RECORDS))
    others = draw(st.lists(row, min_size=OTHERS, max_size=OTHERS))
    named = [_with_id(spot, row, entry, kinds) for spot, row in enumerate([*records, *others])]
    return Case(entry, public, form, kinds, tuple(named[: len(records)]), tuple(named[len(records) :]))


def _with_id(spot: int, row: Record, entry: Entry, kinds: Sequence[Kind]) -> Record:
    """Every record has an id of its own, where it has one."""
    each = zip(row, entry.columns.values(), kinds, strict=True)
    return tuple((str(spot) if kind.name == "csv" else spot) if role == "id" else value for value, role, kind in each)


@st.composite
def publics(draw: st.DrawFn, cluster: str) -> Public:
    """What is declared: labels mostly of one cluster."""
    labels = draw(label_lists(cluster))
    choices = draw(label_lists(cluster))
    return Public(
        labels,
        choices,
        draw(st.sampled_from([label for label in (*labels, *choices) if not isinstance(label, tuple | frozenset)] or [1])),
        draw(st.sampled_from((None, *labels))),
        draw(st.sampled_from(("drop", "drop", "refuse", "other"))),
        draw(st.sampled_from(("drop", "drop", "refuse"))),
        draw(st.sampled_from(GRIDS)),
        draw(st.sampled_from(BOUNDS)),
    )


def label_lists(cluster: str) -> st.SearchStrategy[tuple[Any, ...]]:
    """Distinct labels that could be declared."""
    fit = [value for value in pool.CLUSTERS.get(cluster, ()) if _may_be_label(value)]
    return st.lists(st.sampled_from([*fit, *pool.LABELS]), min_size=1, max_size=4, unique=True).map(tuple)


def _may_be_label(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return sort(value)[0] != "missing" and not (sort(value)[0] == "else" and not isinstance(value, pool.PLAIN_OBJECTS))


def _kinds(form: Form, role: str) -> st.SearchStrategy[Kind]:
    if role == "id":
        return st.sampled_from([kind for kind in form.kinds if kind.name in ID_KINDS])
    return st.sampled_from(form.kinds)


def _values(kind: Kind, role: str, public: Public, cluster: str, clean: bool) -> st.SearchStrategy[Any]:
    """Values of a column. ``clean``: mostly such as are not refused, so that there is something to count."""
    if role == "id":
        return st.none()
    near = pool.CLUSTERS.get(cluster, ()) if len(kind.values) == len(pool.EVERY) else kind.values
    fit = [value for value in (*near, *kind.values) if _fits(kind.held(value), role, public)] if clean else []
    return st.sampled_from(fit or list(kind.values))


def _fits(value: Any, role: str, public: Public) -> bool:
    """Whether a value is not refused."""
    if role in ("number", "finite"):
        found = number(value)
        return found is not No.NUMBER and (found is not No.MISSING or (public.missing != "refuse" and role == "number"))
    if role == "filter":
        return True
    rule = public.choice_rule if role in ("choice", "class") else public.rule
    place = rule.place(value)
    if role in ("node", "choice", "class"):
        return place >= 0
    if role == "attribute":
        return place >= 0 or public.rest is not None
    if place == MISSING:
        return public.missing == "drop" or (public.missing == "other" and public.rest is not None)
    return place >= 0 or (public.other == "drop" if role == "label" else public.rest is not None)
