"""Noisy local sensitivity: margins, the three noises, and the exact delta of all graphs on five nodes."""

from fractions import Fraction
from functools import lru_cache
from math import comb, exp

import numpy as np
import pytest
from scipy.stats import chisquare

from dampen import Adjacency, Budget, NumericFrame, NumericProblem
from dampen.entropy import system_entropy
from dampen.errors import ParameterError
from dampen.mechanisms import NoisyLocalSensitivity
from dampen.mechanisms.numeric import noisy_local_sensitivity as module
from dampen.mechanisms.numeric.noisy_local_sensitivity import NestedNoise, cell, margin
from dampen.sensitivity import SecondOrder
from dampen.vectors import Floats
from tests.unit.mechanisms.selection.five_nodes import GRAPHS, NEIGHBOURS, NODES, common, counts, ladders

RATES = (Fraction(1, 2), Fraction(1, 100))


class Triangles(SecondOrder):
    """k-triangles of one graph: how far its local sensitivity can move grows with a."""

    def __init__(self, first: int, largest: int, *, k: int, nodes: int, bound: int) -> None:
        super().__init__(size=1, bound=bound)
        self._first, self._largest, self._k, self._nodes = first, largest, k, nodes

    @property
    def first_order(self) -> int:
        return self._first

    @property
    def common(self) -> int:
        return self._largest

    @property
    def common_bound(self) -> int:
        return self._nodes - 2

    def second_order(self, a: int) -> int:
        return 3 * comb(a, self._k - 1) + a * comb(a, self._k - 2)

    def at(self, t: int) -> Floats:
        return np.array([float(self._first if t == 0 else self.bound or 0)])


def ladder(graph: int, k: int = 2) -> Triangles:
    rungs = ladders(k)
    return Triangles(int(rungs[graph, 0]), int(common(graph).max()), k=k, nodes=NODES, bound=int(rungs.max()))


def problem(graph: int) -> NumericProblem:
    return NumericProblem(NumericFrame(int(ladders(2).max()), Adjacency.EDGE), int(counts(2)[graph]), ladder(graph))


@lru_cache
def distinct_pairs() -> list[tuple[int, int]]:
    """One pair of graphs for every two (count, local sensitivity, a) that neighbours have."""
    shapes = [(counts(2)[graph], ladders(2)[graph, 0], common(graph).max()) for graph in range(GRAPHS)]
    first = {shape: graph for graph, shape in reversed(list(enumerate(shapes)))}
    return sorted({(first[shapes[x]], first[shapes[y]]) for x in range(GRAPHS) for y in NEIGHBOURS[x]})


@pytest.mark.parametrize("k", [2, 3])
def test_what_a_second_order_ladder_must_promise_holds_on_five_nodes(k: int) -> None:
    first, largest = ladders(k)[:, 0], np.array([common(graph).max() for graph in range(GRAPHS)])
    second = np.array([ladder(0, k).second_order(int(a)) for a in largest])
    assert np.abs(largest[NEIGHBOURS] - largest[:, None]).max() == 1
    assert (np.abs(first[NEIGHBOURS] - first[:, None]) <= second[:, None]).all()


@pytest.mark.parametrize("epsilon", ["3/10", "1", "5"])
@pytest.mark.parametrize("delta", ["1e-2", "1e-6"])
def test_exact_delta_of_all_graphs_on_five_nodes(epsilon: str, delta: str) -> None:
    mechanism, steps = NoisyLocalSensitivity(epsilon, delta), np.arange(-3000, 3001)
    graphs = {x for pair in distinct_pairs() for x in pair}
    laws = {x: mechanism.log_probabilities(problem(x), steps) for x in graphs}
    allowed = float(mechanism.epsilon)
    worst = max(np.maximum(np.exp(laws[x]) - np.exp(allowed + laws[y]), 0).sum() for x, y in distinct_pairs())
    assert worst <= float(mechanism.delta)


