"""A rho in place of an epsilon: what it buys, what it costs, and where it is refused."""

from collections.abc import Callable
from fractions import Fraction
from math import isclose, sqrt
from typing import Any

import pytest

import dampen
from dampen import Adjacency, Budget, Category, CountsFrame, Number, NumericFrame, Release, Table
from dampen.accounting.composition import rho_of
from dampen.concentrated import largest_rho, range_of_rho, rho_of_range
from dampen.errors import BudgetError, ParameterError
from dampen.mechanisms import Exponential, Gaussian, GaussianCounts, Laplace, PermuteAndFlip
from dampen.mechanisms.noise_errors import NoiseAccuracy
from dampen.mechanisms.numeric.gaussian_noise import GaussianNoise
from dampen.questions.record import RECORD, Price

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
RHO = Fraction(1, 50)
VALUES, LABELS = [1, 4, 9] * 20, ["a", "b", "a"] * 20
COLUMNS: dict[str, Any] = {"v": Number(0, 10, step=1), "g": Category("a", "b", "c")}
GRID: dict[str, Any] = {"bounds": (0, 10), "step": 1}

Ask = Callable[..., Release]
NOISY: dict[str, Ask] = {
    "count": lambda **price: dampen.count(VALUES, **price),
    "sum": lambda **price: dampen.sum(VALUES, bounds=(0, 10), **price),
    "mean": lambda **price: dampen.mean(VALUES, bounds=(0, 10), **price),
    "variance": lambda **price: dampen.variance(VALUES, bounds=(0, 10), **price),
    "histogram": lambda **price: dampen.histogram(VALUES, **GRID, **price),
}
CHOOSING: dict[str, Ask] = {
    "median": lambda **price: dampen.median(VALUES, **GRID, **price),
    "percentile": lambda **price: dampen.percentile(VALUES, 90, **GRID, **price, method="rank"),
    "most_common": lambda **price: dampen.most_common(LABELS, categories=("a", "b"), **price),
    "top_categories": lambda **price: dampen.top_categories(LABELS, 2, categories=("a", "b", "c"), **price),
    "select": lambda **price: dampen.select({"a": 3, "b": 1}, sensitivity=1, **price),
    "top_k": lambda **price: dampen.top_k({"a": 3, "b": 1, "c": 0}, 2, sensitivity=1, **price),
}
PUBLIC: dict[str, dict[str, Any]] = {
    "sum": {"bounds": (0, 10)},
    "mean": {"bounds": (0, 10)},
    "variance": {"bounds": (0, 10)},
    "histogram": GRID,
}


def table(budget: Any, **more: Any) -> Table:
    return Table({"v": VALUES, "g": LABELS}, columns=COLUMNS, budget=budget, **more)


# Prices


def test_a_price_is_an_epsilon_or_a_rho() -> None:
    assert (Price(1).words(), Price(rho="1/50").words()) == ({"epsilon": 1}, {"rho": RHO})
    assert (str(Price("0.5")), str(Price(rho="1/3"))) == ("epsilon 0.5", "rho 1/3")
    assert Price(rho=1) != Price(1)
    assert Price(rho=1).part(4) == Price(rho="1/4")
    assert (Price(1).number_noise(), Price(rho=1).number_noise()) == (Laplace(1), Gaussian(1))
    assert isinstance(Price(rho=1).counts_noise(), GaussianCounts)
    assert (Price(1).choice(), Price(1).choice(Budget(rho=1))) == (PermuteAndFlip(1), Exponential(1))
    assert Price(rho="1/8").choice(Budget(epsilon=1)) == Exponential(1)


@pytest.mark.parametrize("rho", ["1/8", "1/50", "1/3", "1e-9", "2", "7/9", Fraction(1, 2**300), 2**300 + 1])
def test_the_range_that_a_rho_buys_costs_no_more(rho: Any) -> None:
    price = Price(rho=rho).amount
    eta = range_of_rho(price)
    assert eta**2 / 8 <= price < (eta * (1 + Fraction(1, 2**58))) ** 2 / 8
    assert rho_of_range(eta) <= price
    assert range_of_rho(Fraction(1, 50)) == Fraction(2, 5), "roots that are fractions are exact"


