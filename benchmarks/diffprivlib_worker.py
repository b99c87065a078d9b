"""Times diffprivlib in an environment of its own, one line in and one line out.

A line in is JSON, ``[mechanism, shape, size, epsilon]``; the line out is how many seconds one ``randomise()`` took. The
mechanism is built on its first run of a size and is not part of the time. The worker ends with its input.
"""

import json
import sys
from typing import Any

from diffprivlib import mechanisms

from benchmarks.scores import make_scores
from benchmarks.timing import stopwatch


class Shelf:
    """The mechanisms of one size; those of the last size are dropped when another one is asked for."""

    def __init__(self) -> None:
        self._size = 0
        self._built: dict[tuple[str, str], Any] = {}

    def mechanism(self, name: str, shape: str, size: int, epsilon: float) -> Any:
        """The built mechanism that these parameters describe."""
        if size != self._size:
            self._size, self._built = size, {}
        if (name, shape) not in self._built:
            utility = make_scores(shape, size).tolist()
            self._built[name, shape] = getattr(mechanisms, name)(epsilon=epsilon, sensitivity=1, utility=utility)
        return self._built[name, shape]


def main() -> None:
    """Say that diffprivlib is there, then answer line by line."""
    shelf = Shelf()
    print("ready", flush=True)
    for line in sys.stdin:
        print(stopwatch(shelf.mechanism(*json.loads(line)).randomise)(), flush=True)


if __name__ == "__main__":
    main()
