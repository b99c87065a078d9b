"""DP-EBM of interpret-core in an environment of its own, one line in and one line out.

Started with the path of a coded table. A line in is ``[epsilon, run]``, answered by the mean accuracy over the ten folds
of the run. Bounds and kinds of columns are those of the schema, and everything else, delta = 1e-5 too, is the default:
the guarantee is weaker than that of dampen's classifiers.
"""

import json
import sys
from typing import Any

import numpy as np
from interpret.privacy import DPExplainableBoostingClassifier

from benchmarks.folds import mean_accuracy


def main() -> None:
    """Answer line by line."""
    table = np.load(sys.argv[1])
    kinds = ["nominal" if nominal else "continuous" for nominal in table["nominal"]]
    ends = zip(table["low"].tolist(), table["high"].tolist(), strict=True)
    bounds = {place: pair for place, pair in enumerate(ends) if kinds[place] == "continuous"}
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        epsilon, run = json.loads(line)

        def make(_: int, epsilon: float = float(epsilon)) -> Any:
            return DPExplainableBoostingClassifier(
                feature_types=kinds, epsilon=epsilon, privacy_bounds=bounds, n_jobs=1
            )

        print(json.dumps(mean_accuracy(make, table["values"], table["classes"], run)), flush=True)


if __name__ == "__main__":
    main()
