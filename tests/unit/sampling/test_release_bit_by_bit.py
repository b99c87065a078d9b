"""What `release` draws, bit path by bit path, against `log_probabilities`.

First with short words (the table at 2 bits, 1 bit more at a time), where every path can be walked; then at full size,
where the one undecided prefix of 16 bits, the one undecided word of 64 bits after it, and the arbitrary-precision stage
behind that are forced one by one.
"""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx, fmpq

import dampen
from dampen import entropy
from dampen.audit import ScriptedEntropy, law_by_enumeration
from dampen.audit.scripted import OutOfBits
from dampen.mechanisms import Exponential, PermuteAndFlip, ReportNoisyMax, SelectionMechanism
from dampen.sampling import exact, tables

MECHANISMS: list[SelectionMechanism] = [
    Exponential(1),
    PermuteAndFlip(1),
    ReportNoisyMax(1, "laplace"),
    ReportNoisyMax(1, "exponential"),
    ReportNoisyMax(1, "gumbel"),
]


def problem(utilities: object, bound: int = 1) -> dampen.SelectionProblem:
    size = len(utilities)  # type: ignore[arg-type]
    frame = dampen.Frame(range(size), bound=bound, adjacency=dampen.Adjacency.ADD_REMOVE)
    return dampen.SelectionProblem(frame, utilities)


def released(
    mechanism: SelectionMechanism, asked: dampen.SelectionProblem, source: ScriptedEntropy, patch: pytest.MonkeyPatch
) -> int:
    patch.setattr(entropy, "system_entropy", lambda: source)
    return int(mechanism.release(asked, budget=dampen.Budget(epsilon=1)).value)


def short_words(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(tables, "WIDTH", 2)
    patch.setattr(exact, "MORE_BITS", 1)


DEPTH, FULL_DEPTH = 12, 15
by_depth = pytest.mark.parametrize("depth", [DEPTH, pytest.param(FULL_DEPTH, marks=pytest.mark.long)])


def largest_undecided(mechanism: SelectionMechanism, depth: int) -> float:
    """What may be open after so many bits: the exponential mechanism's tries start anew until one is accepted."""
    bounded_range = mechanism.privacy(problem([0]).frame).bounded_range
    one_try, tries = (0.05, 0.25) if depth == FULL_DEPTH else (0.1, 0.3)
    return one_try if bounded_range is None else tries


@by_depth
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
@pytest.mark.parametrize(
    "utilities",
    [[3, 2], [0.0, 0.7], dampen.Runs([1, 0], [1, 2]), [2, 2]],
    ids=["whole", "real", "runs", "tie"],
)
def test_every_path_of_short_words_adds_up_to_the_law(
    mechanism: SelectionMechanism, utilities: object, depth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    short_words(monkeypatch)
    asked = problem(utilities)
    drawn, undecided = law_by_enumeration(lambda source: released(mechanism, asked, source, monkeypatch), depth=depth)
    law = np.exp(np.asarray(mechanism.log_probabilities(asked)))
    assert undecided < largest_undecided(mechanism, depth)
    assert sum(drawn.values()) + undecided == 1
    for index, share in enumerate(law):
        low = drawn.get(index, Fraction(0))
        assert float(low) - 1e-12 <= share <= float(low + undecided) + 1e-12


@by_depth
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_a_wrong_law_does_not_fit(mechanism: SelectionMechanism, depth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    short_words(monkeypatch)
    asked = problem([3, 1])
    drawn, undecided = law_by_enumeration(lambda source: released(mechanism, asked, source, monkeypatch), depth=depth)
    wrong = np.exp(np.asarray(mechanism.log_probabilities(problem([30, 16], bound=10))))
    assert not float(drawn[1]) <= wrong[1] <= float(drawn[1] + undecided)


def word(value: int, width: int) -> tuple[int, ...]:
    return tuple(int(digit) for digit in f"{value:0{width}b}")


def scaled_threshold(x: Fraction, width: int) -> int:
    """floor(exp(-x) 2^width), certified."""
    with ctx.workprec(width + 64):
        edge = (arb(fmpq(-x.numerator, x.denominator)).exp() * arb((1, width))).floor().unique_fmpz()
    assert edge is not None
    return int(edge)


def second_shows_heads(script: tuple[int, ...], patch: pytest.MonkeyPatch) -> bool:
    """Whether permute-and-flip's second candidate, x = 1, shows heads when the script is followed.

    The first candidate is the best; its word is 0, which shows heads at once. The last draw takes the place of its
    first bit: 1 picks the second of two heads, and with one head picks the only one.
    """
    asked = problem([2, 0])
    places = 1 + 2 * (2).bit_length() + 2 * exact.MORE_BITS
    outcome = released(PermuteAndFlip(1), asked, ScriptedEntropy((*word(0, 16), *script, *([1] * places))), patch)
    return outcome == 1


def asks_for_more(script: tuple[int, ...], patch: pytest.MonkeyPatch) -> int:
    """How many bits the draw asks for beyond the script."""
    with pytest.raises(OutOfBits) as more:
        released(PermuteAndFlip(1), problem([2, 0]), ScriptedEntropy((*word(0, 16), *script)), patch)
    return more.value.missing


def test_the_first_sixteen_bits_decide_all_but_one_prefix(monkeypatch: pytest.MonkeyPatch) -> None:
    edge = scaled_threshold(Fraction(1), 16)
    for prefix in {*range(0, 1 << 16, 997), *range(edge - 40, edge + 41), (1 << 16) - 1} - {edge}:
        assert second_shows_heads(word(prefix, 16), monkeypatch) == (prefix < edge)
    assert asks_for_more(word(edge, 16), monkeypatch) == exact.MORE_BITS


@pytest.mark.long
def test_every_one_of_the_first_sixteen_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    edge = scaled_threshold(Fraction(1), 16)
    heads = sum(second_shows_heads(word(prefix, 16), monkeypatch) for prefix in range(1 << 16) if prefix != edge)
    assert heads == edge


def test_the_longer_and_the_arbitrary_precision_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    width = 16
    for _ in range(4):
        edge = scaled_threshold(Fraction(1), width)
        assert asks_for_more(word(edge, width), monkeypatch) == exact.MORE_BITS
        width += exact.MORE_BITS
        edge = scaled_threshold(Fraction(1), width)
        for offset in (-(1 << 40), -2, -1):
            assert second_shows_heads(word(edge + offset, width), monkeypatch)
        for offset in (1, 2, 1 << 40):
            assert not second_shows_heads(word(edge + offset, width), monkeypatch)
