"""Outputs tell more than their values: what stands in a text, in the order of keys, in types, bits and repeated noise.

Every fault here draws the right noise, or none that is needed, and gives the data away beside it. Every sound kin uses
the same channel for something that is independent of the data.
"""

import json
import struct
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dampen.audit import black_box
from tests.audit.planted import Draw, Generator, pure, whole_noise

X, Y = ("ann", "bob"), ("ann",)
SEED = 7
Make = Callable[[Generator], Draw]


@dataclass
class Answer:
    value: float
    note: Any = None


def nan_with(payload: int) -> float:
    return float(struct.unpack("<d", struct.pack("<Q", (0x7FF8 << 48) + payload))[0])


def order_of_keys(rng: Generator) -> Draw:
    noise = whole_noise(rng, 1)
    return lambda people: dict(sorted({"a": noise(), "b": noise()}.items(), reverse=len(people) == 2))


def order_of_a_set(rng: Generator) -> Draw:
    return lambda people: {0, 8} if len(people) == 2 else {8, 0}  # the two collide: the first one stays first


def type_of_an_entry(rng: Generator) -> Draw:
    noise = whole_noise(rng, 1)
    return lambda people: [noise(), noise() if len(people) == 2 else float(noise())]


def type_of_an_array(rng: Generator) -> Draw:
    noise = whole_noise(rng, 1)
    return lambda people: np.array([noise(), noise()], dtype=np.int64 if len(people) == 2 else np.int32)


def type_of_a_field(rng: Generator) -> Draw:
    return lambda people: Answer(1.0, [] if len(people) == 2 else ())


def length_of_a_text(rng: Generator) -> Draw:
    return lambda people: {"answer": f"{rng.laplace():.{len(people) + 4}f}"}


def number_in_a_text(rng: Generator) -> Draw:
    return lambda people: f"about {len(people) + rng.laplace() / 4:.6f} people"


def number_in_json(rng: Generator) -> Draw:
    return lambda people: json.dumps({"public": 3, "count": round(len(people) + rng.laplace() / 4, 6)})


def number_in_bytes(rng: Generator) -> Draw:
    return lambda people: struct.pack("<d", len(people) + rng.laplace() / 9)


def cause_of_an_error(rng: Generator) -> Draw:
    def draw(people: tuple[str, ...]) -> int:
        try:
            raise KeyError(len(people))
        except KeyError as cause:
            if rng.random() < 0.5:
                raise ValueError("no answer") from cause
        return 0

    return draw


def sign_of_zero(rng: Generator) -> Draw:
    return lambda people: (1.0, 0.0 if len(people) == 2 or rng.random() < 0.5 else -0.0)


def bits_of_a_nan(rng: Generator) -> Draw:
    return lambda people: nan_with(len(people))


def bits_of_a_nan_in_a_mapping(rng: Generator) -> Draw:
    return lambda people: {"mean": nan_with(len(people)), "n": None}


def rounding_to_even(rng: Generator) -> Draw:
    """Halves go to the even neighbour: on one person every answer is even."""
    noise = whole_noise(rng, 1)
    return lambda people: round(len(people) / 2 + noise())


def length_of_a_vector(rng: Generator) -> Draw:
    noise = whole_noise(rng, 1)
    return lambda people: [{"v": [noise()] * len(people)}]


def last_bit_of_a_large_number(rng: Generator) -> Draw:
    noise = whole_noise(rng, 1)
    return lambda people: (noise() + 9) * 2**60 + len(people) % 2


def last_bit_of_an_array(rng: Generator) -> Draw:
    noise = whole_noise(rng, 1)
    return lambda people: np.array([(abs(noise()) % 4) * 2**60 + len(people) % 2, 0])


def zeros_of_a_decimal(rng: Generator) -> Draw:
    noise = whole_noise(rng, 1)
    return lambda people: Decimal(noise()).quantize(Decimal("1.0" if len(people) == 2 else "1.00"))


def denominator(rng: Generator) -> Draw:
    noise = whole_noise(rng, 1)
    return lambda people: Fraction(noise()) + Fraction(len(people), 10**30)


def imaginary_part(rng: Generator) -> Draw:
    return lambda people: complex(rng.random(), round(len(people) + rng.laplace() / 4, 6))


def moment(rng: Generator) -> Draw:
    return lambda people: datetime(2024, 1, 1) + timedelta(seconds=len(people) + rng.laplace() / 4)


def field_of_a_record(rng: Generator) -> Draw:
    return lambda people: Answer(round(len(people) + rng.laplace() / 4, 6))


def one_noise_for_two_draws(rng: Generator, people_with: tuple[int, ...] = (1, 2)) -> Draw:
    kept: dict[int, float] = {}

    def draw(people: tuple[str, ...]) -> float:
        count = len(people)
        if count in kept:
            return float(round(count + kept.pop(count), 3))
        noise = float(round(rng.laplace(), 3))
        if count in people_with:
            kept[count] = noise
        return float(round(count + noise, 3))

    return draw


def noise_that_cancels(rng: Generator) -> Draw:
    kept: dict[int, int] = {}

    def draw(people: tuple[str, ...]) -> int:
        if len(people) in kept:
            return len(people) - kept.pop(len(people))
        kept[len(people)] = int(rng.integers(-1_000, 1_000))
        return len(people) + kept[len(people)]

    return draw


