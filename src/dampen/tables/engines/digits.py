"""Exact sums on engines that add only 64-bit numbers: values are cut into digits, and digits are added.

A float of size below 2**62 is its sign times the sum of digits d_k 2**s_k with 0 <= d_k < 2**26 and s_k = 36, 10, -16,
... Multiplying by a power of 2, rounding down and subtracting what was cut off are exact, so all digits are. Seven of
them reach down to 2**-120, which holds every float above 2**-68 whole; what is left below is counted, and only if there
is any the other digits, down to 2**-1074, are added in a second scan. Whole numbers are cut in three.
"""

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, floor, inf, nextafter

from dampen.tables.engines.base import Sums
from dampen.tables.reading import MISSING, OTHER
from dampen.vectors import LARGEST_WHOLE

DIGIT, TOP = 26, 36
"""Bits of a digit, and the power of 2 of the first one."""
COARSE, FINE = range(7), range(7, 44)
"""The digits of the first scan, and those of the second."""
RAISED = 600
"""In the second scan what is left is below 2**-120; times 2**RAISED it and its digits are normal floats."""
PART = 22
"""Bits of a part of a whole number."""


def power(digit: int) -> int:
    """The power of 2 that a digit counts."""
    return TOP - DIGIT * digit


def inner_ends(ends: tuple[Fraction, Fraction]) -> tuple[float, float]:
    """The smallest and the largest float between the ends."""
    low, high = float(ends[0]), float(ends[1])
    return low if low >= ends[0] else nextafter(low, inf), high if high <= ends[1] else nextafter(high, -inf)


def power_text(power_of_two: int) -> str:
    """A power of 2 as text that a cast to a float reads exactly."""
    return repr(2.0**power_of_two)


def add_up(coarse: Mapping[str, int], fine: Mapping[str, int], ends: tuple[Fraction, Fraction]) -> Sums:
    """The sum out of what the scans returned: counts below, above and inside, and a sum for each digit and part."""
    inner = sum((coarse[f"w{part}"] << (PART * part) for part in range(3)), 0)
    whole = Fraction(inner)
    for digit, found in [*((d, coarse[f"d{d}"]) for d in COARSE), *((d, fine[f"d{d}"]) for d in FINE if fine)]:
        whole += found * Fraction(2) ** power(digit)
    total = whole + ends[0] * coarse["below"] + ends[1] * coarse["above"]
    count = coarse["below"] + coarse["above"] + coarse["inside"]
    return Sums(count, total, coarse["missing"], coarse["other"])


def digit_sql(numbers: str, ends: tuple[Fraction, Fraction], digits: range) -> str:
    """SQL for DuckDB: the sums of these digits over the rows of ``numbers``, and in the first scan everything else."""
    low, high = (f"'{end!r}'::double" for end in inner_ends(ends))
    first, last = f"'{ceil(ends[0])}'::hugeint", f"'{floor(ends[1])}'::hugeint"
    below = f"case when whole is not null then whole < {first} else real < {low} end"
    above = f"case when whole is not null then whole > {last} else real > {high} end"
    side = f"case when status is not null then null when {below} then -1 when {above} then 1 else 0 end"
    rows = f"select whole, real, status, {side} as side from ({numbers})"
    rows = (
        "select side, status, case when side = 0 then whole end as whole, case when side = 0 and whole is null then "
        f"real end as real from ({rows})"
    )
    rows = f"select *, abs(real) as r, case when real < 0 then -1 else 1 end as sign from ({rows})"
    raised = 0
    # SQL has no loops: every digit is a select around the one before, whose r is what is left to be cut
    for digit in range(digits.stop):
        if digit == FINE.start:
            # the last digits would be scaled by 2**1082, which no float holds
            rows, raised = f"select * replace (r * '{power_text(RAISED)}'::double as r) from ({rows})", RAISED
        up, down = power_text(-power(digit) - raised), power_text(power(digit) + raised)
        rows = f"select *, floor(r * '{up}'::double) as d{digit} from ({rows})"
        rows = f"select * replace (r - d{digit} * '{down}'::double as r) from ({rows})"
    # 2**37 rows of 26 bits fit in a sum of 64; a sum of floats would be rounded, and depend on the order of rows
    sums = [f"sum((d{digit} * sign)::bigint) as d{digit}" for digit in digits]
    if digits is COARSE:
        turn, most = "case when whole < 0 then -1 else 1 end", 2**PART - 1
        cuts = {part: f"(abs(whole)::bigint >> {PART * part}) & {most}" for part in range(3)}
        parts = [f"sum(({turn}) * ({cut})) as w{part}" for part, cut in cuts.items()]
        counts = {"below": "side = -1", "above": "side = 1", "inside": "side = 0", "rest": "r > 0"}
        counts |= {"missing": f"status = {MISSING}", "other": f"status = {OTHER}"}
        sums += [*parts, *(f"count_if({rule}) as {name}" for name, rule in counts.items())]
    return f"select {', '.join(sums)} from ({rows})"


assert LARGEST_WHOLE < 1 << (3 * PART)
