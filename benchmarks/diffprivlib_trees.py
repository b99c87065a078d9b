"""Trees and forests of diffprivlib in an environment of its own, one line in and one line out.

Started with a folder of coded tables. A line in is ``["seconds", table, model, depth, epsilon, trees]``, answered by
how long one fit took, by the clock and of the processor, or ``["accuracy", table, model, depth, epsilon, run]``,
answered by the mean accuracy over the ten folds of a run. Bounds and classes are those of the schema; everything else
is diffprivlib's default.
"""

import json
import sys
from functools import cache
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from diffprivlib.models import DecisionTreeClassifier, RandomForestClassifier

from benchmarks.folds import mean_accuracy
from benchmarks.timing import stopwatch


class Table:
    """Values, classes and what is public of them."""

    def __init__(self, path: Path) -> None:
        read = np.load(path)
        self.values, self.classes = read["values"], read["classes"]
        self.public = {"bounds": (read["low"], read["high"]), "classes": list(range(int(self.classes.max()) + 1))}

    def make(self, model: str, depth: int, epsilon: float, trees: int | None = None) -> Any:
        """An unfitted classifier."""
        if model == "tree":
            return DecisionTreeClassifier(max_depth=depth, epsilon=epsilon, **self.public)
        count = {} if trees is None else {"n_estimators": trees}
        return RandomForestClassifier(max_depth=depth, epsilon=epsilon, **count, **self.public)

    def seconds(self, model: str, depth: int, epsilon: float, trees: int | None) -> tuple[float, float]:
        """How long a fit took."""
        made, start = self.make(model, depth, epsilon, trees), process_time()
        by_clock = stopwatch(lambda: made.fit(self.values, self.classes))()
        return by_clock, process_time() - start

    def accuracy(self, model: str, depth: int, epsilon: float, run: int) -> float:
        """Its mean over the folds."""
        return mean_accuracy(lambda _: self.make(model, depth, epsilon), self.values, self.classes, run)


def main() -> None:
    """Answer line by line."""
    tables = cache(lambda name: Table(Path(sys.argv[1]) / f"{name}.npz"))
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        asked, name, model, depth, epsilon, last = json.loads(line)
        print(json.dumps(getattr(tables(name), asked)(model, depth, float(epsilon), last)), flush=True)


if __name__ == "__main__":
    main()
