"""Private selection against its peers: interleaved medians, shown as ratios to numpy's float exponential noise.

Run ``python -m benchmarks.selection`` from the project's root; benchmarks/README.md says what is timed.
"""

import argparse
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from itertools import product
from math import inf
from pathlib import Path

from benchmarks import contestants
from benchmarks.contestants import EXPONENTIAL, NUMPY_EXPONENTIAL, NUMPY_GUMBEL, OPENDP, PERMUTE_AND_FLIP, Contestant
from benchmarks.scores import ONE_WINNER, SHAPES, TIES
from benchmarks.targets import Target
from benchmarks.timing import Measured, interleaved_medians

ROUNDS = {10**3: 301, 10**4: 201, 10**5: 201, 10**6: 61, 10**7: 21}
"""How often everybody runs, by the number of candidates."""
QUICK_ROUNDS = {10**3: 51, 10**4: 25, 10**5: 21}
ALLOWANCE, QUICK_ALLOWANCE = 60.0, 2.0
"""How many seconds one contestant may spend on one shape and size before it sits out."""
EXTRA = 5
"""How many times more rounds the comparison of two shapes gets."""
GROWTH = 10
"""From one size to the next; who would exceed its allowance in one run so many times longer stays out."""
LARGE = (10**5, 10**6, 10**7)
"""The sizes that targets without a size of their own speak of."""
RESULTS = Path(__file__).resolve().parent / "results" / "selection.json"

Entrant = tuple[Contestant, str]
"""A contestant on one shape of scores: each shape is given up by itself."""
Results = dict[tuple[str, str, int], Measured]
"""By contestant, shape and size."""


def main() -> None:
    """Measure, print tables and verdicts, and write them as JSON."""
    options = _options()
    rounds = QUICK_ROUNDS if options.quick else ROUNDS
    allowance = QUICK_ALLOWANCE if options.quick else ALLOWANCE
    rounds = {size: count for size, count in rounds.items() if size <= options.largest}
    field, missing = _installed()
    results = _measure(list(product(field, SHAPES)), rounds, allowance)
    remarks = [*missing, *_remarks(field, results, rounds)]
    targets = _targets(results, _ties_against_one_winner(rounds))
    _show(field, results, list(rounds), remarks, targets)
    _write(results, remarks, targets)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.selection", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few rounds, at most 1e5 candidates: under a minute")
    parser.add_argument("--largest", type=float, default=1e7, metavar="N", help="at most N candidates, N >= 1000")
    return parser.parse_args()


def _installed() -> tuple[list[Contestant], list[str]]:
    """Everybody who can take part, and why the others cannot."""
    field, missing = [*contestants.of_dampen(), *contestants.of_numpy()], []
    for peer in (contestants.of_opendp, contestants.of_diffprivlib):
        try:
            field += peer()
        except contestants.PeerMissing as reason:
            missing.append(f"Skipped: {reason}.")
    return field, missing


def _measure(entrants: list[Entrant], rounds: Mapping[int, int], allowance: float) -> Results:
    """All contestants and shapes of a size in the same rounds; at first one round that does not count."""
    results: Results = {}
    for size, count in rounds.items():
        print(f"measuring n = {_power(size)}, {count} rounds", flush=True)
        entrants = [(entrant, shape) for entrant, shape in entrants if size <= entrant.largest]
        runs = {(entrant.name, shape, size): entrant.prepare(shape, size) for entrant, shape in entrants}
        if not results:
            interleaved_medians(runs, rounds=1, allowance=allowance)
        results |= interleaved_medians(runs, rounds=count, allowance=allowance)
        entrants = [
            (entrant, shape)
            for entrant, shape in entrants
            if GROWTH * results[entrant.name, shape, size].seconds <= allowance
        ]
    return results


def _remarks(field: list[Contestant], results: Results, rounds: Mapping[int, int]) -> list[str]:
    """What the tables do not say by themselves: who ran less often than the others, or not at all."""
    remarks = [
        f"Not run beyond n = {_power(int(contestant.largest))}, too slow: {contestant.name}."
        for contestant in field
        if contestant.largest < max(rounds)
    ]
    for contestant, shape, size in product(field, SHAPES, rounds):
        measured = results.get((contestant.name, shape, size))
        where = f"{contestant.name}, {shape}, n = {_power(size)}"
        if measured is None and size <= contestant.largest:
            remarks.append(f"Not run, too slow: {where}.")
        elif measured is not None and measured.runs < rounds[size]:
            remarks.append(f"Slow, hence {measured.runs} of {rounds[size]} runs: {where}.")
    return remarks