@pytest.mark.parametrize("ask", [*NOISY.values(), *CHOOSING.values()], ids=[*NOISY, *CHOOSING])
def test_exactly_one_of_both_is_given(ask: Ask) -> None:
    budget = Budget(rho=1)
    with pytest.raises(ParameterError, match="epsilon must be given, or rho in its place; got neither"):
        ask(budget=budget)
    with pytest.raises(ParameterError, match="rho must be left out where epsilon is given; got 2"):
        ask(budget=budget, epsilon=1, rho=2)
    with pytest.raises(ParameterError, match="rho must be positive; got 0"):
        ask(budget=budget, rho=0)
    assert budget.spent.rho == 0


# What it buys


@pytest.mark.parametrize("name", NOISY)
def test_numbers_have_gaussian_noise_and_no_epsilon(name: str) -> None:
    budget = Budget(rho=1)
    release = NOISY[name](rho=RHO, budget=budget)
    assert release.mechanism.startswith("Gaussian")
    assert (release.loss.epsilon, release.loss.rho, budget.spent.rho) == (None, RHO, RHO)
    assert release.error() > 0
    assert RECORD[name].price(rho=RHO, **PUBLIC.get(name, {})) == release.loss
    for refusing in (Budget(epsilon=9), Budget(epsilon=9, composition="pure")):
        with pytest.raises(BudgetError, match=r"no epsilon: .* Budget\(rho=...\), or one of epsilon and delta"):
            NOISY[name](rho=RHO, budget=refusing)
        assert refusing.spent.epsilon == 0


@pytest.mark.parametrize("name", CHOOSING)
def test_choices_are_those_of_the_exponential_mechanism_that_costs_so_much(name: str) -> None:
    budget = Budget(rho=1)
    release = CHOOSING[name](rho=RHO, budget=budget)
    places = 2 if name.startswith("top") else 1
    eta = range_of_rho(RHO / places)
    assert repr(Exponential(eta)) in release.mechanism
    assert release.loss.epsilon == places * eta
    assert RHO * (1 - Fraction(1, 2**57)) < rho_of(release.loss) <= RHO
    assert budget.spent.rho == rho_of(release.loss)
    assert release.error() > 0


def test_errors_are_those_of_the_noise() -> None:
    """A count moves by 1, a bar by 1 or two bars by 1 each, a sum by the larger bound or by their distance."""
    budget = Budget(rho=9)
    replaced: dict[str, Any] = {"adjacency": REPLACE, "budget": Budget(rho=9)}
    bars: dict[str, Any] = {"bounds": (0, 10), "step": 5, "rho": RHO}
    assert dampen.count(VALUES, rho=RHO, budget=budget).accuracy == NoiseAccuracy(GaussianNoise(1 / (2 * RHO)))
    assert dampen.histogram(VALUES, **bars, budget=budget).accuracy == NoiseAccuracy(GaussianNoise(1 / (2 * RHO)))
    assert dampen.histogram(VALUES, **bars, **replaced).accuracy == NoiseAccuracy(GaussianNoise(1 / RHO))
    for bounds, adjacency, moved in (((-3, 10), ADD_REMOVE, 10), ((-3, 10), REPLACE, 13)):
        found = dampen.sum(VALUES, bounds=bounds, rho=RHO, adjacency=adjacency, budget=Budget(rho=1)).accuracy
        noise = GaussianNoise(Fraction(moved**2) / (2 * RHO))
        assert found == NoiseAccuracy(noise, rounding=Fraction(1, 2))


GROUPED = {"count": 2, "sum": 2, "mean": 2, "histogram": 2, "median": 4}


@pytest.mark.parametrize("name", GROUPED)
def test_all_groups_together_cost_rho(name: str) -> None:
    """Under ``REPLACE`` a record may move two groups: twice the square of one, choices twice the range."""
    for adjacency in (ADD_REMOVE, REPLACE):
        budget = Budget(rho=1)
        grouped = table(budget, adjacency=adjacency).by("g")
        release = grouped.count(rho=RHO) if name == "count" else getattr(grouped, name)("v", rho=RHO)
        share = RHO if name == "count" or adjacency is ADD_REMOVE else RHO / GROUPED[name]
        assert (
            repr(Exponential(range_of_rho(share))) in release.mechanism
            if name == "median"
            else (repr(Price(rho=share / 2 if name == "mean" else share).number_noise())[9:] in release.mechanism)
        )
        assert budget.spent.rho == rho_of(release.loss) <= RHO
        assert isclose(float(rho_of(release.loss)), float(RHO), rel_tol=2**-50)


# Where it is refused


