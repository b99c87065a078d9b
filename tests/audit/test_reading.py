"""The coupling gate: one record more moves the true counts by at most 1, whatever it holds and wherever it lies.

Every function that turns raw values into counts has an entry (``reading/``), with an adapter to its exact counts. Each
is asked about random data sets of awkward values in every container, and about their neighbours. A data set is refused
if and only if one of its records, standing alone, would be. And the counts are what an oracle, written from the rule of
reading without dampen, finds record by record.
"""

from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.audit.reading.cases import Case, cases
from tests.audit.reading.check import (
    AnotherRule,
    Judge,
    Uncoupled,
    WrongRefusal,
    all_changes,
    fewest_changes,
    some_changes,
)
from tests.audit.reading.columns import ARROW, DICTIONARIES, DUCK, NUMPY, PANDAS, POLARS, PYTHON, Kind
from tests.audit.reading.entries import Entry, Public, in_tables
from tests.audit.reading.forms import FORMS, Form, Held, forms_of
from tests.audit.reading.oracle import sort
from tests.audit.reading.planted import FAULTS, planted, sound
from tests.audit.reading.registry import ENTRIES, EXEMPT, covered, discovered
from tests.audit.reading.sweep import wrong_days, wrong_numbers, wrong_places, wrong_ranges

EXAMPLES = {"memory": 14, "frames": 3, "elsewhere": 1}
LONG_EXAMPLES = {"memory": 150, "frames": 70, "elsewhere": 12, "spark": 1}
PAIRS = {"memory": 15, "frames": 11, "elsewhere": 3}
"""So many an example tries at least, on average; a fifth of them where the number of records is public."""
PROMISED = 20_000
EVERY_KIND = (*PYTHON, *NUMPY, *PANDAS, *ARROW, *DICTIONARIES, *POLARS, *DUCK)


def _asked(families: Any) -> list[tuple[str, Entry]]:
    return [
        (family, entry)
        for family in families
        for entry in ENTRIES
        if any(entry.takes(form) for form in forms_of(family))
    ]


def _judge(entry: Entry, family: str, examples: int, *, shrink: bool = True) -> int:
    """Ask about so many random cases, and say how many pairs were tried."""
    pairs, changes = 0, all_changes
    if family in ("elsewhere", "spark"):
        changes = fewest_changes if examples == EXAMPLES.get(family) else some_changes

    @settings(
        max_examples=examples,
        suppress_health_check=list(HealthCheck),
        database=None,
        phases=[Phase.generate, *([Phase.shrink] if shrink else [])],
    )
    @given(cases(entry, family))
    def run(case: Case) -> None:
        nonlocal pairs
        pairs += case.judge(changes)

    run()
    return pairs


@pytest.mark.parametrize(("family", "entry"), _asked(EXAMPLES), ids=str)
def test_coupling(family: str, entry: Entry) -> None:
    assert _judge(entry, family, EXAMPLES[family]) >= least_pairs(family, entry)


@pytest.mark.long
@pytest.mark.parametrize(("family", "entry"), _asked(LONG_EXAMPLES), ids=str)
def test_coupling_at_length(family: str, entry: Entry) -> None:
    _judge(entry, family, LONG_EXAMPLES[family], shrink=family != "spark")


def least_pairs(family: str, entry: Entry) -> int:
    """So many pairs a test of the default run tries."""
    pairs = EXAMPLES[family] * PAIRS[family]
    return pairs // 5 if entry.pose(Public()).sized else pairs


def test_enough_pairs_are_tried() -> None:
    """Every test sees to its own share, since they may run in several processes."""
    assert sum(least_pairs(family, entry) for family, entry in _asked(EXAMPLES)) >= PROMISED


def test_everything_that_counts_has_an_entry() -> None:
    missing = discovered() - covered() - {*EXEMPT}
    assert not missing, "what turns raw values into counts stands in the coupling gate: write an entry"


def test_entries_are_of_something() -> None:
    assert not covered() - discovered()
    assert not covered() & {*EXEMPT}


def _forms() -> list[Form]:
    """All containers of any function."""
    return [form for form in FORMS if not form.name.startswith("learn")]


def _tables() -> list[Form]:
    """Containers that hold several columns, one of each sort where they take their time."""
    return [form for form in FORMS if in_tables(form) and form.family != "spark" and not form.name.startswith("lazy")]


