"""Groups that nobody listed, against the documented rules of others: ``python -m benchmarks.unknown_groups``.

*Kept*: how many groups are shown in the mean, at equal (epsilon, delta), from the exact chance of every group; their
sizes fall as one over their rank. Everybody also tells a count of each group that is shown.

- dampen: ``TruncatedGeometricCounts``, the count among it.
- PipelineDP: half of epsilon for the choice, by the recursion of Desfontaines et al. with epsilon / K and
  1 - (1 - delta)^(1/K) for each group, all of delta; the other half for counts.
- Tumult: two-sided geometric noise at epsilon / K, groups from the (1 - delta / (K e^epsilon))-quantile + 2 on (Core,
  ``create_partition_selection_measurement``); with the noisy count of that step itself, or with half of epsilon each
  for the groups and for counts, as ``get_groups`` and ``count`` do.

*Needed*: how many people a group needs to be shown with probability 0.5 and 0.95.

*Speed*: all groups of a DuckDB table counted by name, against the plain grouped query; without persons, and with
persons of whom few, or nearly all, have more groups than count. Both sides take turns; medians are told.
"""

import argparse
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import exp, expm1, log, log1p
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.targets import Target
from benchmarks.timing import interleaved_medians, stopwatch
from dampen import Adjacency, UnknownGroupsFrame
from dampen.mechanisms import TruncatedGeometricCounts
from dampen.tables.engines.names import NamesAsk
from dampen.tables.named_people import named_people

Chance = Callable[[int], float]
"""How likely a group with so many people is shown."""
CASES = [(e, d, k) for k in (1, 4) for e in ("0.1", "1", "3") for d in ("1e-5", "1e-8")]
LARGEST, GROUPS = 20_000, 20_000
"""People in the largest group, and how many groups there are."""
TABLE: dict[tuple[str, str, int], tuple[int, int]] = {
    ("0.1", "1e-5", 1): (87, 110),
    ("0.1", "1e-8", 1): (156, 179),
    ("1", "1e-5", 1): (12, 14),
    ("1", "1e-8", 1): (19, 21),
    ("3", "1e-5", 1): (5, 5),
    ("0.1", "1e-5", 4): (342, 434),
    ("1", "1e-5", 4): (45, 54),
    ("1", "1e-8", 4): (72, 81),
    ("3", "1e-5", 4): (17, 20),
}
"""What the theory promises: people needed for 0.5 and 0.95."""


def dampen_chance(epsilon: str, delta: str, most: int) -> Chance:
    """That of the mechanism."""
    mechanism, frame = TruncatedGeometricCounts(epsilon, delta), UnknownGroupsFrame(Adjacency.ADD_REMOVE, most=most)
    known: dict[int, float] = {}
    sure = 2 * mechanism.last(frame) + 1

    def chance(people: int) -> float:
        if people >= sure:
            return 1.0
        if people not in known:
            known[people] = mechanism.chance_shown(frame, people)
        return known[people]

    return chance


def best_chance(epsilon: float, delta: float, most: int) -> Chance:
    """The recursion: no rule shows a group more often at these parameters of one group."""
    ratio, own = exp(epsilon / most), -expm1(log1p(-delta) / most)
    chances = [0.0]
    while chances[-1] < 1:
        before = chances[-1]
        chances.append(min(ratio * before + own, 1 - (1 - before - own) / ratio, 1.0))
    return lambda people: chances[min(people, len(chances) - 1)]


def tumult_chance(epsilon: float, delta: float, most: int) -> Chance:
    """Two-sided geometric noise and a threshold."""
    rate, own = epsilon / most, delta / (most * exp(epsilon))
    q = exp(-rate)

    def at_least(size: int) -> float:
        """P(Z >= size)."""
        return q**size / (1 + q) if size > 0 else 1 - q ** (1 - size) / (1 + q)

    quantile = max(0, int(log(own * (1 + q)) / -rate) - 1)
    while at_least(quantile + 1) > own:
        quantile += 1
    return lambda people: at_least(quantile + 2 - people) if people else 0.0


def chances(epsilon: str, delta: str, most: int) -> dict[str, Chance]:
    """Everybody's, by name."""
    e, d = float(epsilon), float(delta)
    return {
        "dampen": dampen_chance(epsilon, delta, most),
        "PipelineDP": best_chance(e / 2, d, most),
        "Tumult, its own count": tumult_chance(e, d, most),
        "Tumult, groups then counts": tumult_chance(e / 2, d, most),
        "choice alone, best possible": best_chance(e, d, most),
    }


