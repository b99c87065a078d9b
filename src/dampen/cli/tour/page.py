"""The tour as one page: the law, the trade-off, the audit and a budget."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import dampen
from dampen import plots
from dampen.audit import AuditReport
from dampen.mechanisms import Exponential, PermuteAndFlip
from dampen.plots.pages import figure_as_svg
from dampen.problem import SelectionProblem
from dampen.writing import html_element, html_page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EPSILON = "1/20"
ASKED = (("ann", "best city", "1/4"), ("bob", "best city", "1/2"), ("ann", "again", "1/4"), ("bob", "last", "1/2"))
"""Who asks for what at which epsilon, in order."""


def tour_page(problem: SelectionProblem, report: AuditReport) -> str:
    """One page that opens without a network."""
    loss = dampen.PrivacyLoss("1/4", adjacency=dampen.Adjacency.ADD_REMOVE)
    mechanisms = [PermuteAndFlip(EPSILON), Exponential(EPSILON)]
    chapters: list[tuple[str, str, Figure]] = [
        ("1. The law", LAW, plots.law(problem, mechanisms)),
        ("2. The trade-off", TRADEOFF, plots.tradeoff(problem, [PermuteAndFlip, Exponential])),
        ("3. What it means for one person", MEANING, dampen.explain(loss).plot()),
        ("4. The audit", AUDIT, plots.audit(report)),
        ("5. The budget", BUDGET, _spent(problem)),
    ]
    parts = [html_element("p", INTRODUCTION)]
    for heading, words, figure in chapters:
        parts += [html_element("h2", heading), html_element("p", words), figure_as_svg(figure)]
    return html_page("dampen: private answers with noise fitted to the data at hand", parts)


def _spent(problem: SelectionProblem) -> "Figure":
    """A ledger from which two analysts are paid."""
    with TemporaryDirectory() as folder:
        ledger = dampen.Budget.open(Path(folder) / "demo.db", epsilon=2)
        people = {name: ledger.scope("analyst", name, epsilon=1) for name in ("ann", "bob")}
        for name, note, epsilon in ASKED:
            PermuteAndFlip(epsilon).release(problem, budget=people[name], note=note)
        drawn = plots.budget(ledger)
        ledger.close()
    return drawn


INTRODUCTION = (
    "Which city has the most votes? One voter must not be able to change the answer noticeably. The votes are made up, "
    "so everything may be shown here, also what is private of real data."
)
LAW = (
    f"A private answer is drawn by chance. This is how likely each city is at epsilon {EPSILON}, under two mechanisms."
)
TRADEOFF = "The larger epsilon, the better the answer, and the more it tells about a single voter."
MEANING = "What an answer at epsilon 1/4 tells at most about one voter, whatever else somebody knows."
AUDIT = "The promise is not only proved: it is recomputed on all small data sets and their neighbours."
BUDGET = (
    "Every answer is paid from a budget, which keeps who asked for what. When it is spent, nothing more is answered."
)