def _sweeps(forms: list[Form]) -> pytest.MarkDecorator:
    """All containers with all types of columns; by default no Spark, and every third type where it is slow."""
    asked = []
    for form in forms:
        many = form.family == "elsewhere" and len(form.kinds) > 3
        asked += [pytest.param(form, 3)] if many else []
        asked += [pytest.param(form, 1, marks=[pytest.mark.long] if many or form.family == "spark" else [])]
    return pytest.mark.parametrize(("form", "step"), asked, ids=str)


@_sweeps(_forms())
def test_one_rule_of_labels(form: Form, step: int) -> None:
    """Every value of every type of column stands for the same label, wherever it lies."""
    told = [said for kind in form.kinds[::step] for said in wrong_places(form, kind)]
    assert not told, "\n".join(told)


@_sweeps(_forms())
def test_one_rule_of_numbers(form: Form, step: int) -> None:
    """Every value of every type of column is the same number, or none, wherever it lies."""
    few = form.family in ("elsewhere", "spark")
    told = [said for kind in form.kinds[1 % step :: step] for said in wrong_numbers(form, kind, few)]
    assert not told, "\n".join(told)


@_sweeps(_forms())
def test_one_rule_of_days(form: Form, step: int) -> None:
    """Every value of every type of column lies in the same day, or in none, wherever it lies."""
    told = [
        said
        for kind in form.kinds[2 % step :: step]
        for said in wrong_days(form, kind, form.family in ("elsewhere", "spark"))
    ]
    assert not told, "\n".join(told)


@_sweeps(_tables())
def test_one_rule_of_ranges(form: Form, step: int) -> None:
    """Every value of every type of column is in the same ranges, wherever it lies."""
    told = [said for kind in form.kinds[::step] for said in wrong_ranges(form, kind, form.family == "elsewhere")]
    assert not told, "\n".join(told)


@pytest.mark.parametrize("kind", EVERY_KIND, ids=str)
def test_columns_hold_what_they_say(kind: Kind) -> None:
    """The oracle is asked about the values that a column holds; here the column itself is asked."""
    values = list(kind.values)
    for part in (values, *([value] for value in values)):
        for value, held in zip(part, _held(kind, part), strict=True):
            found, expected = sort(held), sort(kind.held(value))
            assert found == expected or found[0] == expected[0] == "else", repr(value)


def _held(kind: Kind, values: list[Any]) -> list[Any]:
    """The values of a column, as its own library hands them out."""
    if kind.sql:
        [relation] = [form for form in FORMS if form.name == "relation"]
        return [row[0] for row in relation.hold(["v"], [kind], [(value,) for value in values]).table.fetchall()]
    made = kind.make(values)
    if isinstance(made, pl.Series) and made.dtype not in (pl.Object, pl.Int128):
        return made.to_arrow().to_pylist()  # type: ignore[no-any-return]
    listed = getattr(made, "to_pylist", None) or getattr(made, "to_list", None)
    return list(made if listed is None else listed())


def test_a_sound_count_passes() -> None:
    assert _judge(planted(sound), "memory", 60) > 60 * PAIRS["memory"]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_planted_faults_are_found(fault: Any) -> None:
    with pytest.raises((Uncoupled, WrongRefusal, AnotherRule)):
        _judge(planted(fault), "memory", 1000, shrink=False)


PAIRS_OF_OLD: list[tuple[Any, tuple[Any, ...], list[Any], Any, type[AssertionError]]] = [
    ("counter_over_values", ("true", "1"), [1, 1, 1], True, Uncoupled),
    ("array_of_a_list", (1, "1"), [1, 1, 1], "x", Uncoupled),
    ("floats_of_a_nullable_column", (2**53, 2**53 + 1), [2**53 + 1] * 3, None, Uncoupled),
    ("set_of_the_wanted", ("true", "1"), [1, 1, 1], True, Uncoupled),
    ("nulls_of_a_dictionary", ("x", "y"), ["x", "y", None], "z", Uncoupled),
    ("refusal_by_type", ("true",), [True], "x", WrongRefusal),
]


@pytest.mark.parametrize(("name", "labels", "values", "other", "breach"), PAIRS_OF_OLD, ids=lambda part: str(part)[:30])
def test_planted_faults_need_no_oracle(
    name: str, labels: tuple[Any, ...], values: list[Any], other: Any, breach: type[AssertionError]
) -> None:
    """The inequality and the rule of refusals find them alone."""
    entry = planted(next(fault for fault in FAULTS if fault.__name__ == name), oracle=False)
    judge = Judge(entry.pose(Public(labels)), lambda records: Held({"v": [value for (value,) in records]}))
    records = [(value,) for value in values]
    with pytest.raises(breach):
        judge.judge(records, all_changes(records, [(other,)]))
