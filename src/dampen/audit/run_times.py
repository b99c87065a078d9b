"""Do run times tell two data sets apart? A hint, never a proof: machines have moods."""

import time
from typing import Any

from dampen.audit.drawing import Draw, draw_one
from dampen.audit.probe_report import ProbeFinding, hint, nothing

ROUNDS = 100
LIKELY = 1e-6
"""A difference that chance alone would show less often is told."""


def probe_times(draw: Draw, x: Any, y: Any) -> ProbeFinding:
    """A test of ranks (Mann and Whitney) on run times that were taken in turns."""
    from scipy.stats import mannwhitneyu

    times: tuple[list[float], list[float]] = [], []
    for turn in range(ROUNDS):
        for place in (0, 1) if turn % 2 else (1, 0):  # neither is always the first
            times[place].append(_run_time(draw, (x, y)[place]))
    chance = float(mannwhitneyu(*times, alternative="two-sided").pvalue)
    middle = [1e6 * sorted(each)[ROUNDS // 2] for each in times]
    told = f"{middle[0]:.0f} microseconds on x and {middle[1]:.0f} on y in the middle of {ROUNDS} runs"
    if chance < LIKELY:
        return hint("time", f"{told}: by chance alone so different once in {1 / max(chance, 1e-300):.1g} times")
    return nothing("time", f"{told}: chance may do that")


def _run_time(draw: Draw, data: Any) -> float:
    start = time.perf_counter()
    draw_one(draw, data)
    return time.perf_counter() - start