def _targets(results: Results, even: Mapping[str, float]) -> list[Target]:
    """The project's promises about selection; ``even`` holds the ratios of ties and one winner."""
    return [
        Target(
            "permute-and-flip takes <= 1.5 times numpy's float exponential noise, n >= 1e5",
            1.5,
            _ratios(results, PERMUTE_AND_FLIP, NUMPY_EXPONENTIAL),
        ),
        Target(
            "exponential takes <= 0.7 times numpy's float Gumbel noise, n >= 1e5",
            0.7,
            _ratios(results, EXPONENTIAL, NUMPY_GUMBEL),
        ),
        Target(
            "permute-and-flip on ties and on one winner within 10 % of each other, n >= 1e5",
            1.1,
            even,
        ),
        Target(
            "OpenDP takes >= 5 times permute-and-flip on ties, n = 1e6",
            5,
            _ratios(results, OPENDP, PERMUTE_AND_FLIP, shapes=[TIES], sizes=[10**6]),
            at_least=True,
        ),
        Target(
            "OpenDP takes >= 100 times permute-and-flip on one winner, n = 1e6",
            100,
            _ratios(results, OPENDP, PERMUTE_AND_FLIP, shapes=[ONE_WINNER], sizes=[10**6]),
            at_least=True,
        ),
    ]


def _ratios(
    results: Results,
    name: str,
    base: str,
    *,
    shapes: Iterable[str] = SHAPES,
    sizes: Iterable[int] = LARGE,
) -> dict[str, float]:
    """One contestant's seconds over another's, wherever both were measured."""
    return {
        f"{shape}, n = {_power(size)}": results[name, shape, size].seconds / results[base, shape, size].seconds
        for size in sizes
        for shape in shapes
        if (name, shape, size) in results and (base, shape, size) in results
    }


def _ties_against_one_winner(rounds: Mapping[int, int]) -> dict[str, float]:
    """Permute-and-flip's slower shape over its quicker one, from rounds of these two alone: noise hides 10 % easily."""
    (release,) = (entrant for entrant in contestants.of_dampen() if entrant.name == PERMUTE_AND_FLIP)
    ratios = {}
    for size in (size for size in rounds if size in LARGE):
        pair = {shape: release.prepare(shape, size) for shape in (TIES, ONE_WINNER)}
        medians = interleaved_medians(pair, rounds=EXTRA * rounds[size], allowance=inf)
        quicker, slower = sorted(pair, key=lambda shape: medians[shape].seconds)
        ratios[f"n = {_power(size)}, {slower} slower"] = medians[slower].seconds / medians[quicker].seconds
    return ratios


def _show(
    field: list[Contestant], results: Results, sizes: list[int], remarks: list[str], targets: list[Target]
) -> None:
    for shape in SHAPES:
        print(f"\n{shape}: times {NUMPY_EXPONENTIAL} (whose milliseconds are in the last row)\n")
        print("\n".join(_table(field, results, shape, sizes)))
    print("", *remarks, "", *(target.line() for target in targets), sep="\n")


def _table(field: Iterable[Contestant], results: Results, shape: str, sizes: list[int]) -> list[str]:
    """A table in Markdown, one row per contestant and one column per size."""
    base = {size: results[NUMPY_EXPONENTIAL, shape, size].seconds for size in sizes}
    rows = [["n", *map(_power, sizes)], ["---", *("---:" for _ in sizes)]]
    for name in (contestant.name for contestant in field):
        cells = (results.get((name, shape, size)) for size in sizes)
        rows.append([name, *(_ratio(cell, base[size]) for cell, size in zip(cells, sizes, strict=True))])
    rows.append(["milliseconds", *(f"{1000 * base[size]:.3g}" for size in sizes)])
    return [f"| {row[0]:39} | {' | '.join(f'{cell:>7}' for cell in row[1:])} |" for row in rows]


def _ratio(measured: Measured | None, base: float) -> str:
    if measured is None:
        return "-"
    ratio = measured.seconds / base
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:,.0f}"


def _power(size: int) -> str:
    """A power of ten as 1e3, 1e4, ..."""
    return f"1e{len(str(size)) - 1}"


def _write(results: Results, remarks: list[str], targets: list[Target]) -> None:
    content = {
        "results": [
            {"contestant": name, "shape": shape, "size": size, **asdict(measured)}
            for (name, shape, size), measured in results.items()
        ],
        "remarks": remarks,
        "targets": [{**asdict(target), "met": target.met} for target in targets],
    }
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(content, indent=1) + "\n")
    print(f"\nwritten to benchmarks/results/{RESULTS.name}")


if __name__ == "__main__":
    main()
