"""Tables whose numbers have no bounds: what is told, what is passed on, what is refused."""

from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import dampen
from dampen import Adjacency, Budget, Category, Number, Release, Table, between
from dampen.describe.description import Description
from dampen.errors import CutOffWarning, DataError, ParameterError
from dampen.mechanisms import SignedCapRace
from dampen.privacy import Ends

VAST = 10**6
"""An epsilon at which no noise is drawn."""
PAY = [120.25, 3.5, -7.0, 0.004, 1_000_000.0]
WHO = ["ann", "bob", "ann", "cyd", "cyd"]
COLUMNS = {"pay": Number(unit="0.01"), "team": Category("a", "b")}


def staff(pay: Any = PAY, **public: Any) -> Table:
    data = {"pay": pay, "who": (WHO * len(pay))[: len(pay)], "team": (["a", "b"] * len(pay))[: len(pay)]}
    usual: dict[str, Any] = {"columns": COLUMNS, "budget": Budget(epsilon=10**9)}
    return Table(data, **usual | public)


# Answers


def test_without_noise_a_sum_is_that_of_values_read_to_the_unit() -> None:
    release = staff().sum("pay", epsilon=VAST)
    assert float(release) == pytest.approx(1_000_116.75)
    low, high = release.ends
    assert low <= -7
    assert high >= 1_000_000
    assert release.ends.whose == "row"
    assert release.loss.unit == "row"


def test_a_filter_of_a_column_without_bounds() -> None:
    assert float(staff().where(pay=between(0, 200)).sum("pay", epsilon=VAST)) == pytest.approx(123.75)
    assert float(staff().where(team="a").sum("pay", epsilon=VAST)) == pytest.approx(1_000_113.25)


def test_released_ends_are_bounds_of_later_questions() -> None:
    table = staff([1.0] * 50 + [7.0] * 50)
    ends = table.sum("pay", epsilon=VAST).ends
    assert float(table.sum("pay", bounds=ends, epsilon=VAST)) == pytest.approx(400)
    assert float(table.mean("pay", bounds=ends, epsilon=VAST)) == pytest.approx(4, abs=0.1)
    assert float(table.variance("pay", bounds=ends, epsilon=VAST)) == pytest.approx(9, abs=0.1)
    assert table.median("pay", bounds=ends, epsilon=VAST) in (1.0, 7.0)
    assert sum(table.histogram("pay", bounds=ends, epsilon=VAST).value.values()) == 100
    assert table.columns["pay"] == Number(unit="0.01"), "nothing is remembered"


def test_other_bounds_keep_the_step_of_a_column() -> None:
    """Answers and bars lie as far apart as they are described to; beyond the whole range there are its ends."""
    table = staff([1.0, 4.0, 6.0] * 50, columns={"pay": Number(0, 100, step=5, unit=1)})
    assert table.view.with_bounds("pay", (0, 20)).columns["pay"] == Number(0, 20, step=5, unit=1)
    assert table.view.with_bounds("pay", Ends((0, 4), "row")).columns["pay"] == Number(0, 4, step=4, unit=1)
    assert [*table.histogram("pay", bounds=(0, 20), epsilon=VAST).value] == [0, 5, 10, 15, 20]
    assert table.median("pay", bounds=(0, 20), epsilon=VAST) == 0
    assert float(table.sum("pay", bounds=(0, 4), epsilon=VAST)) == pytest.approx(450)


def test_bounds_that_are_described_may_be_left_out_of_a_question() -> None:
    table = staff(columns={"pay": Number(0, 10, unit="0.01")})
    assert float(table.sum("pay", epsilon=VAST)) == pytest.approx(23.5, abs=0.02)
    assert float(table.sum("pay", bounds="private", epsilon=VAST)) == pytest.approx(1_000_116.75)
    stepped = staff([0.25] * 400, columns={"pay": Number(0, 10, step="0.25")})
    assert float(stepped.sum("pay", bounds="private", epsilon=VAST)) == 100, "numbers are read to the step"
    assert float(stepped.mean("pay", bounds="private", epsilon=VAST)) == 0.25
    assert stepped.median("pay", bounds="private", epsilon=VAST) == 0.25


