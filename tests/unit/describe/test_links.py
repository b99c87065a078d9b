"""Links between tables: one way leads to the person, and whatever else is said is refused in one sentence."""

from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from dampen.describe.columns import Category, Column, Flag, Number
from dampen.describe.links import Field, Links, as_field, as_links, by_table, require_tables
from dampen.errors import ParameterError
from tests.unit.describe.refusals import faults_of, refusal_of

if TYPE_CHECKING:
    from tests.conftest import Refused

SHOP = {
    "orders.customer": "customers.id",
    "items.order": "orders.id",
    "items.product": "products.id",
    "products.maker": "makers.id",
}
PUBLIC = ["products", "makers"]


def shop() -> Links:
    return as_links("customers.id", SHOP, PUBLIC)


def test_the_way_of_each_table_leads_to_the_person_and_to_public_tables() -> None:
    found = shop()
    assert found.person == Field("customers", "id")
    assert found.tables == ("customers", "orders", "items", "products", "makers")
    assert found.private == ("customers", "orders", "items")
    assert found.steps("customers") == ()
    assert [str(link) for link in found.steps("orders")] == ["orders.customer -> customers.id"]
    assert [str(link) for link in found.steps("items")] == [
        "items.order -> orders.id",
        "items.product -> products.id",
        "orders.customer -> customers.id",
        "products.maker -> makers.id",
    ]


def test_every_step_begins_where_one_before_it_has_led() -> None:
    reached = {"items"}
    for link in shop().steps("items"):
        assert link.key.table in reached
        reached.add(link.to.table)
    assert reached == {*shop().tables}


def test_one_table_alone_is_a_database_without_links() -> None:
    alone = as_links("visits.patient", {})
    assert alone.tables == ("visits",)
    assert alone.steps("visits") == ()


def test_links_may_be_said_table_by_table() -> None:
    nested = {"orders": {"customer": "customers.id"}, "items": {"order": "orders.id", "product": "products.id"}}
    assert as_links("customers.id", {**nested, "products.maker": "makers.id"}, PUBLIC) == shop()
    assert by_table({"a": {"b.c": 1}}, "links") == {"a.b.c": 1}
    assert as_field("a.b.c") == Field("a", "b.c")


@pytest.mark.parametrize(
    ("person", "links", "public", "shown"),
    [
        (3, {}, [], ["person must name a table and a column", "got 3"]),
        ("id", {}, [], ["person must name a table and a column", "'id'"]),
        (".id", {}, [], ["person must name"]),
        ("customers.", {}, [], ["person must name"]),
        ("c." + "x" * 100, {}, [], ["at most 100 characters"]),
        ("c.i", [("a.b", "c.i")], [], ["links must be by table and column", "a list"]),
        ("c.i", {"a": "c.i"}, [], ["links must be by table and column", "'a'"]),
        ("c.i", {"a.b": "c"}, [], ["links must name a table and a column", "'c'"]),
        ("c.i", {"a.b": None}, [], ["links must lead from table.column to table.column", "NoneType"]),
        ("c.i", {"a.b": "c.i", "a": {"b": "c.i"}}, [], ["every column once", "'a.b'"]),
        ("c.i", {"a.b": "c.i"}, {"p"}, ["public must be a list of names of tables"]),
        ("c.i", {"a.b": "c.i"}, ["p.i"], ["public must be a list of names of tables, which have no dot"]),
        ("c.i", {"a.b": "c.i"}, [""], ["public"]),
        ("c.i", {"a.b": "c.i"}, ["c"], ["public must not name the table of the person", '"c"']),
        ("c.i", {"p.buyer": "c.i"}, ["p"], ["a public table must link to public tables alone", "p.buyer -> c.i"]),
        ("c.i", {"o.c": "c.i", "p.last": "o.i"}, "p", ["public tables alone", "p.last -> o.i"]),
        ("c.i", {"c.boss": "c.i"}, [], ["links must never lead back", "c -> c"]),
        ("c.i", {"a.b": "c.i", "c.a": "a.i"}, [], ["links must never lead back", "c -> a -> c"]),
        ("c.i", {"a.b": "b.i", "b.d": "d.i", "d.a": "a.i"}, [], ["lead back", "a -> b -> d -> a"]),
        ("c.i", {"p.q": "q.i", "q.p": "p.i"}, ["p", "q"], ["lead back", "p -> q -> p"]),
        ("c.i", {"logs.day": "days.i"}, ["days"], ["every table must lead to the person", '"logs"', '"c"']),
        ("c.i", {"c.house": "houses.i"}, [], ["every table must lead to the person", '"houses"']),
        ("c.i", {"m.from": "c.i", "m.to": "c.i"}, [], ["in one way", "m.from -> c", "m.to -> c"]),
        (
            "c.i",
            {"i.o": "o.i", "o.c": "c.i", "i.buyer": "c.i"},
            [],
            ['from "i" to "c" in one way', "i.o -> o.c -> c and i.buyer -> c"],
        ),
        ("c.i", {"o.c": "c.i", "o.shop": "s.i", "c.shop": "s.i"}, ["s"], ["o.c -> c.shop -> s and o.shop -> s"]),
        ("c.i", {f"t{n}.a": f"t{n + 1}.i" for n in range(201)} | {"t201.a": "c.i"}, [], ["at most 200", "got 202"]),
    ],
)
def test_what_leads_to_no_one_person_is_refused(
    person: Any, links: Any, public: Any, shown: list[str], refused: "Refused"
) -> None:
    with refused(ParameterError, *shown):
        as_links(person, links, public)


