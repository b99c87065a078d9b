"""Percentiles: accuracy from exact laws against the papers and two libraries, speed against a sort, and strategies.

Run ``python -m benchmarks.percentiles`` from the project's root with the data sets in the folder ``DAMPEN_DATA``;
benchmarks/README.md says what is measured. ``--only`` runs one part of the three.
"""

import argparse
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks import percentile_speed, quantile_strategies
from benchmarks.contestants import PeerMissing
from benchmarks.percentile_laws import (
    DEFAULT,
    DIFFPRIVLIB,
    ERRORS,
    HITS,
    LABEL,
    OPENDP,
    PERCENTS,
    STEPS,
    Cell,
    cells,
    wins,
)
from benchmarks.percentile_peers import Sample, ask_diffprivlib, compared, opendp_answers
from benchmarks.targets import Target
from benchmarks.timing import Measured
from dampen.errors import ParameterError
from dampen.questions.many_percentiles import FEWEST_HALVED

EPSILON = 1.0
RELEASES, ROUNDS, RUNS = 100, 41, 120
"""How many real releases of a peer confirm its law, rounds of timing, and runs of the strategies."""
HUGE_ROWS = 10**5
RESULTS = Path(__file__).resolve().parent / "results" / "percentiles.json"

Errors = dict[str, dict[Cell, float]]


def main() -> None:
    """Measure, print tables and verdicts, and write them as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.percentiles", description=__doc__)
    parts: Mapping[str, Callable[[], tuple[dict[str, Any], list[Target]]]] = {
        "accuracy": accuracy,
        "speed": speed,
        "strategies": strategies,
    }
    parser.add_argument("--only", choices=parts, help="run one part")
    only = parser.parse_args().only
    content: dict[str, Any] = {"load before": os.getloadavg()}
    targets: list[Target] = []
    for name in parts if only is None else [only]:
        print(f"\n{name}\n")
        try:
            content[name], promises = parts[name]()
        except ParameterError as reason:
            print(f"Skipped: {reason}.")
            continue
        targets += promises
    print("", *(target.line() for target in targets), sep="\n")
    content |= {"load after": os.getloadavg()}
    content["targets"] = [{**asdict(target), "met": target.met} for target in targets]
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(content, indent=1) + "\n")
    print(f"\nwritten to benchmarks/results/{RESULTS.name}")


def accuracy() -> tuple[dict[str, Any], list[Target]]:
    """Expected absolute errors in the twelve cells, and samples of the peers' real releases."""
    errors: Errors = {name: {cell: law(cell, EPSILON) for cell in cells()} for name, law in ERRORS.items()}
    print("\n".join(error_table(errors)))
    for name in errors:
        if name != DEFAULT:
            print(f"{name}: {_score(errors, name)}")
    fine = [Cell("INCOME", p, 1) for p in PERCENTS]
    print("\nINCOME in steps of 1, for information:")
    for name in (DEFAULT, OPENDP, DIFFPRIVLIB):
        print(f"{name}: {', '.join(_short(ERRORS[name](cell, EPSILON)) for cell in fine)}")
    samples = _samples(errors)
    content = {
        "errors": {name: {str(cell): error for cell, error in row.items()} for name, row in errors.items()},
        "samples": {peer: {str(cell): asdict(found) for cell, found in row.items()} for peer, row in samples.items()},
    }
    return content, accuracy_targets(errors)


def error_table(errors: Errors) -> list[str]:
    """A table in Markdown: a row for each cell and a column for each contestant."""
    rows = [["", *errors], ["---", *("---:" for _ in errors)]]
    rows += [[str(cell), *(_short(errors[name][cell]) for name in errors)] for cell in cells()]
    return [f"| {' | '.join(row)} |" for row in rows]


def accuracy_targets(errors: Errors) -> list[Target]:
    """In how many cells the default must err less than the others; two errors of 0 are no loss."""
    mine = errors[DEFAULT]
    lost = {name: float(len(wins(mine, errors[name])[1])) for name in (LABEL, *HITS)}
    return [
        Target("the default errs more than the label and 0/1 methods in no cell", 0, lost),
        *(
            Target(
                f"the default errs less than {name} in at least {least} of {len(STEPS) * len(PERCENTS)} cells",
                least,
                {"the twelve cells": float(len(wins(mine, errors[name])[0]))},
                at_least=True,
            )
            for name, least in ((DIFFPRIVLIB, 10), (OPENDP, 7))
        ),
    ]


def _score(errors: Errors, name: str) -> str:
    won, lost, alike = wins(errors[DEFAULT], errors[name])
    said = f"the default wins {len(won)}"
    said += f", loses {len(lost)} ({', '.join(map(str, lost))})" if lost else ", loses none"
    return said + (f", equal in {len(alike)}" if alike else "")