def kept(chance: Chance) -> float:
    """How many groups are shown in the mean."""
    return sum(chance(LARGEST // rank) for rank in range(1, GROUPS + 1))


def needed(chance: Chance, share: float) -> int:
    """How many people make it so likely that a group is shown."""
    low, high = 0, 1
    while chance(high) < share:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if chance(middle) >= share else (middle, high)
    return high


def compare_rules() -> list[Target]:
    """All rules in all cases."""
    shares: dict[str, float] = {}
    behind: dict[str, float] = {}
    promised: dict[str, float] = {}
    print("epsilon  delta  K   rule                          kept   people for .5, .95")
    for case in CASES:
        rules = chances(*case)
        for name, chance in rules.items():
            half, nearly = needed(chance, 0.5), needed(chance, 0.95)
            print(f"{case[0]:>7} {case[1]:>6} {case[2]:>2}   {name:<28} {kept(chance):>7.1f}   {half}, {nearly}")
        own, where = rules.pop("dampen"), " ".join(map(str, case))
        best = rules.pop("choice alone, best possible")
        for name, chance in rules.items():
            shares[f"{where}, {name}"] = kept(own) / max(kept(chance), 1e-9)
        behind[where] = max(needed(own, share) - needed(best, share) for share in (0.5, 0.95))
        if case in TABLE:
            pairs = zip(TABLE[case], (0.5, 0.95), strict=True)
            promised[where] = max(abs(needed(own, share) - people) for people, share in pairs)
    return [
        Target("groups kept, over every documented rule that tells counts too", 1.0, shares, at_least=True),
        Target("people behind the best choice without a count", 1.0, behind),
        Target("people off the table of the theory", 0.0, promised),
    ]


QUERIES = {
    "rows": "select term, count(*) as n from data group by term",
    "persons": "select term, count(distinct who) as n from data group by term",
}


def make_rows(path: Path, rows: int) -> None:
    """A tenth as many names as rows, the first ones more often; a fifth as many persons."""
    import duckdb

    term = f"'term ' || cast(floor({rows // 10} * pow(random(), 2)) as bigint)"
    who = f"cast(floor({rows // 5} * random()) as bigint)"
    with duckdb.connect() as connection:
        connection.execute(f"copy (select {term} as term, {who} as who from range({rows})) to '{path}'")


def fetch(data: Any, query: str) -> object:
    """What a plain query brings."""
    return data.query("data", query).fetchnumpy()


def compare_speed(rows: int, rounds: int) -> list[Target]:
    """The query for groups against the plain ones."""
    import duckdb

    with TemporaryDirectory() as folder, duckdb.connect() as connection:
        path = Path(folder) / "rows.parquet"
        make_rows(path, rows)
        data: Any = connection.read_parquet(str(path))
        key = f"{7:032x}"
        asks = {
            "rows": NamesAsk("term"),
            "persons, few cut": NamesAsk("term", "who", 20, key),
            "persons, most cut": NamesAsk("term", "who", 3, key),
        }
        runs = {name: stopwatch(partial(named_people, data, ask)) for name, ask in asks.items()}
        plain = {f"plain, {name}": stopwatch(partial(fetch, data, query)) for name, query in QUERIES.items()}
        found = interleaved_medians({**runs, **plain}, rounds=rounds, allowance=600)
    for name, measured in found.items():
        print(f"{name:<20} {measured.seconds:8.2f} s  ({measured.runs} runs)")
    ratios = {name: found[name].seconds / found[f"plain, {name.partition(',')[0]}"].seconds for name in asks}
    print({name: round(ratio, 2) for name, ratio in ratios.items()})
    cut = ratios.pop("persons, most cut")
    return [
        Target("people by name over the plain grouped query of DuckDB", 2.0, ratios),
        Target("the same where most persons are cut", 2.0, {"most cut": cut}),
    ]


def main() -> None:
    """Compare, print tables and the verdicts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=lambda text: int(Fraction(text)), default=10**7)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="rules alone, and 1e5 rows")
    options = parser.parse_args()
    targets = compare_rules()
    targets += compare_speed(10**5 if options.quick else options.rows, options.rounds)
    for target in targets:
        print(target.line())


if __name__ == "__main__":
    main()
