"""Certificates are made of released and public things, and of a ledger's own entries."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import dampen
from dampen.cli.app import app
from dampen.meaning.certificate import NOT_PROTECTED, proof_pages

ROOT = Path(__file__).parents[3]


def test_a_release_certifies_its_promise_and_its_mechanism() -> None:
    budget = dampen.Budget(epsilon=1)
    release = dampen.select({"tea": 7, "coffee": 5}, sensitivity=1, epsilon="1/2", budget=budget, note="drink <b>")
    made = release.certificate()
    told = json.loads(made.as_json())
    assert told["data_release"] == {"what": "drink <b>", "value": release.value}
    assert told["privacy_guarantee"]["privacy_parameters"] == {"epsilon": "0.5", "delta": "0"}
    assert told["privacy_guarantee"]["unit_of_privacy"] == "row"
    assert told["privacy_guarantee"]["neighboring_databases"].startswith("unbounded differential privacy (ADD_REMOVE)")
    assert told["mechanism"]["version"] == dampen.__version__
    assert [(ROOT / page).is_file() for page in told["mechanism"]["proofs"]] == [True]
    assert told["not_protected"] == list(NOT_PROTECTED)
    assert list(told) == [
        *("title", "data_release", "privacy_guarantee", "mechanism", "utility"),
        *("trust_model", "query_model", "implementation", "not_protected"),
    ]
    assert list(told["privacy_guarantee"]) == [
        *("definition", "privacy_parameters", "unit_of_privacy", "neighboring_databases"),
        *("privacy_loss_in_words", "beliefs"),
    ]
    page = made.as_html()
    assert "10 % becomes 6.313 to 15.49 %" in page  # .1 e^.5 / (.9 + .1 e^.5) = .154808..., rounded up
    assert "drink &lt;b&gt;" in page
    assert "<b>" not in page
    assert not any(word in page for word in ("http:", "https:", "<script", "src="))


def test_a_release_certifies_which_entry_of_a_ledger_paid(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    ledger = dampen.Budget.open(path, epsilon=3)
    release = dampen.select({"tea": 7, "coffee": 5}, sensitivity=1, epsilon="1/2", budget=ledger, note="drink")
    spent = ledger.spent
    made = release.certificate()
    told, charge = json.loads(made.as_json())["privacy_budget"], ledger.history()[1]
    assert (told["entry"], told["head"]) == (charge.number, f"{charge.number}:{charge.hash}")
    assert all(str(word) in made.as_html() for word in told.values())
    assert str(tmp_path) not in made.as_json()
    assert ledger.spent == spent
    words = told["check"].split("`")[1].replace("LEDGER", str(path)).split()[1:]
    assert CliRunner().invoke(app, words).exit_code == 0
    assert CliRunner().invoke(app, [*words[:-1], f"{charge.number}:{'0' * 64}"]).exit_code != 0


def test_a_ledger_is_certified_from_its_entries(tmp_path: Path) -> None:
    ledger = dampen.Budget.open(tmp_path / "study.db", epsilon=3)
    dampen.select({"tea": 7, "coffee": 5}, sensitivity=1, epsilon="1/2", budget=ledger, note="drink")
    ledger.change_limit(epsilon=1)
    told = ledger.certificate().as_dict()
    assert told["privacy_budget"]["promise"] == "epsilon 3"  # what was promised before may have been spent
    assert told["privacy_budget"]["spent"] == "epsilon 0.5"
    assert told["data_release"] == [{"what": "drink", "by": "all", "charges": 1, "spent": "epsilon 0.5"}]
    assert told["verification"]["intact"] is True
    assert told["verification"]["head"] == ledger.head
    assert list(told) == [
        *("title", "data_release", "privacy_guarantee", "privacy_budget", "mechanism", "verification"),
        *("trust_model", "query_model", "implementation", "not_protected", "entries"),
    ]
    assert [entry["kind"] for entry in told["entries"]] == ["limit", "charge", "outcome", "limit"]


@pytest.mark.parametrize("name", ["PermuteAndFlip", "LaplaceCounts", "TopK", "Gaussian"])
def test_proof_pages_exist(name: str) -> None:
    assert [(ROOT / page).is_file() for page in proof_pages(f"{name}(epsilon=1) of 3")] == [True]
    assert proof_pages("3 percentiles, halving") == ("docs/proofs",)
