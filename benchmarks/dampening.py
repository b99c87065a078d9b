"""Dampened scores of 1e5 candidates against the loop of their definition, by interleaved medians.

Run ``python -m benchmarks.dampening`` from the project's root. The loop walks the rungs of one candidate after the
other, as the definition reads; a peer library that dampens does not exist.
"""

import json
from pathlib import Path

import numpy as np

from benchmarks.targets import Target
from benchmarks.timing import interleaved_medians, stopwatch
from dampen.sensitivity import DegreeLike, RungTable, Step
from dampen.sensitivity.pairs import deficits_by_sum
from dampen.vectors import Floats

CANDIDATES, ROWS, ROUNDS = 100_000, 200, 9
RESULTS = Path(__file__).resolve().parent / "results" / "dampening.json"


def by_definition(utilities: Floats, rungs: Floats, bound: float) -> list[float]:
    """One candidate after the other, one rung after the other."""
    scores = []
    for utility, own in zip(np.abs(utilities).tolist(), rungs.T.tolist(), strict=True):
        rest, t = utility, 0
        while t < len(own) and rest > own[t]:
            rest, t = rest - own[t], t + 1
        scores.append(t + rest / (own[t] if t < len(own) else bound))
    return scores


def main() -> None:
    """Measure, print and write as JSON."""
    rng = np.random.default_rng(0)
    utilities = rng.normal(size=CANDIDATES) * 50
    rungs = np.sort(rng.uniform(0.05, 1, size=(ROWS, CANDIDATES)), axis=0)
    table = RungTable(rungs, bound=1)
    degrees = rng.integers(0, 300, size=CANDIDATES)
    degree_like = DegreeLike(degrees, np.linspace(0.05, 1, 2_000), bound=1)
    step = Step(rng.integers(0, 50, size=CANDIDATES), bound=1)
    measured = interleaved_medians(
        {
            "definition": stopwatch(lambda: by_definition(utilities, rungs, 1.0)),
            "RungTable": stopwatch(lambda: table.inverse(utilities)),
            "DegreeLike": stopwatch(lambda: degree_like.inverse(utilities)),
            "Step": stopwatch(lambda: step.inverse(utilities)),
            "pairwise, sum form": stopwatch(lambda: deficits_by_sum(utilities, table)),
        },
        rounds=ROUNDS,
        allowance=60.0,
    )
    loop = measured["definition"].seconds
    for name, result in measured.items():
        print(f"{name:<20} {result.seconds * 1e3:9.1f} ms   {loop / result.seconds:8.1f}x the loop of the definition")
    targets = [
        Target(
            "a table of 200 rows and 1e5 candidates takes under 0.2 s",
            0.2,
            {"RungTable": measured["RungTable"].seconds},
        ),
        Target(
            "closed forms take milliseconds: at most a fifth of the table",
            0.2,
            {name: measured[name].seconds / measured["RungTable"].seconds for name in ("DegreeLike", "Step")},
        ),
    ]
    for target in targets:
        print(target.line())
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps({name: result.seconds for name, result in measured.items()}, indent=1))


if __name__ == "__main__":
    main()