def test_means_percentiles_variances_and_histograms() -> None:
    rng = np.random.default_rng(3)
    pay = rng.normal(1_000, 10, 4_000).round(2)
    table = staff(pay)
    for centre in (None, "private", "twice", 900):
        assert float(table.mean("pay", centre=centre, epsilon=VAST)) == pytest.approx(pay.mean(), rel=1e-6)
    assert float(table.variance("pay", epsilon=VAST)) == pytest.approx(pay.var(), rel=0.05)
    median = table.median("pay", epsilon=VAST).value
    assert median == pytest.approx(np.median(pay), rel=2**-8)
    assert table.median("pay", leading_bits=2, epsilon=VAST).value == pytest.approx(np.median(pay), rel=2**-3)
    assert table.percentile("pay", 90, leading_bits="all", epsilon=VAST).value in pay
    low, high = table.percentiles("pay", (10, 90), epsilon=VAST)
    assert low < median < high
    bars = table.histogram("pay", bars=16, epsilon=VAST)
    assert sum(bars.value.values()) == 4_000
    assert len(bars) <= 18
    assert bars.ends[1] >= 1_000


def test_the_number_of_values_is_public_where_rows_are_replaced() -> None:
    pay = [10.0, 20.0, 30.0] * 40
    table = staff(pay, adjacency="replace")
    assert float(table.mean("pay", epsilon=VAST)) == pytest.approx(20, abs=1e-3)
    assert float(table.sum("pay", epsilon=VAST)) == pytest.approx(2_400)
    with pytest.raises(ParameterError, match="where must be left out under REPLACE"):
        table.where(team="a").mean("pay", epsilon=VAST)


@pytest.mark.parametrize("pay", [[], [0.0] * 9, [2.0**70] * 200, [-(2.0**70)] * 200, [float("inf")] * 200])
def test_every_column_has_an_answer(pay: list[float]) -> None:
    """Empty, constant, beyond all caps: after payment nothing may fail."""
    table = staff(pay)
    for ask in (table.sum, table.mean, table.variance, table.median, table.histogram):
        assert isinstance(ask("pay", epsilon=VAST), Release)
    if len(pay) == 200:
        assert abs(float(table.sum("pay", epsilon=VAST))) == pytest.approx(200 * 0.01 * 2.0**62)


def test_a_coarser_unit_needs_fewer_doublings() -> None:
    """Ends are doublings of the unit, so a unit of 1/128 has seven more of them below the same value."""
    for unit, places in ((Fraction(1), 13), (Fraction(1, 128), 20)):
        found: list[Any] = []

        def draw(self: Any, problem: Any, source: object, found: list[Any] = found) -> Any:
            found.append(problem)
            return (-1, 1), 0

        with patch.object(SignedCapRace, "draw", draw), pytest.warns(CutOffWarning):
            staff([4097.0] * 9, columns={"pay": Number(unit=unit)}).sum("pay", epsilon=1)
        [problem] = found
        assert [int(a) for a in problem.positive.above] == [9] * places + [0] * (63 - places)


def test_few_values_are_scanned() -> None:
    release = staff([5000.0] * 60).sum("pay", few=True, epsilon=VAST)
    assert release.mechanism.startswith("SignedCapScan")
    assert float(release) == pytest.approx(300_000)


# Persons


def test_totals_of_persons_have_their_own_ends() -> None:
    table = staff([5.0, -2.0, 3.0] * 50, person="who")
    release = table.sum("pay", epsilon=VAST)
    assert float(release) == pytest.approx(300)
    assert release.ends.whose == release.loss.unit == "who"
    assert float(table.sum("pay", bounds=release.ends, epsilon=VAST)) == pytest.approx(300)
    assert float(table.sum("pay", few=True, epsilon=VAST)) == pytest.approx(300)
    for ask in (table.mean, table.median, table.variance, table.histogram):
        with pytest.raises(ParameterError, match="those of totals per who serve totals alone"):
            ask("pay", bounds=release.ends, epsilon=1)
    with pytest.raises(ParameterError, match="those of totals per who serve totals alone"):
        staff().sum("pay", bounds=release.ends, epsilon=1)
    with pytest.raises(ParameterError, match="cap must be left out where ends are given"):
        table.sum("pay", bounds=release.ends, cap=3, epsilon=1)