REFUSED: dict[str, tuple[Ask, str]] = {
    "sum without bounds": (lambda **p: dampen.sum(VALUES, bounds="private", **p), "where bounds are private"),
    "mean without bounds": (
        lambda **p: dampen.mean(VALUES, bounds="private", unit=1, **p),
        "where bounds are private",
    ),
    "variance without bounds": (
        lambda **p: dampen.variance(VALUES, bounds="private", unit=1, **p),
        "where bounds are private",
    ),
    "histogram without bounds": (
        lambda **p: dampen.histogram(VALUES, bounds="private", step=1, **p),
        "where bounds are private",
    ),
    "percentile as a number": (lambda **p: dampen.median(VALUES, **GRID, **p, method="number"), "method must be"),
    "percentile by another mechanism": (
        lambda **p: dampen.median(VALUES, **GRID, **p, method=PermuteAndFlip),
        "method must be",
    ),
    "another mechanism": (
        lambda **p: dampen.most_common(LABELS, categories=("a", "b"), **p, mechanism=PermuteAndFlip),
        "mechanism must be left out, or Exponential, for a rho",
    ),
    "by person": (lambda budget, rho: table(budget, person="g").count(rho=rho), "for a table with a person"),
    "groups by person": (
        lambda budget, rho: Table(
            {"p": LABELS, "g": LABELS}, columns={"g": COLUMNS["g"]}, budget=budget, person="p"
        ).by("g").count(rho=rho),
        "for a table with a person",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_rho_buys_is_refused_in_one_sentence(name: str) -> None:
    ask, told = REFUSED[name]
    budget = Budget(rho=1)
    with pytest.raises(ParameterError, match=told):
        ask(budget=budget, rho=RHO)
    assert budget.spent.rho == 0
    assert budget.adjacency is None


def test_questions_without_a_rho_do_not_know_the_word() -> None:
    without = {name for name, question in RECORD.items() if "rho" not in question.parameters}
    assert without == {"percentiles", "release_group_members", "top_nodes", "count_subgraphs"}


# What is remembered


def test_a_remembered_answer_is_that_of_its_rho() -> None:
    budget = Budget(rho=9, remember=True)
    named = table(budget, name="staff")
    first = named.count(rho=RHO)
    again = named.count(rho="0.02")
    assert (again.value, again.loss, budget.spent.rho) == (first.value, first.loss, RHO)
    assert again.error() == first.error()
    named.count(rho="1/49")
    assert budget.spent.rho == RHO + Fraction(1, 49)
    named.count(epsilon=RHO)
    assert budget.spent.rho != RHO + Fraction(1, 49)


def test_lists_of_such_losses_are_priced_and_reserved() -> None:
    budget = Budget(epsilon=1, delta="1e-6")
    loss = RECORD["count"].price(rho="1/100000")
    price = budget.quote([loss] * 10, delta="1e-7")
    assert price.rho == Fraction(1, 10000)
    with budget.batch([loss] * 2) as slots:
        dampen.count(VALUES, rho="1/100000", budget=slots)
        dampen.count(VALUES, rho="1/200000", budget=slots)
    assert budget.spent.rho == Fraction(1, 50000)


def test_a_thousand_counts_of_one_budget() -> None:
    """The numbers of docs/ledger.md and docs/numbers.md: standard deviations at (1, 1e-6)."""
    rho = largest_rho(Fraction(1), Fraction(1, 10**6))
    frame = NumericFrame(1, ADD_REMOVE)
    gaussian = sqrt(Gaussian(rho / 1000)._public_noise(frame).variance)
    by_rho, adding = (sqrt(2) / epsilon for epsilon in (sqrt(2 * rho / 1000), 1 / 1000))
    assert [round(each) for each in (gaussian, by_rho, adding)] == [143, 203, 1414]
    every = CountsFrame(1000, l1=1000, largest=1, adjacency=ADD_REMOVE)
    assert GaussianCounts(rho).noise(every) == Gaussian(rho / 1000)._public_noise(frame)
    study = Budget(epsilon=1, delta="1e-6")
    assert study.limit.rho == largest_rho(Fraction(1), Fraction(1, 2 * 10**6))
    each = study.limit.rho / 1000
    assert round(dampen.count(VALUES, rho=each, budget=study).accuracy.noise.variance ** 0.5) == 148  # type: ignore[union-attr]
    assert round(sqrt(2) / sqrt(2 * each)) == 209
    for _ in range(999):
        study.reserve(RECORD["count"].price(rho=each))
    with pytest.raises(BudgetError):
        dampen.count(VALUES, rho=each, budget=study)
