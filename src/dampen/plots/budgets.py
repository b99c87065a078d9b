"""What was spent from a ledger over time, and by whom."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from dampen.accounting import Ledger
from dampen.accounting.chain import Entry
from dampen.accounting.composition import Composition
from dampen.accounting.rules import COMPOSITIONS
from dampen.drawing import GREY, colour_of, new_axes, new_figure, style_of
from dampen.errors import ParameterError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PART = {"pure": "epsilon", "basic": "epsilon", "slots": "epsilon", "zcdp": "rho", "approx": "rho"}
"""What a rule counts that is drawn: what an ``approx`` ledger grants beyond its epsilon it grants by its rho."""


BY_ORDER = "charges (in their order)"
SHORT = timedelta(minutes=1)
"""Charges within so short a time are drawn by their order."""


def budget(ledger: Ledger) -> "Figure":
    """What was spent over time: by each scope, by all together, and the limit.

    A budget in memory keeps no history: only ledgers can be drawn.
    """
    if not isinstance(ledger, Ledger):
        raise ParameterError(
            "ledger must be one that dampen.Budget.open made: a budget in memory keeps no history; "
            f"got {type(ledger).__name__}"
        )
    part, rule = PART[ledger.composition], COMPOSITIONS[ledger.composition]
    charges = [entry for entry in ledger.history() if entry.kind == "charge"]
    places, across = _places(charges)
    caption = (
        f"Every step is a charge from the ledger {ledger.name}: {len(charges)} in all, added up by the rule "
        f"{ledger.composition!r}. The grey line is the limit."
    )
    figure = new_figure("plots.budget", caption=caption)
    per = "" if ledger.unit is None else f", per {ledger.unit}"
    axes = new_axes(figure, f"What was spent of {ledger.name}", across, f"{part} (privacy loss{per})")
    names = list(dict.fromkeys(entry.scope for entry in charges))
    shown: list[str | None] = [None, *(names if len(names) > 1 else [])]
    for place, name in enumerate(shown if charges else []):
        sums = _sums(charges, name, rule, part)
        look = {"color": colour_of(place), "linestyle": style_of(place), "linewidth": 2.2 if name is None else 1.4}
        label = "all together" if name is None else name or "no scope"
        axes.step([places[0], *places], [0, *sums], where="post", marker=".", label=label, **look)
    top = getattr(ledger.limit, part)
    if top is not None:
        axes.axhline(float(top), color=GREY, linestyle="--", linewidth=1, label="limit")
    axes.set_ylim(0, 1.35 * max([float(top or 0), *(max(line.get_ydata()) for line in axes.lines)]) or 1)
    if across == BY_ORDER:
        axes.xaxis.get_major_locator().set_params(integer=True)
    axes.legend(frameon=False, fontsize=8, loc="upper left")
    return figure


def _places(charges: Sequence[Entry]) -> tuple[list[Any], str]:
    """Where each charge stands, and what that means: by the clock or, where all were made at once, in their order."""
    times = [datetime.fromisoformat(entry.at) for entry in charges]
    if times and max(times) - min(times) >= SHORT:
        return times, "time (UTC)"
    return list(range(1, len(times) + 1)), BY_ORDER


def _sums(charges: Sequence[Entry], scope: str | None, rule: Composition, part: str) -> list[float]:
    """The sum of one scope, or of all, after each of all charges."""
    spent, sums = rule.start, []
    for entry in charges:
        if scope is None or entry.scope == scope:
            spent = rule.add(spent, entry.loss)
        sums.append(float(getattr(spent, part) or 0))
    return sums
