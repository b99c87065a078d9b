"""SQL for DuckDB: whether a row meets a condition, and whether a column holds what it must not."""

from collections.abc import Sequence

from dampen.describe.conditions import Among, Between, Condition
from dampen.tables.engines.base import Reading
from dampen.tables.engines.duck_days import day_sql, is_known
from dampen.tables.engines.duck_names import name_sql
from dampen.tables.engines.duck_sql import double, keys_of, kind_of, plain_text, stands_for
from dampen.tables.engines.labels import Places
from dampen.tables.engines.ranges import real_ends, whole_ends
from dampen.tables.reading import FIRST_DAY, LAST_DAY


def condition_sql(value: str, sql_type: str, condition: Condition) -> str:
    """Whether a value meets a condition, never ``null``."""
    if isinstance(condition, Among):
        return stands_for(value, sql_type, Places.of(condition.labels), condition.places)
    if condition.days:
        low, high = whole_ends(condition)
        first, last = (
            max(FIRST_DAY, FIRST_DAY if low is None else low),
            min(LAST_DAY, LAST_DAY if high is None else high),
        )
        return f"coalesce({day_sql(value, sql_type)} between {first} and {last}, false)"
    whole, real = number_sql(value, sql_type)
    # NaN before all: DuckDB takes it for larger than any number
    rules = [f"when {keys_of(value, sql_type).missing} then false"]
    if whole is not None:
        rules.append(f"when {whole} is not null then {_within(whole, *_whole_ends(condition))}")
    if real is not None:
        ends = [None if end is None else double(end) for end in real_ends(condition)]
        rules.append(f"else {_within(real, *ends)}")
    return f"coalesce(case {' '.join(rules)} end, false)"


def number_sql(value: str, sql_type: str) -> tuple[str | None, str | None]:
    """The number that a value is, as a whole number and as a float: the first that is not ``null`` counts."""
    keys = keys_of(value, sql_type)
    return keys.whole, f"cast({value} as double)" if sql_type == "UHUGEINT" else keys.real


def fault_rules(value: str, sql_type: str, reading: Reading) -> tuple[str, str]:
    """Whether a value is missing, and whether it is not what its column must hold."""
    missing = keys_of(value, sql_type).missing
    if reading.person:
        known = kind_of(sql_type) != "nothing" or sql_type == "BLOB"
        return "false" if reading.missing else missing, "false" if known else f"not ({missing})"
    if reading.name:
        known = kind_of(sql_type) in ("text", "wholes")
        rule = "false" if known else f"not ({missing}) and {name_sql(value, sql_type)} is null"
        return "false" if reading.missing else missing, rule
    if reading.labels is not None:
        places = Places.of(reading.labels)
        held = stands_for(value, sql_type, places, frozenset(range(len(reading.labels))))
    elif not reading.days and kind_of(sql_type) in ("wholes", "reals", "decimals"):
        return missing, "false"
    elif reading.days:
        held = f"coalesce({is_known(day_sql(value, sql_type))}, false)"
    else:
        parts = [f"{number} is not null" for number in number_sql(value, sql_type) if number is not None]
        held = f"({' or '.join(parts) or 'false'})"
    if reading.labels is not None:
        missing = f"not {held} and ({missing})"
    return missing, f"not {held} and not ({missing})"


def faults_query(columns: Sequence[tuple[str, str, Reading]]) -> str | None:
    """How many values of each column break either of its rules, ``f0_0``, ``f0_1``, ``f1_0``, ...: one scan.

    Columns are SQL, its type, and what they must hold; nothing where no rule can be broken. Of texts that must be
    labels there are few: those of the first such column are grouped, and each is looked at once.
    """
    grouped = [spot for spot, (_, kind, held) in enumerate(columns) if held.labels and kind_of(kind) == "text"][:1]
    within, after = dict[str, str](), dict[str, str]()
    for spot, (value, sql_type, reading) in enumerate(columns):
        for side, rule in enumerate(fault_rules("label" if spot in grouped else value, sql_type, reading)):
            name = f"f{spot}_{side}"
            if rule != "false" and spot in grouped:
                after[name] = f"count_if({rule})"
            elif rule != "false":
                within[name], after[name] = f"count_if({rule})", f"coalesce(sum({name}), 0)"
    if grouped:
        within["label"] = plain_text(columns[grouped[0]][0])
    counted, summed = (", ".join(f"{rule} as {name}" for name, rule in part.items()) for part in (within, after))
    by = " group by label" if grouped else ""
    return f"select {summed} from (select {counted} from data{by})" if after else None


def _whole_ends(condition: Between) -> list[str | None]:
    return [None if end is None else f"'{end}'::bigint" for end in whole_ends(condition)]


def _within(number: str, low: str | None, high: str | None) -> str:
    """Whether a number is in a range; ``null`` is not."""
    rules = [f"{number} is not null"]
    rules += [] if low is None else [f"{number} >= {low}"]
    rules += [] if high is None else [f"{number} <= {high}"]
    return f"({' and '.join(rules)})"
