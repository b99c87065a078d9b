"""DP-EBM of interpret-core in an environment of its own, one line in and one line out.

Started with a folder of coded tables. A line in is ``[table, epsilon, run]``, answered by the mean accuracy over the
ten folds of the run. Bounds and kinds of columns are those of the schema, and everything else, delta = 1e-5 too, is the
default: the guarantee is weaker than that of dampen's classifiers.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from interpret.privacy import DPExplainableBoostingClassifier

from benchmarks.folds import mean_accuracy


def accuracy(table: Any, epsilon: float, run: int) -> float:
    """The mean over the folds."""
    kinds = ["nominal" if nominal else "continuous" for nominal in table["nominal"]]
    ends = zip(table["low"].tolist(), table["high"].tolist(), strict=True)
    bounds = {place: pair for place, pair in enumerate(ends) if kinds[place] == "continuous"}

    def make(_: int) -> Any:
        return DPExplainableBoostingClassifier(feature_types=kinds, epsilon=epsilon, privacy_bounds=bounds, n_jobs=1)

    return mean_accuracy(make, table["values"], table["classes"], run)


def main() -> None:
    """Answer line by line."""
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        name, epsilon, run = json.loads(line)
        print(json.dumps(accuracy(np.load(Path(sys.argv[1]) / f"{name}.npz"), float(epsilon), run)), flush=True)


if __name__ == "__main__":
    main()
