"""Groups of a million people: who is in which, and how many.

Run ``python -m benchmarks.groups`` from the project's root. Peers that are not installed are left out and named.
benchmarks/README.md says what is timed.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import dampen
from benchmarks.targets import Target
from benchmarks.timing import Run, interleaved_medians, stopwatch
from dampen.vectors import Integers

PEOPLE, GROUPS = 10**6, 100
ADULT = 48_842
"""As many people as Adult has, in two groups, for TRIODE and TRIODE-H."""
CELLS = 2000
"""The most people that dampened TRIODE takes."""
RESULTS = Path(__file__).resolve().parent / "results" / "groups.json"


def people(count: int, groups: int) -> tuple[Integers, Integers]:
    """Ids, and a group for each, of unequal sizes."""
    rng = np.random.default_rng(0)
    return np.arange(count), np.minimum((rng.random(count) ** 2 * groups).astype(np.int64), groups - 1)


def told(count: int, groups: int, method: str) -> Callable[[], object]:
    """One whole call of release_group_members, reading included."""
    ids, held = people(count, groups)
    categories = tuple(range(groups))
    return lambda: dampen.release_group_members(
        ids, held, categories=categories, epsilon=1, budget=dampen.Budget(epsilon=1), method=method
    )


def counted() -> Callable[[], object]:
    """One whole count of all groups of a table, counting included."""
    _, held = people(PEOPLE, GROUPS)
    columns = {"group": dampen.Category(*range(GROUPS))}

    def run() -> object:
        table = dampen.Table({"group": held}, columns=columns, budget=dampen.Budget(epsilon=1))
        return table.by("group").count(epsilon=1)

    return run


def numpy_response() -> Callable[[], object]:
    """Randomised response in floats, from numpy's generator: not private to the last bit, and what speed can be had."""
    ids, held = people(PEOPLE, GROUPS)

    def run() -> list[Any]:
        rng = np.random.default_rng()
        keep = rng.random(PEOPLE) < np.e / (np.e + GROUPS - 1)
        answers = np.where(keep, held, (held + rng.integers(1, GROUPS, PEOPLE)) % GROUPS)
        order = np.argsort(answers, kind="stable")
        return np.split(ids[order], np.cumsum(np.bincount(answers, minlength=GROUPS))[:-1])

    return run


def numpy_counts() -> Callable[[], object]:
    """Counts and Laplace noise in floats."""
    _, held = people(PEOPLE, GROUPS)
    return lambda: np.bincount(held, minlength=GROUPS) + np.random.default_rng().laplace(scale=1, size=GROUPS)


def opendp_response(sample: int) -> Callable[[], object]:
    """OpenDP's exact randomised response, one person at a time, on a sample of the people."""
    measurements = import_module("opendp.measurements")
    import_module("opendp.prelude").enable_features("contrib")
    single = measurements.make_randomized_response(list(range(GROUPS)), prob=float(np.e / (np.e + GROUPS - 1)))
    held = people(PEOPLE, GROUPS)[1][:sample].tolist()
    return lambda: [single(group) for group in held]


def measured(rounds: int, sample: int) -> tuple[dict[str, float], list[str]]:
    """Seconds of everybody, in one run; and who is not installed."""
    contestants: dict[str, Callable[[], object]] = {
        "randomised_response, 1e6 people in 100 groups": told(PEOPLE, GROUPS, "randomised_response"),
        "by(...).count, 1e6 people in 100 groups": counted(),
        "numpy's floats: randomised response": numpy_response(),
        "numpy's floats: counts": numpy_counts(),
        "triode, 48,842 people in 2 groups": told(ADULT, 2, "triode"),
        "triode_h, 48,842 people in 2 groups": told(ADULT, 2, "triode_h"),
        "dampened_triode, 2,000 people in 2 groups": told(CELLS, 2, "dampened_triode"),
    }
    absent = [] if find_spec("opendp") else ["opendp"]
    if not absent:
        contestants["OpenDP: randomised response (extrapolated)"] = opendp_response(sample)
    runs: dict[str, Run] = {name: stopwatch(action) for name, action in contestants.items()}
    seconds = {who: figure.seconds for who, figure in interleaved_medians(runs, rounds=rounds, allowance=30).items()}
    for who in seconds:
        seconds[who] *= PEOPLE / sample if "extrapolated" in who else 1
    return seconds, absent


MEMORY = """
from benchmarks import groups
groups.{what}()
[peak] = [line for line in open("/proc/self/status") if line.startswith("VmHWM")]
print(int(peak.split()[1]) * 1024)
"""


def peak_memory(what: str) -> float:
    """Bytes at the peak of a process of its own, Python and all imports included (Linux alone tells it)."""
    done = subprocess.run([sys.executable, "-c", MEMORY.format(what=what)], capture_output=True, text=True, check=True)
    return float(done.stdout)


def tell_a_million() -> None:
    """For the process whose memory is measured."""
    told(PEOPLE, GROUPS, "randomised_response")()


def count_a_million() -> None:
    """For the process whose memory is measured."""
    counted()()


def targets(seconds: dict[str, float], memory: dict[str, float]) -> list[Target]:
    """The promises of this page."""
    million = {who: taken for who, taken in seconds.items() if "1e6" in who}
    adult = {who: taken for who, taken in seconds.items() if "48,842" in who}
    ours = seconds["randomised_response, 1e6 people in 100 groups"]
    peers = {who: taken / ours for who, taken in seconds.items() if who.startswith("OpenDP")}
    floats = {"randomised_response": ours / seconds["numpy's floats: randomised response"]}
    return [
        Target("1e6 people in 100 groups in 2 s", 2, million),
        Target("... and in 1 GB", 10**9, memory),
        Target("TRIODE and TRIODE-H of 48,842 people in 0.2 s", 0.2, adult),
        Target("at most 20 times numpy's floats, reading and checking included", 20, floats),
        Target("OpenDP takes at least 5 times as long", 5, peers, at_least=True),
    ]


def main(given: list[str] | None = None) -> None:
    """Measure, write and show."""
    parser = argparse.ArgumentParser(description="Groups of a million people.")
    parser.add_argument("--quick", action="store_true", help="3 rounds instead of 15")
    parser.add_argument("--out", type=Path, default=RESULTS, help="file for the figures, as JSON")
    options = parser.parse_args(given)
    seconds, absent = measured(3 if options.quick else 15, 2000)
    memory = {"randomised_response": peak_memory("tell_a_million"), "by(...).count": peak_memory("count_a_million")}
    for who, taken in seconds.items():
        print(f"{taken * 1000:10.1f} ms  {who}")
    for who, used in memory.items():
        print(f"{used / 1e6:10.0f} MB  {who}")
    for name in absent:
        print(f"not installed: {name}")
    for target in targets(seconds, memory):
        print(target.line())
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps({"seconds": seconds, "bytes": memory}, indent=1) + "\n")


if __name__ == "__main__":
    main()
