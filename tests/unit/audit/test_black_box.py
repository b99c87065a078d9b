"""The function and its report: arguments, exceptions, interrupts, how a report is shown, and what power means."""

import json
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency, PrivacyLoss
from dampen.audit import BlackBoxReport, black_box
from dampen.audit.drawing import draw_both, progress
from dampen.audit.intervals import epsilon_at, lower_bound, upper_bound
from dampen.audit.power import power_of
from dampen.errors import MissingExtra, ParameterError
from tests.conftest import Refused

CLAIM = PrivacyLoss(1, adjacency=Adjacency.ADD_REMOVE)


def coin(rng: np.random.Generator, keep: float = 0.9) -> Any:
    return lambda answer: answer if rng.random() < keep else 1 - answer


def report_of(claim: PrivacyLoss = CLAIM, samples: int = 2_000) -> BlackBoxReport:
    return black_box(coin(np.random.default_rng(0)), 0, 1, claim=claim, samples=samples)


@pytest.mark.parametrize(
    ("wrong", "shown"),
    [
        ({"draw": 3}, "draw must be a function"),
        ({"batch": 3}, "batch must be a function"),
        ({"claim": 1}, "claim must be a PrivacyLoss"),
        ({"samples": 10}, "samples must be a whole number of at least 100"),
        ({"confidence": 1.5}, "confidence must be below 1"),
        ({"seed": -1}, "seed must be a whole number of at least 0"),
        ({"draw": lambda data, epsilon: 1}, "draw must take a data set alone; it takes data, epsilon: write lambda"),
        ({"draw": lambda: 1}, "draw must take a data set alone; it takes none"),
        ({"batch": lambda data: [1]}, "batch must take a data set and a number; it takes data"),
        ({"draw": lambda data: (each for each in (1, 2))}, "cannot be compared, a generator"),
        ({"draw": lambda data: {"model": object()}}, "it returned something that cannot be compared"),
    ],
)
def test_wrong_arguments_are_refused_in_one_sentence(refused: Refused, wrong: dict[str, Any], shown: str) -> None:
    given: dict[str, Any] = {"draw": lambda data: 1, "claim": CLAIM} | wrong
    with refused(ParameterError, shown):
        black_box(given.pop("draw"), 0, 1, **given)


def test_a_draw_that_always_raises_the_same_is_refused(refused: Refused) -> None:
    def draw(data: Any) -> None:
        raise KeyError("secret")

    with refused(ParameterError, "it always raised a KeyError", hidden=("secret",)):
        black_box(draw, 0, 1, claim=CLAIM, samples=100)


@pytest.mark.parametrize(
    ("change", "data"),
    [
        (lambda data: data.append(1), [3]),
        (lambda data: data["a"].sort(), {"a": [2, 1]}),
        (lambda data: data.__setitem__(0, 9.0), np.zeros(2)),
    ],
)
def test_a_draw_that_changes_its_data_is_refused(refused: Refused, change: Any, data: Any) -> None:
    def draw(some: Any) -> int:
        if some is data:
            change(some)
        return 1

    with refused(ParameterError, "draw must leave its data as it is, and changed y"):
        black_box(draw, 0, data, claim=CLAIM, samples=100)


def test_a_data_set_that_can_be_read_once_is_refused(refused: Refused) -> None:
    with refused(ParameterError, "y must be a data set that can be read again and again, such as a list"):
        black_box(lambda data: 1, [1], iter([1]), claim=CLAIM, samples=100)


def test_outputs_are_kept_as_they_were() -> None:
    """Some subjects write all outputs into one list or record."""

    @dataclass
    class Answer:
        value: int = 0

    lists: list[Any] = [[0], {"a": {1}}]
    answer, calls = Answer(), iter(range(10**6))

    def draw(data: Any) -> Any:
        lists[0][0] = answer.value = next(calls)
        lists[1]["a"] = {answer.value}
        return answer if data == "record" else lists

    x, y = draw_both(draw, "record", "lists", 3, advance=lambda steps: None)
    assert [each.value for each in x.drawn] == [0, 1, 2]
    assert [*y.drawn] == [[[3], {"a": {3}}], [[4], {"a": {4}}], [[5], {"a": {5}}]]


