"""Ten folds of a table, the same in every process that asks for the same run. Needs numpy alone."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

FOLDS = 10


def folds(rows: int, run: int) -> Iterator[tuple[Any, Any]]:
    """For each fold the rows to fit on and the rows held out."""
    parts = np.array_split(np.random.default_rng(run).permutation(rows), FOLDS)
    for place, held in enumerate(parts):
        yield np.concatenate([*parts[:place], *parts[place + 1 :]]), held


def mean_accuracy(make: Callable[[int], Any], values: Any, classes: Any, run: int) -> float:
    """The mean share of right answers over the folds; ``make`` is told the number of records to fit on."""
    shares = []
    for kept, held in folds(len(classes), run):
        model = make(len(kept)).fit(values[kept], classes[kept])
        shares.append(float((model.predict(values[held]) == classes[held]).mean()))
    return float(np.mean(shares))