@pytest.mark.parametrize("unit", ["1e6", "999", "998000", "1e-15", "9.99e-13"])
def test_units_that_the_refusal_names_are_taken(unit: str) -> None:
    table = staff([0.0] * 9, columns={"pay": Number(unit=unit)}, person="who")
    assert float(table.sum("pay", epsilon=VAST)) == 0


def test_percentiles_of_persons() -> None:
    table = staff([5.0, 2.0, 3.0, 1000.0, 2.5] * 20, person="who")
    assert 2.49 < table.median("pay", epsilon=VAST).value < 3.02
    assert table.percentile("pay", 99, leading_bits=3, epsilon=VAST).value == pytest.approx(1000, rel=2**-4)


# Words


def test_ends_are_told_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "staff.csv"
    path.write_text("pay\n" + "5.25\n" * 300)
    budget = Budget(epsilon=10**8, remember=True)
    table = Table(str(path), columns={"pay": Number(unit="0.01")}, budget=budget)
    with patch.object(SignedCapRace, "draw_cap", lambda *_: (-1, 1024)):
        first = table.sum("pay", epsilon=VAST)
    again = table.sum("pay", epsilon=VAST)
    assert first.as_dict()["cap"] == [-0.01, 10.24]
    assert again.value == first.value
    assert budget.spent.epsilon == VAST
    assert again.ends.whose == "row"
    assert again.ends == first.ends == (-0.01, 10.24)
    assert "values above 10.24 and below -0.01 were cut" in str(first)
    assert "rows lie between" in str(first)
    assert "Number(unit=0.01)" in first.note


def test_ends_are_a_pair_that_survives() -> None:
    import copy
    import pickle

    ends = Ends((-1, 8), "patient")
    for other in (copy.deepcopy(ends), pickle.loads(pickle.dumps(ends))):
        assert (other, other.whose) == ((-1, 8), "patient")
    with pytest.raises(ParameterError, match="no two ends"):
        _ = staff().count(epsilon=VAST).ends


def test_descriptions_without_bounds() -> None:
    found = Description({"pay": Number(unit="0.01", missing="drop")}, data="staff.csv")
    assert 'kind = "number"\nunit = 0.01\nmissing = "drop"' in found.to_toml()
    assert repr(Number(unit="0.01")) == "Number(unit=0.01)"
    assert not Number(unit=1).bounded
    with pytest.raises(ParameterError, match="unit must be said for a number without bounds"):
        Number()
    with pytest.raises(ParameterError, match="step must be left out for a number without bounds"):
        Number(unit=1, step=1)
    with pytest.raises(ParameterError, match="hi must be"):
        Number(0, unit=1)