def test_functions_that_tell_no_signature_are_draws_too() -> None:
    assert black_box(max, (1, 2), (1, 1), claim=CLAIM, samples=200).samples == 200


def test_an_exception_on_one_side_is_an_event() -> None:
    report = black_box(lambda data: 1 / data, 0, 1, claim=CLAIM, samples=400)
    assert report.refuted
    assert "ZeroDivisionError" in report.event


def test_a_batch_of_the_wrong_size_is_refused(refused: Refused) -> None:
    with refused(ParameterError, "batch must return 50 outputs"):
        black_box(lambda data: 1, 0, 1, claim=CLAIM, samples=100, batch=lambda data, count: [1])


def test_a_batch_gives_what_single_draws_give() -> None:
    def batch(data: int, count: int) -> Any:
        draw = coin(rng)
        return [draw(data) for _ in range(count)]

    rng = np.random.default_rng(0)
    report = black_box(lambda data: None, 0, 1, claim=CLAIM, samples=2_000, batch=batch)
    assert [each.counts for each in report.findings] == [each.counts for each in report_of().findings]


@pytest.mark.parametrize("dtype", [int, float, str, object, bool])
def test_batches_may_be_arrays_of_any_type(dtype: type) -> None:
    def batch(data: int, count: int) -> Any:
        return np.array([data] * count).astype(dtype)

    assert black_box(lambda data: None, 0, 1, claim=CLAIM, samples=2_000, batch=batch).refuted


def test_batches_of_several_types_keep_the_type_of_every_output() -> None:
    def batch(data: int, count: int) -> Any:
        return np.ones(count) if data and next(calls) % 2 else [1] * count

    calls = iter(range(100))
    x, y = draw_both(lambda data: None, 0, 1, 2_000, batch=batch, advance=lambda steps: None)
    assert {*x.types} == {"int"}
    assert sorted({*y.types}) == ["float64", "int"]


def test_extreme_floats_are_outputs_like_others() -> None:
    rng = np.random.default_rng(0)
    values = [1e308, -1e308, np.inf, -np.inf, np.nan, 5e-324, 0.0, -0.0]
    report = black_box(lambda data: values[rng.integers(8)], 0, 1, claim=CLAIM, samples=1_000)
    assert report.passed
    pairs = black_box(lambda data: (values[rng.integers(8)], values[rng.integers(8)]), 0, 1, claim=CLAIM, samples=1_000)
    assert pairs.passed


def test_events_are_measured_on_other_draws_than_they_were_found_on() -> None:
    calls = iter(range(10**6))
    report = black_box(lambda data: data if next(calls) < 1_000 else "the same", "a", "b", claim=CLAIM, samples=1_000)
    assert report.event == "the output is exactly 'a'"
    assert report.findings[0].counts == (0, 500, 0, 500)
    assert report.passed


def test_an_interrupt_leaves() -> None:
    calls = iter(range(10**6))

    def draw(data: Any) -> int:
        if next(calls) == 700:
            raise KeyboardInterrupt
        return 1

    with pytest.raises(KeyboardInterrupt):
        black_box(draw, 0, 1, claim=CLAIM, samples=4_000)
    assert next(calls) == 701


def test_draws_take_turns() -> None:
    seen: list[str] = []
    draw_both(lambda data: seen.append(data) or 1, "x", "y", 1_200, advance=lambda steps: None)  # type: ignore[func-returns-value]
    assert seen[0] == "x"
    assert seen[500] == "y"
    assert seen[1_000] == "x"
    assert seen.count("x") == seen.count("y") == 1_200


