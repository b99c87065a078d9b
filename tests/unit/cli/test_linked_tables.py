"""Several tables on the command line: a description says how they link, and ``--table`` which is asked."""

from pathlib import Path

import pytest

from dampen import Budget
from tests.unit.cli.shell import SURE, refusal, tell

SHOP = """
data = "shop"
ledger = "shop.db"
person = "customers.id"
[links]
orders.customer = "customers.id"
[columns.orders.price]
kind = "number"
bounds = [0, 100]
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("shop").mkdir()
    Path("shop/customers.csv").write_text("id\n" + "".join(f"{who}\n" for who in range(30)))
    Path("shop/orders.csv").write_text("customer,price\n" + "".join(f"{n % 20},10\n" for n in range(40)))
    Path("shop.toml").write_text(SHOP)
    Path("one.toml").write_text('data = "shop/orders.csv"\nledger = "shop.db"\n[columns.price]\nkind = "text"\n')
    Budget.open("shop.db", epsilon=10**12, unit="customers.id").close()
    return tmp_path


def told(*words: str) -> str:
    return tell(*words, "--epsilon", SURE).stdout


@pytest.mark.usefixtures("shop")
def test_the_table_that_is_named_is_asked() -> None:
    assert told("count", "shop.toml", "--table", "orders") == "40\n"
    assert told("count", "shop.toml", "--table", "orders", "--of", "persons") == "20\n"
    assert told("count", "shop.toml", "--table", "customers") == "30\n"
    assert told("sum", "shop.toml", "price", "--table", "orders") == "400\n"


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (("shop.toml",), 'table must be named, for the description has several: "customers", "orders"'),
        (("shop.toml", "--table", "order"), 'did you mean "orders"?'),
        (("shop.toml", "--table", "orders", "--engine", "spark"), "engine must be left out"),
        (("one.toml", "--table", "orders"), "table must be left out"),
        (("shop/orders.csv", "--table", "orders", "--budget", "shop.db"), "table must come with a description"),
    ],
)
def test_what_is_wrong_with_the_table_is_said(words: tuple[str, ...], shown: str) -> None:
    assert shown in refusal("count", *words, "--epsilon", "1")
    assert Budget.open("shop.db").spent.epsilon == 0
