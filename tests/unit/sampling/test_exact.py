"""The exact primitives: dice and coins."""

import os
from fractions import Fraction

import numpy as np
import pytest

from dampen.audit import ScriptedEntropy, law_by_enumeration
from dampen.entropy import SystemEntropy
from dampen.sampling import exact


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7])
def test_dice_are_fair(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "MORE_BITS", 2)
    law, undecided = law_by_enumeration(lambda source: exact.uniform_below(size, source), depth=15)
    assert undecided < Fraction(size, 2**11)
    for face in range(size):
        assert law[face] <= Fraction(1, size) <= law[face] + undecided


def test_dice_of_thousands_of_bits_stay_below_their_size() -> None:
    size = 3**2000
    assert all(0 <= exact.uniform_below(size, SystemEntropy()) < size for _ in range(20))


@pytest.mark.parametrize(("x", "doublings"), [("0", 0), ("1/3", 0), ("1", 0), ("7/2", 5), ("1", 1), ("40", 57)])
def test_coins_have_their_probability(x: str, doublings: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "MORE_BITS", 1)
    law, undecided = law_by_enumeration(lambda source: exact.coin(Fraction(x), source, doublings=doublings), depth=30)
    truth = np.exp(-float(Fraction(x)) + doublings * np.log(2))
    heads = law.get(True, Fraction(0))
    assert undecided <= Fraction(1, 2**30)
    assert float(heads) - 1e-12 <= truth <= float(heads + undecided) + 1e-12


def test_a_coin_on_the_edge_asks_again_rather_than_guess() -> None:
    """exp(-1) to 16 bits is 24109/65536 and something: this prefix alone cannot tell."""
    prefix = int(np.exp(-1) * 2**16)
    calls = 0

    class Counting(SystemEntropy):
        def bits(self, count: int) -> int:
            nonlocal calls
            calls += 1
            return super().bits(count)

    exact.coin(Fraction(1), Counting(), prefix=prefix, width=16)
    assert calls == 1
    exact.coin(Fraction(1), Counting(), prefix=prefix - 1, width=16)
    assert calls == 1


def test_working_precision_is_put_back() -> None:
    import flint

    before = flint.ctx.prec
    exact.coin(Fraction(1, 3), SystemEntropy())
    assert flint.ctx.prec == before


def test_scripts_play_back_most_significant_bit_first() -> None:
    source = ScriptedEntropy((1, 0, 1, 1, 0, 0, 1, 0))
    assert source.bits(3) == 5
    assert source.words(2, 2).tolist() == [2, 1]
    assert source.used == 7


def test_streams_of_parent_and_child_differ_after_a_fork() -> None:
    stream = SystemEntropy()
    stream.bits(8)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, stream.bits(256).to_bytes(32, "big"))
        os._exit(0)
    os.waitpid(child, 0)
    assert int.from_bytes(os.read(reader, 32), "big") != stream.bits(256)
    os.close(reader)
    os.close(writer)


def test_two_streams_differ_and_words_keep_their_width() -> None:
    assert SystemEntropy().bits(256) != SystemEntropy().bits(256)
    words = SystemEntropy().words(10_000, 5)
    assert words.dtype == np.uint16
    assert words.max() == 31
    assert words.min() == 0


def test_a_stream_without_entropy_fails_loudly(monkeypatch: pytest.MonkeyPatch) -> None:
    def empty(count: int) -> bytes:
        raise OSError("no entropy")

    monkeypatch.setattr(os, "urandom", empty)
    with pytest.raises(OSError, match="no entropy"):
        SystemEntropy()
