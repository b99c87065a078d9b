"""Bits from a seed, so that an experiment with the library's own draws can be repeated. Never for a release."""

import numpy as np
from numpy.typing import NDArray


class SeededEntropy:
    """What :class:`dampen.entropy.Entropy` asks for, from numpy's generator."""

    def __init__(self, key: list[int]) -> None:
        self._rng = np.random.default_rng(key)

    def bits(self, count: int) -> int:
        """A whole number made of ``count`` bits."""
        surplus = -count % 8
        return int.from_bytes(self._rng.bytes((count + surplus) // 8)) >> surplus

    def words(self, count: int, width: int) -> NDArray[np.uint16]:
        """``count`` whole numbers of ``width`` <= 16 bits each."""
        return self._rng.integers(2**width, size=count, dtype=np.uint16)