@pytest.mark.parametrize("epsilon", ["1", "5"])
@pytest.mark.parametrize("delta", ["1e-2", "1e-6"])
def test_the_two_bounds_and_the_answer_together_are_private(epsilon: str, delta: str) -> None:
    """The joint law of A, L and the answer: what the proof claims, and more than the answer tells."""
    rate, failure = Fraction(epsilon) / 3, Fraction(delta) / 2

    def joint(graph: int) -> Floats:
        triangles, reach, law = ladder(graph), int(ladders(2).max()), []
        steps = np.arange(-400, 401) - problem(graph).steps
        centre = triangles.common + margin(rate, failure)
        for a in range(NODES - 1):
            low, high = (-np.inf if a == 0 else a), (np.inf if a == NODES - 2 else a + 1)
            at_a = cell(float(rate), np.array([low - centre]), np.array([high - centre]))[0]
            second = max(1, triangles.second_order(a))
            middle = triangles.first_order + margin(rate / second, failure)
            for scale in range(1, reach + 1):
                low, high = (-np.inf if scale == 1 else scale), (np.inf if scale == reach else scale + 1)
                at_scale = cell(float(rate / second), np.array([low - middle]), np.array([high - middle]))[0]
                last = float(rate) / scale
                law.append(at_a * at_scale * np.tanh(last / 2) * np.exp(-last * np.abs(steps)))
        return np.array(law)

    laws = {x: joint(x) for x in {x for pair in distinct_pairs()[::3] for x in pair}}
    allowed = exp(float(Fraction(epsilon)))
    worst = max(np.maximum(laws[x] - allowed * laws[y], 0).sum() for x, y in distinct_pairs()[::3])
    assert float(Fraction(delta)) / 1000 < worst <= float(Fraction(delta))


@pytest.mark.parametrize("rate", ["1/3", "1/1000", "5"])
@pytest.mark.parametrize("failure", ["1/4", "1e-2", "1e-9"])
def test_margins_fail_as_seldom_as_asked_and_are_no_larger_than_needed(rate: str, failure: str) -> None:
    size, c = float(Fraction(rate)), margin(Fraction(rate), Fraction(failure))

    def below(c: int) -> float:
        return exp(-size * (c + 1)) / (1 + exp(-size))

    assert below(c) <= float(Fraction(failure)) * (1 + 1e-12)
    assert c == 0 or below(c - 1) > float(Fraction(failure)) * (1 - 1e-12)


def test_cells_are_sums_of_probabilities() -> None:
    window = np.arange(-300.0, 301.0)
    probabilities = np.tanh(0.15) * np.exp(-0.3 * np.abs(window))
    ends = [-np.inf, -7.0, -1.0, 0.0, 1.0, 2.0, 9.0, np.inf]
    for low in ends[:-1]:
        for high in [end for end in ends if end > low]:
            summed = probabilities[(window >= low) & (window < high)].sum()
            assert cell(0.3, np.array([low]), np.array([high]))[0] == pytest.approx(summed, rel=1e-12)


