"""Is every draw paid for: one after another, by copies, by many threads?"""

import copy
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from dampen.audit.drawing import Draw
from dampen.audit.probe_report import ProbeFinding, found, hint, not_tried, nothing

THREADS = 8
CLOSE = 1e-9
"""Charges that differ by less, relative to their size, are the same but for the rounding of floats."""
Spent = Callable[[], Any]


def probe_budget(draw: Draw, x: Any, spent: Spent) -> list[ProbeFinding]:
    """Whether every draw is charged. One that is refused is fine; so is one that adds less to a budget that composes.

    Where a second draw costs as much as the first one, charges are sums, and every draw must cost as much. Elsewhere a
    draw must cost something, and a smaller price is a hint.
    """
    price = _charge(draw, x, spent)
    if price is None:
        return [not_tried("budget", "the first draw was refused")]
    if price <= 0:
        return [found("budget", "a draw is not charged at all")]
    second = _charge(draw, x, spent)
    sums = second is None or abs(second - price) <= CLOSE * price
    findings = [_judge("a second draw", second, price, sums)]
    for words, make in (("a copy", copy.deepcopy), ("a pickle", _pickled), ("a clone", _cloned)):
        try:
            other = make(draw)
        except Exception as error:
            findings.append(nothing("budget", f"{words} is refused ({type(error).__name__})"))
            continue
        if other is None or other is draw:  # functions are copied and pickled by name
            findings.append(not_tried("budget", f"{words} is no different from the function itself"))
        else:
            findings.append(_judge(f"a draw of {words}", _charge(other, x, spent), price, sums))
    return [*findings, _judge_threads(draw, x, spent, price, sums)]


def _charge(draw: Draw, x: Any, spent: Spent) -> float | None:
    """What a draw was charged; None where it was refused."""
    before = _as_number(spent())
    try:
        draw(x)
    except Exception:
        return None
    return _as_number(spent()) - before


def _as_number(amount: Any) -> float:
    """An amount of dampen's by its epsilon, or its rho; numbers as they are."""
    if hasattr(amount, "epsilon"):
        amount = amount.rho if amount.epsilon is None else amount.epsilon
    return float(amount)


def _pickled(draw: Draw) -> Draw | None:
    other: Draw = pickle.loads(pickle.dumps(draw))
    return other


def _cloned(draw: Draw) -> Draw | None:
    """The same method of a clone, as scikit-learn makes them: the parameters, and nothing that was learned."""
    owner = getattr(draw, "__self__", None)
    if not callable(getattr(owner, "get_params", None)):
        return None
    from sklearn.base import clone

    method: Draw = getattr(clone(owner), getattr(draw, "__name__", "fit"))
    return method


def _judge(words: str, charged: float | None, price: float, sums: bool) -> ProbeFinding:
    if charged is None:
        return nothing("budget", f"{words} is refused")
    told = f"{words} is charged {charged:g}; the first one was charged {price:g}"
    if charged <= 0 or (sums and charged < price * (1 - CLOSE)):
        return found("budget", told)
    if charged < price * (1 - CLOSE):
        return hint("budget", f"{told}, which is right where a budget composes better than by sums")
    return nothing("budget", f"{words} is charged too")


def _judge_threads(draw: Draw, x: Any, spent: Spent, price: float, sums: bool) -> ProbeFinding:
    before = _as_number(spent())

    def attempt(_: int) -> bool:
        try:
            draw(x)
        except Exception:
            return False
        return True

    with ThreadPoolExecutor(THREADS) as pool:
        made = sum(pool.map(attempt, range(THREADS)))
    charged = _as_number(spent()) - before
    if charged >= made * price * (1 - CLOSE):
        return nothing("budget", f"{made} draws of threads at once are charged all")
    told = f"{made} draws of threads at once are charged {charged:g}, and one of them {price:g}"
    return found("budget", told) if sums or charged <= 0 else hint("budget", told)