def test_long_ways_are_cut(refused: "Refused") -> None:
    long = {f"{'t' * 40}{n}.a": f"{'t' * 40}{n + 1}.i" for n in range(6)} | {"t" * 40 + "6.a": "c.i"}
    with refused(ParameterError, "in one way", " ..."):
        as_links("c.i", {**long, "t" * 40 + "0.b": "c.i"})
    with refused(ParameterError, "lead back"):
        as_links("c.i", {**long, "c.a": "t" * 40 + "0.i"})


def test_the_longest_chain_is_followed() -> None:
    chain = {f"t{n}.a": f"t{n + 1}.i" for n in range(199)}
    assert len(as_links("c.i", {**chain, "t199.a": "c.i"}).steps("t0")) == 200


def judge(tables: int, links: set[tuple[int, int]], public: set[int]) -> bool:
    """Whether links over numbered tables are in order, person 0, by walking all ways."""

    def ways(here: int, seen: tuple[int, ...]) -> list[tuple[int, ...]]:
        if here in seen:
            raise RecursionError
        return [(*seen, here), *(way for a, b in links if a == here for way in ways(b, (*seen, here)))]

    try:
        every = {table: ways(table, ()) for table in range(tables)}
    except RecursionError:
        return False
    for table in range(tables):
        ends = [way[-1] for way in every[table]]
        if table in public and set(ends) - public:
            return False
        if table not in public and (ends.count(0) != 1 or any(ends.count(other) > 1 for other in public)):
            return False
    return 0 not in public


def test_all_links_of_four_tables_are_judged_alike() -> None:
    """All sets of links between three tables, and of four a part; with every choice of public tables."""
    verdicts = set()
    for tables, kept in ((3, 1), (4, 37)):
        pairs = [(a, b) for a, b in product(range(tables), repeat=2)]
        for spot, chosen in enumerate(product((False, True), repeat=len(pairs))):
            if spot % kept:
                continue
            links = {pair for pair, held in zip(pairs, chosen, strict=True) if held}
            public = {table for table in range(1, tables) if (spot // kept) >> table & 1}
            named = {f"t{a}.k{b}": f"t{b}.i" for a, b in links}
            used = {0, *(end for pair in links for end in pair), *public}
            said = refusal_of(lambda named=named, public=public: as_links("t0.i", named, [f"t{p}" for p in public]))  # type: ignore[misc]
            right = judge_used(tables, links, public, used)
            assert (said is None) == right, (links, public, said)
            verdicts.add(right)
    assert verdicts == {False, True}


def judge_used(tables: int, links: set[tuple[int, int]], public: set[int], used: set[int]) -> bool:
    """Tables that nothing names are not there: they stand as public ones that nothing leads to."""
    return judge(tables, links, public | (set(range(tables)) - used))


COLUMNS: dict[str, Column] = {
    "items.price": Number(0, 100),
    "products.price": Number(0, 100),
    "products.kind": Category("book", "toy"),
    "makers.kind": Category("firm", "shop"),
    "makers.old": Flag(),
    "orders.day": Number(0, 365),
    "customers.day": Number(0, 365),
}


def test_columns_are_called_by_their_names_where_these_are_alone() -> None:
    assert {name: str(field) for name, field in shop().names("items", COLUMNS).items()} == {
        "price": "items.price",
        "products.price": "products.price",
        "products.kind": "products.kind",
        "makers.kind": "makers.kind",
        "old": "makers.old",
        "orders.day": "orders.day",
        "customers.day": "customers.day",
    }
    assert [*shop().names("orders", COLUMNS)] == ["day", "customers.day"]
    assert [*shop().names("customers", COLUMNS)] == ["day"]


def test_two_columns_never_have_one_name(refused: "Refused") -> None:
    with refused(ParameterError, "names of their own", "'products.kind'"):
        shop().names("items", {**COLUMNS, "items.products.kind": Flag()})
    with refused(ParameterError, "names of their own", "'customers.id'"):
        shop().names("items", {"items.customers.id": Flag()})
    assert [*shop().names("customers", {"customers.id": Flag()})] == ["id"]


def test_tables_that_are_not_declared_are_refused(refused: "Refused") -> None:
    for spoiled in ("item", 3, None):
        with refused(ParameterError, "table must be one that is declared"):
            shop().steps(spoiled)  # type: ignore[arg-type]
    with refused(ParameterError, 'did you mean "items"'):
        shop().require("item")
    with refused(ParameterError, '"products" is public'):
        shop().require("products")
    with refused(ParameterError, "columns must be of tables that person, links or public name", '"orders"'):
        require_tables({"order.day": Flag()}, shop())
    require_tables(COLUMNS, shop())


def test_refusals_tell_nothing_of_what_they_were_handed() -> None:
    assert [*faults_of(lambda spoiled: as_links(spoiled, SHOP, PUBLIC))] == []
    assert [*faults_of(lambda spoiled: as_links("customers.id", spoiled, PUBLIC))] == []
    assert [*faults_of(lambda spoiled: as_links("customers.id", {"orders.customer": spoiled}, PUBLIC))] == []
    assert [*faults_of(lambda spoiled: as_links("customers.id", {"orders": spoiled}, PUBLIC))] == []
    assert [*faults_of(lambda spoiled: as_links("customers.id", SHOP, spoiled))] == []
