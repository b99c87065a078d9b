"""A loss in words: who is protected, what may be believed and guessed of them after a release, what delta adds."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from dampen._validate import Number, brief, plain, probability
from dampen.drawing import GREY, PALETTE, new_axes, new_figure
from dampen.meaning.beliefs import Belief, belief_after, detection, float_above, float_below, odds_factor, right_guess
from dampen.writing import four_digits, html_element, html_table, percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BELIEFS = tuple(map(Fraction, ("1/100", "1/10", "1/2", "9/10")))
"""Beliefs before a release that are worked out."""
FALSE_ALARM = Fraction(1, 20)
DRAWN = 200
"""Points of a curve."""
NEIGHBOURS = {
    "ADD_REMOVE": "data with and without one {unit} are neighbours",
    "REPLACE": "data in which one {unit} has another value are neighbours; how many there are is public",
    "EDGE": "graphs with one {unit} more or less are neighbours; the nodes are public",
}
CASES = {
    "ADD_REMOVE": "that a certain {unit} is in the data",
    "REPLACE": "that a certain {unit} has one of two values rather than the other",
    "EDGE": "that a certain {unit} is in the graph",
}


class Part(NamedTuple):
    """A part of what was spent: on what, and what that alone means."""

    what: str
    amount: str
    epsilon: Fraction
    delta: Fraction


@dataclass(frozen=True)
class Explanation:
    """What a loss means for one person. Printed, it says so; ``plot`` draws it; ``belief`` computes any other case.

    ``subject``: what is explained. ``told``: the loss as it was claimed. ``epsilon`` and ``delta``: what is worked
    with, which for a loss of rho alone is what it implies, at the delta ``stated``.
    """

    subject: str
    told: str
    epsilon: Fraction
    delta: Fraction
    adjacency: str | None
    unit: str | None
    rho: Fraction | None = None
    stated: Fraction | None = None
    parts: tuple[Part, ...] = ()

    def belief(self, before: Number) -> Belief:
        """Between which two a belief lies after the release, both rounded outwards. Delta is told beside it."""
        return belief_after(probability(before=before), self.epsilon)

    @property
    def odds(self) -> Fraction | None:
        """No output is more than so many times as likely with somebody as without: exp(epsilon), rounded up."""
        return odds_factor(self.epsilon)

    @property
    def right_guess(self) -> Fraction:
        """How often a guess between two cases that were equally likely before is right at most."""
        return right_guess(self.epsilon, self.delta)

    def detection(self, false_alarm: Number = FALSE_ALARM) -> Fraction:
        """How often a test finds somebody at most who is there, if it is wrong about others so often."""
        return detection(probability(false_alarm=false_alarm), self.epsilon, self.delta)

    def sentences(self) -> Iterator[tuple[str, str]]:
        """What it means, in words: a heading and a sentence each."""
        yield "what is protected", self._protected()
        if self.rho is not None:
            yield "rho", self._way_back()
        yield "odds", self._odds()
        yield (
            "guessing",
            f"whoever guesses {self._case()}, at even odds before, is right with probability "
            f"{_percent_up(self.right_guess)} at most; whoever is wrong about {percent(FALSE_ALARM)} of those for whom "
            f"it is not so finds {_percent_up(self.detection())} at most of those for whom it is",
        )
        yield "delta", self._failure()
        if self.adjacency == "ADD_REMOVE":
            twice = belief_after(Fraction(1, 2), 2 * self.epsilon).most
            yield (
                "what it says",
                f"which of two values a certain {self._unit()} has is two steps: a belief of 50 % in one of them "
                f"becomes at most {_percent_up(twice)}{self._larger_delta()}",
            )
        if self.unit in (None, "row"):
            yield (
                "people with several rows",
                "one row is protected, not all rows of a person together: with k rows k steps, and k times epsilon"
                f"{self._larger_delta()}",
            )

    def as_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON: exact numbers as text."""
        beliefs = [self.belief(before) for before in BELIEFS]
        return {
            "subject": self.subject,
            "loss": self.told,
            "epsilon": plain(self.epsilon),
            "delta": plain(self.delta),
            "unit": self.unit,
            "adjacency": None if self.adjacency is None else self.adjacency.lower(),
            "beliefs": [
                {"before": plain(each.before), "least": float_below(each.least), "most": float_above(each.most)}
                for each in beliefs
            ],
            "odds": None if self.odds is None else float_above(self.odds),
            "right_guess": float_above(self.right_guess),
            "sentences": dict(self.sentences()),
            "parts": [
                {"what": each.what, "amount": each.amount, "right_guess": float_above(_guess(each))}
                for each in self.parts
            ],
        }

    def plot(self) -> "Figure":
        """The belief after the release against the one before; a matplotlib figure."""
        caption = (
            f"Whoever believed {self._case()} believes so after the release within the coloured band: epsilon "
            f"{brief(self.epsilon)}. On the grey line nothing was learnt.{self._caption_of_delta()}"
        )
        figure = new_figure("explain", caption=caption, width=5.2, height=5.2)
        title = f"What {self.subject} tells at most"
        axes = new_axes(figure, title, "belief before the release (probability)", "belief after it (probability)")
        bands = [belief_after(Fraction(place, DRAWN), self.epsilon) for place in range(DRAWN + 1)]
        before = [float(each.before) for each in bands]
        least, most = ([float(getattr(each, side)) for each in bands] for side in ("least", "most"))
        axes.fill_between(before, least, most, color=PALETTE[5], alpha=0.35, linewidth=0)
        axes.plot(before, most, color=PALETTE[0], label="at most")
        axes.plot(before, least, color=PALETTE[1], linestyle="--", label="at least")
        axes.plot([0, 1], [0, 1], color=GREY, linewidth=1, label="unchanged")
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1)
        axes.set_aspect("equal")
        axes.legend(frameon=False, loc="lower right", fontsize=9)
        return figure

    def __str__(self) -> str:
        rows = [("before", "after, at least", "at most"), *self._belief_rows()]
        table = "\n".join(f"  {before:<8} {least:<16} {most}" for before, least, most in rows)
        lines = [f"{head}: {words}." for head, words in self.sentences()]
        parts = [f"  {what}: {words}" for what, words in self._part_rows()]
        spent = ["", "So far, each by itself:", *parts] if parts else []
        title = f"What {self.subject} tells at most of anybody: {self.told}"
        return "\n".join([title, "", f"A belief {self._case()}:", table, "", *lines, *spent])

    def _repr_html_(self) -> str:
        title = html_element("p", f"What {self.subject} tells at most of anybody: {self.told}")
        beliefs = html_table([("belief before", "after, at least", "at most"), *self._belief_rows()])
        parts = html_table(self._part_rows()) if self.parts else ""
        return f"{title}{beliefs}{html_table(self.sentences())}{parts}"

    def _belief_rows(self) -> list[tuple[str, str, str]]:
        found = map(self.belief, BELIEFS)
        return [(percent(each.before), _percent_down(each.least), _percent_up(each.most)) for each in found]

    def _part_rows(self) -> list[tuple[str, str]]:
        return [
            (each.what, f"{each.amount}; a guess is right with at most {_percent_up(_guess(each))}")
            for each in self.parts
        ]

    def _unit(self) -> str:
        return self.unit or "row"

    def _case(self) -> str:
        return CASES[self.adjacency or "ADD_REMOVE"].format(unit=self._unit())

    def _protected(self) -> str:
        if self.adjacency is None:
            return "not fixed yet: the first release fixes the unit and which data are neighbours; read below as rows"
        words = NEIGHBOURS[self.adjacency].format(unit=self._unit())
        return f"one {self._unit()} ({self.adjacency}): {words}"

    def _odds(self) -> str:
        if self.odds is None:
            return "they may change by any factor that anybody could notice: so large an epsilon promises nothing"
        factor = four_digits(self.odds, up=True)
        return f"no answer is more than {factor} times as likely in one case as in the other; odds change by no more"

    def _failure(self) -> str:
        if not self.delta:
            return "0: the above holds for every answer that can come out"
        often = four_digits(self.delta, up=True)
        return (
            f"with probability {often} at most the release may tell everything about a {self._unit()}; otherwise the "
            "above holds. No release is worse than one that does just that"
        )

    def _larger_delta(self) -> str:
        return ", with a larger delta" if self.delta else ""

    def _way_back(self) -> str:
        rho, stated, epsilon = self.rho or Fraction(0), self.stated or Fraction(0), four_digits(self.epsilon, up=True)
        return (
            f"rho {brief(rho)} is no epsilon; at a delta of {brief(stated)}, which you may state, it promises epsilon "
            f"{epsilon}"
        )

    def _caption_of_delta(self) -> str:
        if not self.delta:
            return ""
        return f" With probability {four_digits(self.delta, up=True)} at most it may lie outside."


def _guess(part: Part) -> Fraction:
    return right_guess(part.epsilon, part.delta)


def _percent_up(share: Fraction) -> str:
    return f"{four_digits(100 * share, up=True)} %"


def _percent_down(share: Fraction) -> str:
    return f"{four_digits(100 * share, up=False)} %"
