"""A page for whoever answers for data protection: what was released, under which promise, and what is not protected.

Its headings are terms of NIST SP 800-226, Guidelines for Evaluating Differential Privacy Guarantees (2025): unit of
privacy, privacy parameters, trust model and so on. It is made of public and released things alone.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import dampen
from dampen.meaning.amounts import AmountLike, explain_amount
from dampen.meaning.explanation import NEIGHBOURS, Explanation
from dampen.writing import four_digits, html_element, html_page, html_table, percent

MOST_SHOWN = 200
"""The page shows so many rows of a list, the latest, and so many letters of a cell; the JSON holds all."""
BELIEF = {"before", "least", "most"}
"""A belief before a release, and between what it lies afterwards."""
NAMES = {
    "ADD_REMOVE": "unbounded differential privacy",
    "REPLACE": "bounded differential privacy",
    "EDGE": "edge-level differential privacy of graphs",
}
TRUST_MODEL = (
    "central model: the curator holds the data and is trusted with them; whoever sees releases is not trusted, may "
    "know all other records, and may choose later questions after earlier answers"
)
QUERY_MODEL = "interactive: every question is paid for from the privacy budget before its answer is drawn"
IMPLEMENTATION = (
    "answers are drawn exactly, in whole numbers, from the entropy of the operating system: no floating-point noise, "
    "no seed; the budget is charged before the draw and nothing is given back"
)
NOT_PROTECTED = (
    "data collection exposure: what happened to the data before they came to the curator",
    "security and access control: the machine of the curator, its memory, and whoever may read the data there",
    "side channels: how long an answer took, and what memory it used",
    "several budgets for the same data: each promises for itself alone, together they promise their sum",
    "wrong claims: bounds, categories, sensitivities, the unit or the adjacency taken from the data, or wrong",
    "what holds for everybody: a true statement about a group may be used against its members, in the data or not",
    "people who are more than one unit of privacy: what they lose grows with the number of their units",
)
CHECK = "`dampen budget verify LEDGER --head {head}` tells whether the ledger still contains this entry"
PROOFS = "docs/proofs"
CLASS = re.compile(r"\b([A-Z][A-Za-z]+)\(")


class LossLike(AmountLike, Protocol):
    """What one release costs, and for whom."""

    @property
    def adjacency(self) -> Any:
        """Which data are neighbours."""
        ...

    @property
    def unit(self) -> str:
        """What one step moves."""
        ...


@dataclass(frozen=True)
class Certificate:
    """What may be handed on: as a dictionary, as JSON, and as one page of HTML that opens without a network."""

    title: str
    sections: Mapping[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON."""
        return {"title": self.title, **self.sections}

    def as_json(self) -> str:
        """The same as text."""
        return json.dumps(self.as_dict(), indent=2)

    def as_html(self) -> str:
        """One page."""
        parts = [html_element("h2", _heading(name)) + _html(content) for name, content in self.sections.items()]
        return html_page(self.title, parts)

    def __str__(self) -> str:
        return self.as_json()

    def _repr_html_(self) -> str:
        parts = [html_element("h4", _heading(name)) + _html(content) for name, content in self.sections.items()]
        return html_element("h3", self.title) + "".join(parts)


def certify_release(told: Mapping[str, Any], loss: LossLike, receipt: Mapping[str, Any] | None = None) -> Certificate:
    """The certificate of one release. ``told``: what it tells of itself (``Release.as_dict``).

    ``receipt``: the entry of the ledger that paid, and the head right after it, where one did.
    """
    explained = explain_amount(loss, subject="this release", told=str(loss), adjacency=loss.adjacency, unit=loss.unit)
    mechanism = told["mechanism"]
    error = told.get("error")
    sections: dict[str, Any] = {
        "data_release": {"what": told["note"] or "(no note)", "value": told["value"]},
        "privacy_guarantee": guarantee(explained, told["loss"]),
        **({} if receipt is None else {"privacy_budget": {**receipt, "check": CHECK.format(**receipt)}}),
        "mechanism": {"name": mechanism, **library(), "proofs": list(proof_pages(mechanism))},
        "utility": {"error": "not told" if error is None else error["statement"]},
        **surroundings(),
    }
    return Certificate("Certificate of a differentially private release", sections)


def guarantee(explained: Explanation, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The promise: its parameters, for which unit, and what it means."""
    kept = {name: value for name, value in parameters.items() if name not in ("adjacency", "unit")}
    fixed = explained.adjacency
    return {
        "definition": _definition(explained),
        "privacy_parameters": kept,
        "unit_of_privacy": explained.unit or "not fixed yet",
        "neighboring_databases": "not fixed yet"
        if fixed is None
        else f"{NAMES[fixed]} ({fixed}): {NEIGHBOURS[fixed].format(unit=explained.unit)}",
        "privacy_loss_in_words": dict(explained.sentences()),
        "beliefs": explained.as_dict()["beliefs"],
    }


def library() -> dict[str, str]:
    """Which software drew."""
    return {"library": "dampen", "version": dampen.__version__}


def surroundings() -> dict[str, Any]:
    """What holds for every release of this library."""
    return {
        "trust_model": TRUST_MODEL,
        "query_model": QUERY_MODEL,
        "implementation": IMPLEMENTATION,
        "not_protected": list(NOT_PROTECTED),
    }


def proof_pages(mechanism: str) -> tuple[str, ...]:
    """The proof pages of the mechanisms that a release names; the folder of all, where it names a way and no class."""
    names = dict.fromkeys(CLASS.findall(mechanism))
    pages = tuple(f"{PROOFS}/{re.sub(r'(?<!^)(?=[A-Z])', '_', name).lower()}.md" for name in names)
    return pages or (PROOFS,)


def _definition(explained: Explanation) -> str:
    if explained.rho is not None:
        return "zero-concentrated differential privacy"
    return "approximate differential privacy" if explained.delta else "pure differential privacy"


def _heading(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _html(content: Any) -> str:
    """A mapping as a table, a list of mappings as one with a head, any other list as points, the rest as a sentence."""
    if isinstance(content, Mapping):
        return html_table((_heading(name), _cell(value)) for name, value in content.items())
    if isinstance(content, str) or not isinstance(content, Sequence):
        return html_element("p", _cell(content))
    shown = content[-MOST_SHOWN:]
    left_out = len(content) - len(shown)
    note = html_element("p", f"The latest {len(shown)} of {len(content)}.") if left_out else ""
    if shown and isinstance(shown[0], Mapping):
        return note + html_table([tuple(shown[0]), *(tuple(map(_cell, row.values())) for row in shown)])
    return f"{note}<ul>{''.join(html_element('li', _cell(each)) for each in shown)}</ul>"


def _cell(value: Any) -> str:
    if isinstance(value, Mapping) and set(value) == BELIEF:
        least, most = (four_digits(100 * Fraction(value[end]), up=end == "most") for end in ("least", "most"))
        words = f"{percent(value['before'])} becomes {least} to {most} %"
    elif isinstance(value, Mapping):
        words = "; ".join(f"{name}: {_cell(each)}" for name, each in value.items())
    elif isinstance(value, Sequence) and not isinstance(value, str):
        words = "; ".join(map(_cell, value))
    else:
        words = "" if value is None else str(value)
    return words