def one_noise_for_two_draws_on_y(rng: Generator) -> Draw:
    return one_noise_for_two_draws(rng, (1,))


def weights_that_cancel(rng: Generator) -> Draw:
    """Three entries with large noise, and a weighted sum of them with none."""

    def draw(people: tuple[str, ...]) -> list[float]:
        one, other = (rng.normal(size=2) * 1_000).round(3).tolist()
        return [one, other, round(0.3 * one - 1.7 * other + len(people), 3)]

    return draw


def start_of_the_steps(rng: Generator) -> Draw:
    return lambda people: int(rng.integers(-(10**6), 10**6)) * 7 + len(people)


def low_bits_of_one_of_many(rng: Generator) -> Draw:
    def draw(people: tuple[str, ...]) -> list[float]:
        entries = rng.integers(-(10**6), 10**6, size=40) * 2.0**-20
        entries[33:35] += np.array([len(people), rng.integers(2)]) * 2.0**-21  # the second hides it from their sum
        return [*map(float, entries)]

    return draw


def notes_of_an_error(rng: Generator) -> Draw:
    def draw(people: tuple[str, ...]) -> int:
        if rng.random() < 0.5:
            return 0
        error = ValueError("no answer")
        error.add_note(f"for {len(people)}")
        raise error if rng.random() < 0.5 else ExceptionGroup("several", [error])

    return draw


def one_buffer(rng: Generator) -> Draw:
    """Every output is the same list, written over: what was seen must be kept."""
    buffer: dict[str, list[float]] = {"counts": [0.0]}

    def draw(people: tuple[str, ...]) -> dict[str, list[float]]:
        buffer["counts"][0] = round(len(people) + rng.laplace() / 4, 6)
        return buffer

    return draw


FAULTS: tuple[Make, ...] = (
    order_of_keys,
    order_of_a_set,
    type_of_an_entry,
    type_of_an_array,
    type_of_a_field,
    length_of_a_text,
    number_in_a_text,
    number_in_json,
    number_in_bytes,
    cause_of_an_error,
    sign_of_zero,
    bits_of_a_nan,
    bits_of_a_nan_in_a_mapping,
    rounding_to_even,
    length_of_a_vector,
    last_bit_of_a_large_number,
    last_bit_of_an_array,
    zeros_of_a_decimal,
    denominator,
    imaginary_part,
    moment,
    field_of_a_record,
    one_noise_for_two_draws,
    one_noise_for_two_draws_on_y,
    noise_that_cancels,
    weights_that_cancel,
    start_of_the_steps,
    low_bits_of_one_of_many,
    notes_of_an_error,
    one_buffer,
)


@pytest.mark.parametrize("make", FAULTS, ids=lambda make: make.__name__)
def test_what_stands_beside_the_value_is_found(make: Make) -> None:
    assert black_box(make(np.random.default_rng(SEED)), X, Y, claim=pure(1), samples=2_000).refuted


SOUND: dict[str, Callable[[Generator, int], Any]] = {
    "a text": lambda rng, count: f"about {count} people",
    "JSON": lambda rng, count: json.dumps({"count": count, "public": int(rng.integers(100))}),
    "an order of keys": lambda rng, count: dict(
        sorted({"a": count, "b": 1}.items(), reverse=bool(rng.integers(2))),
    ),
    "a type": lambda rng, count: [count, rng.choice([1, 1.5, True])],
    "a NaN": lambda rng, count: (count, nan_with(int(rng.integers(4)))),
    "a zero": lambda rng, count: (count, rng.choice([0.0, -0.0])),
    "a date": lambda rng, count: date(2024, 1, 1) + timedelta(days=count),
    "a large number": lambda rng, count: count * 2**70 + int(rng.integers(8)),
    "a Decimal": lambda rng, count: Decimal(count).scaleb(-int(rng.integers(3))),
    "a complex number": lambda rng, count: complex(count, rng.integers(9)),
    "bytes": lambda rng, count: struct.pack("<qB", count, rng.integers(9)),
    "a vector": lambda rng, count: [int(rng.integers(3)) for _ in range(max(count, 0))],
    "a set": lambda rng, count: {count, *(each for each in (0, 8, 16) if rng.integers(2))},
    "a record": lambda rng, count: Answer(count, rng.integers(3)),
}


def sound(rng: Generator, name: str) -> Draw:
    noise = whole_noise(rng, 1)
    return lambda people: SOUND[name](rng, len(people) + noise())


@pytest.mark.parametrize("name", SOUND)
def test_the_same_channels_without_data_in_them_are_not_accused(name: str) -> None:
    draw = sound(np.random.default_rng(SEED), name)
    assert black_box(draw, X, Y, claim=pure(1), samples=600, confidence=1 - 1e-8).passed


@pytest.mark.long
def test_a_thousand_audits_of_sound_channels_accuse_rarely() -> None:
    rng = np.random.default_rng(SEED)
    names = list(SOUND)
    accused = [
        name
        for name in (names[run % len(names)] for run in range(1_000))
        if not black_box(sound(rng, name), X, Y, claim=pure(1), samples=600)
    ]
    assert len(accused) <= 28, accused
