"""SQL for DuckDB: in which node a row is, from the places of its attributes."""

from dampen.tables.engines.base import NOT_HERE, Bits, Route, Way

MOST_CASES = 12
"""So few tests are told apart by cases, which are tried one after another; more by a list."""
LONGEST_LIST = 2**12
"""DuckDB copies a list of constants for every two thousand rows, so lists are kept short where that is possible."""


def route_sql(way: Way, codes: list[str], rows: str) -> str:
    """The rows with the node of each."""
    if isinstance(way, int):
        return f"select *, {way}::integer as node from ({rows})"
    if isinstance(way, Bits):
        asked = [f"{codes[one]} in ({', '.join(map(str, places))})" for one, places in way.tests]
        bits = [f"({test})::integer * {1 << (len(asked) - 1 - place)}" for place, test in enumerate(asked)]
        return f"select *, ({' + '.join(bits) or '0'})::integer as node from ({rows})"
    return _walk_tree(way, codes, rows)


def _walk_tree(route: Route, codes: list[str], rows: str) -> str:
    """A tree is walked level by level: where a row stands in a level, times the widest test, and its place in its own.

    Cases within cases would be evaluated branch by branch. The list at the end, from where a row stands to its node,
    tells DuckDB how large a node can be, so that it counts in an array and not in a hash table. A row that fits no
    declared value has no node.
    """
    level: list[Route | int] = [route]
    found = f"select *, 0::integer as step from ({rows})"
    while any(isinstance(test, Route) for test in level):
        wide = max(len(test.branches) for test in level if isinstance(test, Route))
        if len(level) * wide > LONGEST_LIST:
            level, found = _shorten(level, found)
        found = f"select * replace (step * {wide} + {_code(level, codes)} as step) from ({found})"
        level = [branch for test in level for branch in _branches(test, wide)]
    return f"select * exclude (step), ({level}::integer[])[step + 1] as node from ({found})"


def _shorten(level: list[Route | int], rows: str) -> tuple[list[Route | int], str]:
    """The same level without its empty places."""
    kept = [test for test in level if test != NOT_HERE]
    places, taken = list[int](), 0
    for test in level:
        places.append(len(kept) if test == NOT_HERE else taken)
        taken += test != NOT_HERE
    return [*kept, NOT_HERE], f"select * replace (({places}::integer[])[step + 1] as step) from ({rows})"


def _code(level: list[Route | int], codes: list[str]) -> str:
    """The place of a row in the test that it stands at; 0 where there is none."""
    tested = {place: test.attribute for place, test in enumerate(level) if isinstance(test, Route)}
    if len(level) == 1:
        return f"{codes[tested[0]]}::integer"
    if len(tested) <= MOST_CASES:
        asked, cases = "step", tested
    else:
        asked = f"({[tested.get(place, NOT_HERE) for place in range(len(level))]}::integer[])[step + 1]"
        cases = {one: one for one in sorted({*tested.values()})}
    listed = " ".join(f"when {key} then {codes[one]}" for key, one in cases.items())
    return f"(case {asked} {listed} else 0 end)::integer"


def _branches(test: Route | int, wide: int) -> list[Route | int]:
    held = list(test.branches) if isinstance(test, Route) else [test]
    return [*held, *([NOT_HERE] * (wide - len(held)))]