def test_a_bar_appears_after_a_while_where_somebody_watches(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr("dampen.audit.drawing.PATIENCE", -1.0)
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    with progress("drawing", 10) as advance:
        advance(5)
    assert "drawing" in capsys.readouterr().err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    with progress("drawing", 10) as advance:
        advance(5)
    assert capsys.readouterr().err == ""


def test_a_report_says_what_was_found() -> None:
    report = report_of()
    assert report.refuted
    assert not report.passed
    assert not report
    assert report.epsilon is not None
    assert 1.5 < report.epsilon < np.log(9)
    assert report.rho is None
    text = str(report)
    assert "epsilon 1 per row (ADD_REMOVE): REFUTED" in text
    assert "the output is exactly" in text
    assert "2,000 on each" in text
    assert "99 %" in text
    assert "<table>" in report._repr_html_()


def test_a_report_can_be_read_by_programs() -> None:
    report = report_of()
    told = json.loads(report.to_json())
    assert told["refuted"] is True
    assert told["at_least"]["epsilon"] == report.epsilon
    assert told["claim"] == {"epsilon": "1", "delta": "0", "adjacency": "add_remove", "unit": "row"}
    assert told["findings"][0]["of_x"] == 1_000
    assert told["pair"] == {"x": "0", "y": "1"}
    assert (told["samples"], told["confidence"], told["seed"]) == (2_000, "0.99", 0)


@pytest.mark.parametrize(
    ("claim", "refuted"),
    [
        (PrivacyLoss(3, adjacency=Adjacency.ADD_REMOVE), False),
        (PrivacyLoss(1, "0.7", adjacency=Adjacency.ADD_REMOVE), False),
        (PrivacyLoss(1, "0.5", adjacency=Adjacency.ADD_REMOVE), True),
        (PrivacyLoss(None, rho="1.8", adjacency=Adjacency.ADD_REMOVE), False),
        (PrivacyLoss(None, rho=1, adjacency=Adjacency.ADD_REMOVE), True),
        (PrivacyLoss(3, rho=1, adjacency=Adjacency.ADD_REMOVE), True),
        (PrivacyLoss(0, adjacency=Adjacency.ADD_REMOVE), True),
    ],
    ids=str,
)
def test_every_kind_of_claim_is_judged(claim: PrivacyLoss, refuted: bool) -> None:
    """The coin has epsilon ln 9 = 2.2, delta 0.63 at epsilon 1, and rho 1.76."""
    report = report_of(claim)
    assert report.refuted is refuted
    assert (report.rho is None) == (claim.rho is None)
    assert (report.epsilon is None) == (claim.epsilon is None)


def test_a_report_without_any_event_is_shown_too() -> None:
    report = black_box(lambda data: 1, 0, 1, claim=CLAIM, samples=200)
    assert report.event == "none that promised anything"
    assert report.epsilon == 0
    assert "not refuted" in str(report)
    assert json.loads(report.to_json())["findings"] == []


def test_power_is_that_of_binomial_draws() -> None:
    draws, error, rate = 2_000, 0.001, 0.1
    power = power_of(CLAIM, draws=draws, error=error, rate=rate)
    assert power.loss is not None
    rng = np.random.default_rng(0)
    likely = rate * np.exp(power.loss)
    low = lower_bound(rng.binomial(draws, likely, 4_000), draws, error)
    high = upper_bound(rng.binomial(draws, rate, 4_000), draws, error)
    assert 0.95 <= (epsilon_at(low, high, 0) > 1).mean() <= 1
    assert power.loss < 1.7
    weaker = power_of(CLAIM, draws=draws // 10, error=error, rate=rate)
    assert weaker.loss is not None
    assert weaker.loss > power.loss


def test_so_large_a_claim_needs_more_draws() -> None:
    report = black_box(lambda data: data, 0, 1, claim=PrivacyLoss(20, adjacency=Adjacency.ADD_REMOVE), samples=200)
    assert report.passed
    assert report.power.rare is None
    assert "needs more draws" in str(report)


def test_a_picture_shows_every_event_that_was_measured() -> None:
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib.figure import Figure

    axes = Figure().add_subplot()
    report = report_of()
    assert report.plot(axes) is axes
    assert len(axes.containers) == len(report.findings)
    assert axes.get_title() == "claim refuted"
    assert report_of(PrivacyLoss(None, rho=1, adjacency=Adjacency.ADD_REMOVE)).plot(Figure().add_subplot()) is not None


def test_a_missing_extra_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"pip install 'dampen\[plots\]'"):
        report_of().plot()
