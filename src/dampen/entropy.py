"""Where random bits come from: AES-256 in counter mode, keyed from the operating system.

Every release opens its own stream with a fresh key, so threads share nothing. A stream that crosses a fork takes a new
key before its next bit, so this is also where it is known which process runs. There is no seed.
"""

import os
from typing import Protocol

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import NDArray

_forks = 0


def this_process() -> tuple[int, int]:
    """How many forks led here, and the system's number: never those of a process that this one was forked from.

    The number alone would not do: where a child is the first process of a new namespace, its parent may have been the
    first of an older one, and both are number 1. The forks alone would not do either: C code may fork unseen.
    """
    return _forks, os.getpid()


def _count_fork() -> None:
    global _forks
    _forks += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_count_fork)


class Entropy(Protocol):
    """A source of independent fair bits."""

    def bits(self, count: int) -> int:
        """A whole number made of ``count`` fair bits."""
        ...

    def words(self, count: int, width: int) -> NDArray[np.uint16]:
        """``count`` whole numbers of ``width`` <= 16 fair bits each."""
        ...


class SystemEntropy:
    """Fair bits from AES-CTR under a key of the operating system's; takes a new key after a fork."""

    def __init__(self) -> None:
        self._rekey()

    def _rekey(self) -> None:
        self._process = this_process()
        cipher = Cipher(algorithms.AES(os.urandom(32)), modes.CTR(os.urandom(16)))
        self._stream = cipher.encryptor()

    def _bytes(self, count: int) -> bytes:
        if this_process() != self._process:
            self._rekey()
        return self._stream.update(bytes(count))

    def bits(self, count: int) -> int:
        """A whole number made of ``count`` fair bits."""
        surplus = -count % 8
        return int.from_bytes(self._bytes((count + surplus) // 8)) >> surplus

    def words(self, count: int, width: int) -> NDArray[np.uint16]:
        """``count`` whole numbers of ``width`` <= 16 fair bits each."""
        full = np.frombuffer(self._bytes(2 * count), dtype=np.uint16)
        return full if width == 16 else full >> np.uint16(16 - width)


def system_entropy() -> Entropy:
    """A fresh stream; the one door through which a release reaches randomness."""
    return SystemEntropy()