def test_what_is_refused_costs_nothing() -> None:
    budget = Budget(epsilon=1)
    table, persons = (staff(budget=budget, person=person) for person in (None, "who"))
    bounded = staff(budget=budget, columns={"pay": Number(0, 9, step=1)})
    plain = staff(budget=budget, columns={"pay": Number(0, 9)})
    coarse = staff(budget=budget, columns={"pay": Number(unit="1e7")}, person="who")
    refused: list[tuple[Any, str]] = [
        (lambda: table.sum("pay", bounds="secret", epsilon=1), "bounds must be two numbers"),
        (lambda: table.sum("pay", bounds=(3,), epsilon=1), "bounds must be two finite numbers"),
        (lambda: table.median("pay", leading_bits=13, epsilon=1), "leading_bits must be a whole number from 1 to 12"),
        (lambda: table.median("pay", method="number", epsilon=1), "bounds must be known for this"),
        (lambda: table.mean("pay", centre="middle", epsilon=1), "centre must be 'private', 'twice', or a number"),
        (lambda: table.by("team").sum("pay", epsilon=1), "bounds must be known for this"),
        (lambda: table.by("team").median("pay", epsilon=1), "bounds must be known for this"),
        (lambda: persons.mean("pay", epsilon=1), "bounds must be known for this"),
        (lambda: persons.histogram("pay", epsilon=1), "bounds must be known for this"),
        (lambda: persons.by("team").sum("pay", epsilon=1), "bounds must be known for this: describe lo and hi"),
        (lambda: plain.sum("pay", bounds="private", epsilon=1), "unit must be said where bounds are private"),
        (lambda: plain.histogram("pay", bounds="private", epsilon=1), "unit must be said where bounds are private"),
        (lambda: table.histogram("team", bars=5, epsilon=1), "bars must be left out for a category; got 5"),
        (lambda: persons.histogram("team", bars=5, epsilon=1), "bars must be left out for a category; got 5"),
        (lambda: table.histogram("team", bars=False, epsilon=1), "bars must be left out for a category; got False"),
        (lambda: table.histogram("pay", bars=False, epsilon=1), "bars must be a whole number"),
        (lambda: bounded.histogram("pay", bars=False, epsilon=1), "bars must be left out where bounds are known"),
        (lambda: table.mean("pay", centre=False, epsilon=1), "centre must be 'private', 'twice', or a number"),
        (lambda: table.median("pay", leading_bits=False, epsilon=1), "leading_bits must be a whole number"),
        (lambda: bounded.median("pay", leading_bits=False, epsilon=1), "leading_bits must be left out where"),
        (lambda: dampen.sum(PAY, bounds=(0, 9), few=0, epsilon=1, budget=budget), "few must be True or False"),  # type: ignore[arg-type]
        (lambda: table.histogram("team", bounds="private", epsilon=1), "bounds must be left out for a category"),
        (lambda: persons.histogram("pay", bounds=(0, 9), bars=5, epsilon=1), "bars must be left out where bounds"),
        (lambda: table.histogram("pay", bars=2**12 + 1, epsilon=1), "bars must be at most 4096; got 4097"),
        (lambda: persons.sum("pay", few=True, cap=100, epsilon=1), "few must be left out where a cap is given"),
        (lambda: persons.sum("pay", few="no", epsilon=1), "few must be True or False; got 'no'"),  # type: ignore[arg-type]
        (lambda: coarse.sum("pay", epsilon=1), "unit must be at most 10.*; got 10000000"),
        (lambda: persons.mean("pay", bounds=(0, 9), centre=3, epsilon=1), "centre must be left out"),
        (lambda: bounded.sum("pay", few=True, epsilon=1), "few must be left out where bounds are known"),
        (lambda: bounded.mean("pay", centre=3, epsilon=1), "centre must be left out where bounds are known"),
        (lambda: bounded.histogram("pay", bars=9, epsilon=1), "bars must be left out where bounds are known"),
        (lambda: bounded.median("pay", leading_bits=3, epsilon=1), "leading_bits must be left out where"),
        (lambda: dampen.mean(PAY, bounds="private", epsilon=1, budget=budget), "unit must be said where bounds"),
        (lambda: dampen.median(PAY, bounds="private", epsilon=1, budget=budget), "step must be said where bounds"),
        (lambda: dampen.sum(PAY, bounds="x", epsilon=1, budget=budget), "bounds must be two numbers"),  # type: ignore[arg-type]
    ]  # fmt: skip
    for ask, words in refused:
        with pytest.raises(ParameterError, match=words):
            ask()
    for pay in ([1.0, None], [1.0, "tea"]):
        for question in ("sum", "mean", "median", "variance", "histogram"):
            with pytest.raises(DataError, match="must"):
                getattr(staff(pay, budget=budget), question)("pay", epsilon=1)
    assert budget.spent.epsilon == 0