def _short(error: float) -> str:
    return "0" if error < 1e-9 else f"{error:.3g}" if error < 1e3 else f"{error:,.0f}"


def _samples(errors: Errors) -> dict[str, dict[Cell, Sample]]:
    """Mean errors of real releases against the laws, in standard errors."""
    answers: dict[str, Callable[[], dict[Cell, Any]]] = {
        OPENDP: lambda: {cell: opendp_answers(cell, EPSILON, RELEASES) for cell in cells()},
        DIFFPRIVLIB: _diffprivlib_answers,
    }
    samples = {}
    for peer, ask in answers.items():
        try:
            samples[peer] = {cell: compared(got, cell, errors[peer][cell]) for cell, got in ask().items()}
        except PeerMissing as reason:
            print(f"Skipped: {reason}.")
            continue
        worst = max(samples[peer].values(), key=lambda sample: abs(sample.deviation))
        print(f"{peer}: {RELEASES} releases per cell, at most {abs(worst.deviation):.2f} standard errors off its law")
    return samples


def _diffprivlib_answers() -> dict[Cell, Any]:
    """Real releases; on records that are all equal, diffprivlib is shown to fail."""
    asked = [(cell.records, cell.p / 100, float(cell.grid[-1]), EPSILON, RELEASES) for cell in cells()]
    *answers, tied = ask_diffprivlib([*asked, ([5] * 4096, 0.5, 10.0, EPSILON, 1)])
    print(f"diffprivlib on 4096 equal records: {tied if isinstance(tied, str) else 'answers'}")
    return {cell: answer[0] for cell, answer in zip(cells(), answers, strict=True)}


def speed() -> tuple[dict[str, Any], list[Target]]:
    """The whole call against one sort of the same rows, the peers' times, and the memory of a huge grid."""
    measured = percentile_speed.measure(ROUNDS)
    forms = [form for form, what in measured if what == "median"]
    ratios = {form: measured[form, "median"].seconds / measured[form, "sort"].seconds for form in forms}
    for form in forms:
        took, sort = measured[form, "median"].seconds, measured[form, "sort"].seconds
        print(f"{form:30} {1e3 * took:8.1f} ms   sort {1e3 * sort:6.1f} ms   {ratios[form]:6.2f} times the sort")
    peers = _peer_seconds()
    print(*(f"{peer:30} {seconds} s" for peer, seconds in peers.items()), sep="\n")
    megabytes = percentile_speed.huge_grid_megabytes(HUGE_ROWS)
    print(f"1e9 grid values, {HUGE_ROWS} rows: {megabytes:.1f} MB at most; load {os.getloadavg()}")
    content = {"seconds": _plain(measured), "ratios": ratios, "peers": peers, "huge grid megabytes": megabytes}
    even = {form: ratios[form] for form in percentile_speed.ON_EVEN_GRIDS}
    return content, [
        Target("a median of 1e6 rows on an even grid of 1e5 values takes at most twice one np.sort", 2, even),
        Target("a median on 1e9 grid values allocates less than 50 MB", 50, {f"{HUGE_ROWS} rows": megabytes}),
    ]


def _peer_seconds() -> dict[str, float | str]:
    seconds: dict[str, float | str] = {}
    asks: Mapping[str, Callable[[int], float | str]] = {
        OPENDP: percentile_speed.opendp_seconds,
        DIFFPRIVLIB: percentile_speed.diffprivlib_seconds,
    }
    for peer, ask in asks.items():
        try:
            seconds[peer] = ask(3)
        except PeerMissing as reason:
            seconds[peer] = f"skipped: {reason}"
    return seconds


def _plain(measured: Mapping[tuple[str, str], Measured]) -> dict[str, dict[str, float]]:
    return {f"{form}, {what}": asdict(result) for (form, what), result in measured.items()}


def strategies() -> tuple[dict[str, Any], list[Target]]:
    """Even split against halving for several numbers of percentiles."""
    found = quantile_strategies.duels(quantile_strategies.COUNTS, runs=RUNS, epsilon=EPSILON)
    print("| data | percentiles | even | halving | halving / even |\n| --- | ---: | ---: | ---: | ---: |")
    for duel in found:
        even, halving = (
            f"{error:.3g} ± {spread:.1g}"
            for error, spread in ((duel.even, duel.even_spread), (duel.halving, duel.halving_spread))
        )
        print(f"| {duel.data} | {duel.count} | {even} | {halving} | {duel.ratio:.2f} |")
    many = {f"{duel.data}, {duel.count}": duel.excess for duel in found if duel.count >= FEWEST_HALVED}
    promise = f"from {FEWEST_HALVED} percentiles on halving errs at most 0.05 of a grid step more than an even split"
    return {"duels": [asdict(duel) for duel in found]}, [Target(promise, 0.05, many)]


if __name__ == "__main__":
    main()
