"""The chi-square test: its cells, how often it is wrong about a right draw, and how often it finds a wrong one."""

from collections.abc import Iterator

import numpy as np
import pytest
from scipy.special import chdtri
from scipy.stats import binom, chisquare, ncx2

from dampen.audit import cells
from dampen.vectors import Floats

LAWS: dict[str, Floats] = {
    "coin": np.array([0.5, 0.5]),
    "biased": np.array([0.25, 0.75]),
    "nearly sure": np.array([0.99, 0.01]),
    "a rare third": np.array([0.6, 0.39999, 0.00001]),
    "four": np.array([0.4, 0.3, 0.2, 0.1]),
    "sixteen": np.full(16, 1 / 16),
    "many": np.full(1000, 1e-3),
    "geometric": np.append(0.5 ** np.arange(1, 41), 0.5**40),
    "one and many": np.append(np.full(500, 1e-3), 0.5),
    "wide": np.tanh(0.05) * np.exp(-0.1 * np.abs(np.arange(-300, 301))),
}
each_law = pytest.mark.parametrize("law", [law / law.sum() for law in LAWS.values()], ids=LAWS)


@each_law
def test_every_place_has_a_cell_and_every_cell_enough(law: Floats) -> None:
    table = cells.gather(law)
    assert table.of.shape == law.shape
    assert table.shares == pytest.approx(np.bincount(table.of, weights=law))
    assert table.shares.sum() == pytest.approx(1)
    assert (table.shares[:-1] >= cells.CELL - 1e-12).all()
    assert len(table.shares) <= 17
    for place in np.flatnonzero(law >= cells.CELL):
        assert (table.of == table.of[place]).sum() == 1


def test_impossible_places_make_no_cell() -> None:
    table = cells.gather(np.array([0.0, 0.5, 0.0, 0.5, 0.0]))
    assert table.shares.tolist() == [0.5, 0.5]
    assert cells.gather(np.array([0.0, 1.0])).shares.tolist() == [1.0]
    assert cells.gather(np.array([0.0, 1.0])).p_value(np.array([0, 99])) == 1


def test_the_statistic_is_that_of_pearson_where_all_is_expected_often() -> None:
    law, counts = LAWS["four"], np.array([900, 810, 490, 300])
    table = cells.gather(law)
    assert table.p_value(counts) == pytest.approx(chisquare(counts, law * 2500).pvalue)
    assert table.p_value(np.array([1000, 750, 500, 250])) == 1


def test_where_little_is_expected_little_is_concluded() -> None:
    """Two of 2,200 where 0.02 are expected: Pearson's test would refuse a right draw once in 4,000 times."""
    counts = np.array([1320, 878, 2])
    assert chisquare(counts, LAWS["a rare third"] * 2200).pvalue < 1e-6
    assert cells.gather(LAWS["a rare third"]).p_value(counts) > 0.9


@pytest.mark.parametrize("draws", [2200, 2850, 10_000])
def test_a_right_draw_of_two_cells_is_refused_less_than_three_times_in_a_million(draws: int) -> None:
    """Exactly, by the binomial law, for every share of the rarer cell."""
    counts, critical = np.arange(draws + 1), chdtri(1, cells.ALPHA)
    for share in (1e-6, 1e-4, 0.01, 0.02, 0.03, 0.04, 0.05, 0.1, 0.2, 0.3, 0.5):
        expected = draws * share
        weights = 1 / max(expected, cells.LEAST_WEIGHT) + 1 / max(draws - expected, cells.LEAST_WEIGHT)
        refused = (counts - expected) ** 2 * weights > critical
        assert binom.pmf(counts[refused], draws, share).sum() < 3e-6


def deviations(law: Floats) -> Iterator[Floats]:
    """Laws in which an event of cells, of probability 1/4 or more, is off by 30 % either way, as evenly as may be."""
    table = cells.gather(law)
    shares = table.shares
    for first in range(len(shares)):
        order = np.roll(np.arange(len(shares)), -first)
        event = order[: int(np.searchsorted(np.cumsum(shares[order]), cells.EVENT - 1e-9)) + 1]
        chance = shares[event].sum()
        for factor in (1 - cells.DEVIATION, 1 + cells.DEVIATION):
            if chance * factor < 1 and chance < 1:
                inside = np.isin(table.of, event)
                yield law * np.where(inside, factor, (1 - chance * factor) / (1 - chance))


@each_law
def test_a_law_that_is_30_percent_wrong_is_found_as_often_as_is_said(law: Floats) -> None:
    table, rng, tried = cells.gather(law), np.random.default_rng(20240229), 0
    draws = cells.draws_needed(len(table.shares))
    critical, expected = chdtri(len(table.shares) - 1, cells.ALPHA), table.shares * draws
    for wrong in deviations(law):
        assert wrong.sum() == pytest.approx(1)
        shares = np.bincount(table.of, weights=wrong)
        samples = rng.multinomial(draws, shares / shares.sum(), size=8_000)
        found = ((samples - expected) ** 2 / np.maximum(expected, cells.LEAST_WEIGHT)).sum(axis=1) > critical
        assert found.mean() >= cells.LEAST_POWER
        tried += 1
        one = cells.Cells(np.arange(len(table.shares)), table.shares).p_value(samples[0])
        assert (one < cells.ALPHA) == found[0]
    assert tried >= 1


@each_law
def test_a_right_law_is_not_refused(law: Floats) -> None:
    table, rng = cells.gather(law), np.random.default_rng(20240301)
    samples = rng.multinomial(cells.draws_needed(len(table.shares)), law, size=400)
    assert min(table.p_value(sample) for sample in samples) > 1e-5


def test_half_the_draws_would_not_do() -> None:
    """The number of draws is what the power needs, and not much more: half of them miss one wrong law in four."""
    needed = cells.draws_needed(2)
    assert cells.nominal_power(needed, 2) >= cells.NOMINAL_POWER > cells.nominal_power(needed - cells.STEP, 2)
    rng, table = np.random.default_rng(0), cells.gather(LAWS["biased"])
    samples = rng.multinomial(needed // 2, [0.25 * 1.3, 1 - 0.25 * 1.3], size=1000)
    assert 0.5 < np.mean([table.p_value(sample) < cells.ALPHA for sample in samples]) < 0.9


@pytest.mark.parametrize("count", [2, 9, 17])
def test_the_nominal_power_is_that_of_the_noncentral_law(count: int) -> None:
    draws = cells.draws_needed(count)
    distance = 0.075**2 * (4 + 1 / (0.75 + 100 / draws))
    expected = ncx2.sf(chdtri(count - 1, 1e-6), count - 1, draws * distance)
    assert cells.nominal_power(draws, count) == pytest.approx(expected, abs=1e-9)
    assert 2400 < draws < 4000


def test_with_one_cell_every_deviation_shows_at_once() -> None:
    assert cells.draws_needed(1) == cells.draws_needed(2)
