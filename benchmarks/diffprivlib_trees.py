"""Trees and forests of diffprivlib in an environment of its own, one line in and one line out.

Started with the path of a coded table. A line in is ``["seconds", model, depth, epsilon, trees]``, answered by how long
one fit took, or ``["accuracy", model, depth, epsilon, run]``, answered by the mean accuracy over the ten folds of a run.
Bounds and classes are those of the schema; everything else is diffprivlib's default.
"""

import json
import sys
from typing import Any

import numpy as np
from diffprivlib.models import DecisionTreeClassifier, RandomForestClassifier

from benchmarks.folds import mean_accuracy
from benchmarks.timing import stopwatch


def main() -> None:
    """Answer line by line."""
    table = np.load(sys.argv[1])
    values, classes = table["values"], table["classes"]
    public = {"bounds": (table["low"], table["high"]), "classes": list(range(int(classes.max()) + 1))}
    print(json.dumps("ready"), flush=True)

    def make(model: str, depth: int, epsilon: float, trees: int | None) -> Any:
        if model == "tree":
            return DecisionTreeClassifier(max_depth=depth, epsilon=epsilon, **public)
        count = {} if trees is None else {"n_estimators": trees}
        return RandomForestClassifier(max_depth=depth, epsilon=epsilon, **count, **public)

    for line in sys.stdin:
        asked, model, depth, epsilon, last = json.loads(line)
        if asked == "seconds":
            made = make(model, depth, float(epsilon), last)
            answer = stopwatch(lambda made=made: made.fit(values, classes))()  # type: ignore[misc]
        else:
            new = (model, depth, float(epsilon), None)
            answer = mean_accuracy(lambda _, new=new: make(*new), values, classes, last)  # type: ignore[misc]
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
