"""Permute-and-flip draws the same bits and does the same work whatever the scores."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from dampen.entropy import Entropy
from dampen.sampling import exact, flips
from dampen.sampling.exponents import Exponents
from dampen.vectors import Integers

N = 4 * 65_536


class EveryWordInTurn:
    """Each 16-bit word equally often; counts what is asked for."""

    def __init__(self) -> None:
        self.words_drawn = self.bits_drawn = 0

    def words(self, count: int, width: int) -> NDArray[np.uint16]:
        first = self.words_drawn
        self.words_drawn += count
        return (np.arange(first, first + count) % 65_536).astype(np.uint16)

    def bits(self, count: int) -> int:
        self.bits_drawn += count
        return 1 << (count - 1)


def one_winner() -> Integers:
    scores = np.zeros(N, dtype=np.int64)
    scores[N // 2 + 9] = 5_000
    return scores


@pytest.mark.parametrize("shape", ["ties", "one winner"])
def test_coins_and_exact_comparisons_are_the_same_for_ties_and_one_winner(
    shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = np.zeros(N, dtype=np.int64) if shape == "ties" else one_winner()
    exact_coins = []
    coin = exact.coin

    def counting(x: Fraction, entropy: Entropy, *, prefix: int, width: int) -> bool:
        exact_coins.append(x)
        return coin(x, entropy, prefix=prefix, width=width)

    monkeypatch.setattr(exact, "coin", counting)
    source = EveryWordInTurn()
    flips.draw_by_flips(Exponents.of_whole(scores, Fraction(1, 2)), source)
    assert source.words_drawn == N
    assert len(exact_coins) == N // 65_536


def test_heads_are_what_the_words_say() -> None:
    scores = np.repeat(np.array([3, 2, 0]), 65_536)
    heads = flips.flip_all(Exponents.of_whole(scores, Fraction(1)), EveryWordInTurn())
    counts = heads.reshape(3, 65_536).sum(axis=1)
    assert counts[0] == 65_536
    assert abs(int(counts[1]) - 65_536 * np.exp(-1)) <= 1
    assert abs(int(counts[2]) - 65_536 * np.exp(-3)) <= 1


def test_the_nth_true_is_found_across_chunks() -> None:
    mask = np.zeros(3 * flips.CHUNK + 5, dtype=np.bool_)
    places = [0, 7, flips.CHUNK - 1, flips.CHUNK, 2 * flips.CHUNK + 3, len(mask) - 1]
    mask[places] = True
    assert [flips.nth_true(mask, nth) for nth in range(len(places))] == places
    with pytest.raises(IndexError):
        flips.nth_true(mask, len(places))