def test_each_noise_has_its_rate_and_each_bound_its_clamps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scripted noises: the arithmetic between them, and the rates they are asked for."""
    frame = NumericFrame(300, Adjacency.EDGE, resolution="1/2")
    triangles = Triangles(12, 4, k=2, nodes=12, bound=300)
    noise = NestedNoise(triangles, frame, Fraction(1, 2), Fraction(1, 100))
    widest = margin(Fraction(1, 2), Fraction(1, 100))
    assert widest == 8
    for scripted, rates in {
        (-widest, 0, 7): (1 / 2, 1 / 2 / 32, 1 / 2 / (24 + margin(Fraction(1, 64), Fraction(1, 100)))),
        (-100, -(10**6), 7): (1 / 2, 1 / 2, 1 / 2),
        (100, 10**9, 7): (1 / 2, 1 / 2 / 80, 1 / 2 / 600),
    }.items():
        left = list(scripted)
        asked: list[float] = []

        def play(rate: Fraction, entropy: object, left: list[int] = left, asked: list[float] = asked) -> int:
            asked.append(float(rate))
            return left.pop(0)

        monkeypatch.setattr(module, "discrete_laplace", play)
        assert noise.draw(system_entropy()) == 7
        assert asked == pytest.approx(list(rates))


def test_draws_and_simulations_follow_the_law_and_not_that_of_a_smaller_margin() -> None:
    triangles = Triangles(3, 1, k=2, nodes=8, bound=75)
    frame = NumericFrame(75, Adjacency.EDGE)
    noise = NestedNoise(triangles, frame, Fraction(2), Fraction(1, 20))
    careless = NestedNoise(triangles, frame, Fraction(2), Fraction(9, 10))
    bins = np.arange(-12, 13)
    exact = np.array([noise.draw(system_entropy()) for _ in range(1000)])
    for drawn in (exact, noise.simulate(np.random.default_rng(2), 1000)):
        counts = np.append([(drawn == k).sum() for k in bins], (np.abs(drawn) > 12).sum())
        for law, fits in ((noise, True), (careless, False)):
            shares = np.exp(law.log_probabilities(bins))
            pvalue = chisquare(counts, np.append(shares, 1 - shares.sum()) * len(drawn)).pvalue
            assert bool(pvalue > 1e-6) is fits


def test_the_law_is_the_sum_over_all_three_noises() -> None:
    """Brute force over the first two noises, through the very clamps that a draw uses."""
    noise = NestedNoise(
        Triangles(3, 1, k=2, nodes=6, bound=30), NumericFrame(30, Adjacency.EDGE), Fraction(3), RATES[1]
    )
    steps, law, tail = np.arange(12), np.zeros(12), 0.0
    for first in range(-12, 13):
        second = noise._second_order(noise._common(first))
        rate = 3 / second
        for other in range(-250, 251):
            chance = np.tanh(3 / 2) * np.exp(-3 * abs(first)) * np.tanh(rate / 2) * np.exp(-rate * abs(other))
            last = 3 / noise._first_order(second, other)
            law += chance * np.tanh(last / 2) * np.exp(-last * steps)
            tail += chance * 2 * np.exp(-last * 4) / (1 + np.exp(-last))
    assert np.exp(noise.log_probabilities(steps)) == pytest.approx(law, rel=1e-9)
    assert np.exp(noise.log_tail(4)) == pytest.approx(tail, rel=1e-9)


def test_epsilon_is_split_in_three_and_delta_in_two() -> None:
    noise = NoisyLocalSensitivity("1/2", "1e-6").noise(problem(1000))
    assert noise.rate == Fraction(1, 6)
    assert noise.failure == Fraction(1, 2 * 10**6)


@pytest.mark.parametrize("bound", [60, 10**6], ids=["one by one", "blocks"])
def test_probabilities_add_up_to_one_to_tails_and_to_the_mean(bound: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SUMMED_ONE_BY_ONE", 100)
    frame, rates = NumericFrame(bound, Adjacency.EDGE), (Fraction(2), Fraction(1, 100))
    noise = NestedNoise(Triangles(9, 2, k=2, nodes=9, bound=bound), frame, *rates)
    window = np.arange(-3000, 3001)
    law = np.exp(noise.log_probabilities(window))
    assert law.sum() == pytest.approx(1, abs=1e-9)
    assert law @ np.abs(window) == pytest.approx(noise.mean_size(), rel=1e-7)
    for k in (1, 5, 40):
        assert np.exp(noise.log_tail(k)) == pytest.approx(law[np.abs(window) >= k].sum(), rel=1e-6)


def test_blocks_are_close_to_summing_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    triangles, frame, means = Triangles(900, 30, k=2, nodes=99, bound=9000), NumericFrame(9000, Adjacency.EDGE), []
    for singles in (64, 2**14):
        monkeypatch.setattr(module, "SUMMED_ONE_BY_ONE", singles)
        fresh = NestedNoise(triangles, frame, *RATES)
        means.append((fresh.mean_size(), float(fresh.log_probabilities(1000))))
    assert means[0] == pytest.approx(means[1], rel=1e-5)


def test_other_ladders_are_refused_before_anything_is_paid() -> None:
    budget, plain = Budget(epsilon=1, delta="1/100"), NumericProblem(NumericFrame(3, Adjacency.EDGE), 5)
    mechanism = NoisyLocalSensitivity(1, "1e-6")
    refusal = r"^problem must have a sensitivity.SecondOrder ladder for NoisyLocalSensitivity; this one has Constant$"
    for ask in (lambda: mechanism.release(plain, budget=budget), lambda: mechanism.log_probabilities(plain, [1])):
        with pytest.raises(ParameterError, match=refusal):
            ask()
    assert budget.spent.epsilon == 0
    with pytest.raises(ParameterError, match="NumericProblem"):
        mechanism.release(3, budget=budget)  # type: ignore[arg-type]
    assert isinstance(mechanism.release(problem(1000), budget=budget).value, int)
    assert budget.spent.epsilon == 1
    assert budget.spent.delta == Fraction("1e-6")


@pytest.mark.parametrize("delta", [0, 1, -1, None])
def test_a_delta_must_be_given(delta: object) -> None:
    with pytest.raises(ParameterError, match=r"^delta must [^\n]{,200}$"):
        NoisyLocalSensitivity(1, delta)  # type: ignore[arg-type]
