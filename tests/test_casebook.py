"""The case book is the page of its results, and cheap subjects of dampen's own come out the same again."""

import json

import pytest

from dampen.audit import black_box
from experiments.casebook.page import PAGE, RESULTS, page
from experiments.casebook.subjects import SUBJECTS

KNOWN = {result["id"]: result for result in json.loads(RESULTS.read_text())}


def test_the_page_is_made_of_the_results() -> None:
    assert PAGE.read_text() == page(list(KNOWN.values()))


def test_every_verdict_took_less_than_a_minute_and_every_result_has_its_subject() -> None:
    claims = {subject.id: str(subject.claim) for subject in SUBJECTS}
    for result in KNOWN.values():
        assert result["seconds"] < 60, result["id"]
        assert result["claim"] == claims[result["id"]]


@pytest.mark.parametrize("id", ["own-laplace", "own-permute-and-flip"])
def test_own_subjects_come_out_the_same_again(id: str) -> None:
    [subject] = [each for each in SUBJECTS if each.id == id]
    assert subject.own is not None
    given = {"samples": 1_000, "confidence": "0.999999"}
    report = black_box(subject.own(), subject.x, subject.y, claim=subject.claim, **given)  # type: ignore[arg-type]
    assert report.refuted == KNOWN[id]["refuted"] is False
