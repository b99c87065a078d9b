"""diffprivlib's quantile in an environment of its own: one list of questions in, one list of answers out, as JSON.

A question is ``[file, quant, high, epsilon, times]``: the records in a NumPy file, with the bounds 0 and ``high``. Its
answer is ``[answers, seconds]``, one of each per release, or what diffprivlib raised, as a string.
"""

import json
import sys
from time import perf_counter
from typing import Any

import numpy as np
from diffprivlib import tools


def answer(file: str, quant: float, high: float, epsilon: float, times: int) -> Any:
    """Ask ``times`` times for the quantile of the records in a file."""
    records = np.load(file).astype(np.float64)
    answers, seconds = [], []
    for _ in range(times):
        start = perf_counter()
        try:
            answers.append(float(tools.quantile(records, quant, epsilon=epsilon, bounds=(0, high))))
        except RuntimeError as error:
            return f"{type(error).__name__}: {str(error)[:35]}"
        seconds.append(perf_counter() - start)
    return [answers, seconds]


if __name__ == "__main__":
    with np.errstate(invalid="ignore"):
        print(json.dumps([answer(*question) for question in json.load(sys.stdin)]))