def test_what_may_be_cut_off_is_warned_of() -> None:
    with pytest.warns(CutOffWarning):
        staff([1e9] * 5).sum("pay", epsilon=1)


def test_functions_take_private_bounds() -> None:
    public: dict[str, Any] = {"bounds": "private", "epsilon": VAST, "budget": Budget(epsilon=10**9)}
    pay = [10.0, 11.0, 12.0] * 100
    assert float(dampen.sum(pay, unit="0.01", **public)) == pytest.approx(3300)
    assert float(dampen.mean(pay, unit="0.01", **public)) == pytest.approx(11)
    assert dampen.median(pay, step="0.01", **public) == 11.04
    assert dampen.percentiles(pay, (1, 99), step=1, **public) == (10, 12)
    assert float(dampen.variance(pay, unit="0.01", **public)) == pytest.approx(2 / 3, abs=0.01)
    assert sum(dampen.histogram(pay, step="0.01", **public).value.values()) == 300
    grid = dampen.unbounded_grid(1, leading_bits=2)
    assert dampen.median([9] * 9, bounds=grid, epsilon=VAST, budget=public["budget"]) == 10
    replaced = {**public, "adjacency": Adjacency.REPLACE, "budget": Budget(epsilon=10**9)}
    assert float(dampen.mean(pay, unit="0.01", **replaced)) == pytest.approx(11)


@pytest.mark.parametrize("question", ["mean", "variance"])
def test_values_that_may_all_lie_beyond_the_ends_are_warned_of(question: str) -> None:
    """At a small epsilon both ends stay near the start, and the error is that of what little was left."""
    pay = [1000.0 * (-1) ** place for place in range(300)]
    with pytest.warns(CutOffWarning, match="cut off may exceed"):
        release = getattr(staff(pay), question)("pay", epsilon="0.01")
    low, high = release.ends
    assert f"moved between {low:,.6g} and {high:,.6g}" in str(release)
    assert "values lie beyond" in str(release)
    assert release.as_dict()["doubtful"]


@pytest.mark.parametrize("question", ["mean", "variance", "histogram"])
def test_values_that_lie_between_the_ends_are_not(question: str) -> None:
    release = getattr(staff([5.0, 7.0] * 5000), question)("pay", epsilon=20)
    assert not release.doubtful


def test_functions_warn_as_tables_do() -> None:
    with pytest.warns(CutOffWarning, match="cut off may exceed") as caught:
        dampen.sum([1000.0] * 30, bounds="private", unit="0.01", epsilon=1, budget=Budget(epsilon=1))
    assert [Path(each.filename).name for each in caught] == [Path(__file__).name]


def test_a_unit_is_never_taken_for_granted(refused: Any) -> None:
    budget = Budget(epsilon=1)
    with refused(ParameterError, "unit must be said where bounds are private"):
        dampen.sum([1.0], bounds="private", epsilon=1, budget=budget)
    assert budget.spent.epsilon == 0


def test_ends_of_a_mean_serve_as_bounds_also_far_from_0() -> None:
    """Where one float would stand for both, its neighbours do."""
    far = 2.0**60
    with pytest.warns(CutOffWarning):
        release = dampen.mean(
            [far] * 30, bounds="private", unit=1, centre=int(far), epsilon="0.001", budget=Budget(epsilon=1)
        )
    low, high = release.ends
    assert low < high
    cents = dampen.mean(
        [far / 100] * 3000, bounds="private", unit="0.01", centre=far / 100, epsilon=10, budget=Budget(epsilon=10)
    )
    assert cents.ends[0] < cents.ends[1]


def test_a_table_takes_released_ends_for_all_its_questions() -> None:
    table = staff([1.0] * 50 + [7.0] * 50)
    known = table.with_bounds("pay", table.sum("pay", epsilon=VAST).ends)
    assert {team: round(mean) for team, mean in known.by("team").mean("pay", epsilon=VAST).value.items()} == {
        "a": 4,
        "b": 4,
    }
    assert table.columns["pay"] == Number(unit="0.01"), "nothing is remembered"
