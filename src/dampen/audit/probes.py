"""Beside the law: seeds, run times, what comes along with an answer, and whether everybody pays.

An audit of draws sees what a function returns. These probes look at what else it does. Each is a short experiment, and
says in words what it saw.
"""

import copy
import pickle
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from typing import Any

import numpy as np

from dampen.audit.arguments import require_function
from dampen.audit.drawing import Draw
from dampen.audit.leaves import Raised
from dampen.audit.outputs import Outputs
from dampen.audit.probe_report import ProbeFinding, ProbeReport, found, not_tried, nothing
from dampen.audit.replay import probe_processes, probe_seeds
from dampen.audit.run_times import probe_times

REPEATS = 5
"""So often a side output is looked at: one that never changes on a data set has no noise."""
THREADS = 8
SHORTEST = 3
"""Values that print shorter than this occur in every text."""
Spent = Callable[[], Any]


def probe(draw: Draw, x: Any, y: Any, *, spent: Spent | None = None, others: bool = True) -> ProbeReport:
    """Look at what ``draw`` does on two neighbouring data sets beside returning an output.

    Seeds: does its noise come again after the generators of Python and numpy are seeded, or in a second process? Run
    times: do they differ (a hint, never a proof)? Side outputs: does it print, warn or raise with the data in it, and
    has what it returns attributes that are exact? Budget, where ``spent()`` tells how much was paid so far: is every
    draw charged, also the second one, one of a copy, of a pickle or of a clone, and of many threads?

    ``draw`` may be a method, such as ``estimator.fit``: then its object is what is copied. ``others=False`` leaves out
    the second process. Nothing here depends on the law: :func:`dampen.audit.black_box` audits that.

    >>> import numpy as np
    >>> report = probe(lambda people: len(people) + np.random.laplace(), "ab", "a", others=False)
    >>> print(report.findings[0].words)
    the same outputs come again after the generators of Python and numpy are seeded: whoever seeds them knows the noise
    """
    require_function("a data set to an output", draw=draw)
    if spent is not None:
        require_function("nothing to what was spent so far", spent=spent)
    findings = [probe_seeds(draw, x)]
    findings.append(probe_processes(draw, x) if others else not_tried("processes", "others=False"))
    findings.append(probe_times(draw, x, y))
    findings += probe_texts(draw, x, y)
    findings.append(probe_attributes(draw, x, y))
    findings += [not_tried("budget", "nobody told what was spent")] if spent is None else probe_budget(draw, x, spent)
    return ProbeReport(tuple(findings))


# Side outputs


def probe_texts(draw: Draw, x: Any, y: Any) -> list[ProbeFinding]:
    """Whether texts that leave beside the answer quote the data, or are of one data set alone."""
    kinds = ("prints", "warnings", "exceptions")
    heard = [[_listen(draw, data) for _ in range(REPEATS)] for data in (x, y)]
    findings = []
    for kind in kinds:
        on_x, on_y = ({text for each in texts if (text := each[kind])} for texts in heard)
        quoted = next((value for text in on_x | on_y for value in _values_of((x, y)) if value in text), None)
        always = [all(each[kind] for each in texts) for texts in heard]
        never = [not any(each[kind] for each in texts) for texts in heard]
        if quoted is not None:
            findings.append(found(kind, f"one of the {kind} has a value of the data in it"))
        elif (always[0] and never[1]) or (always[1] and never[0]):
            findings.append(found(kind, f"{kind} come on {'x' if always[0] else 'y'} alone"))
        else:
            findings.append(nothing(kind, f"none of the {kind} has data in it"))
    return findings


def _listen(draw: Draw, data: Any) -> dict[str, str]:
    printed, error = StringIO(), ""
    with warnings.catch_warnings(record=True) as warned, redirect_stdout(printed), redirect_stderr(printed):
        warnings.simplefilter("always")
        try:
            draw(data)
        except Exception as raised:
            error = repr(Raised.by(raised))
    told = " ".join(str(each.message) for each in warned)
    return {"prints": printed.getvalue(), "warnings": told, "exceptions": error}


def _values_of(data: Any) -> Iterator[str]:
    """How the single values of a data set print, those that could occur anywhere left out."""
    if isinstance(data, dict):
        for value in data.values():
            yield from _values_of(value)
    elif isinstance(data, list | tuple | set | frozenset | np.ndarray):
        for value in data:
            yield from _values_of(value)
    elif len(str(data)) >= SHORTEST and data is not True and data is not False and data is not None:
        yield str(data)


def probe_attributes(draw: Draw, x: Any, y: Any) -> ProbeFinding:
    """Whether what is returned has attributes that are the same in every draw on one data set, and differ on the other.

    Those that hold random numbers differ in every draw, and are judged as outputs: hand them to an audit.
    """
    drawn = [[_attributes_of(draw, data) for _ in range(REPEATS)] for data in (x, y)]
    names = sorted({name for each in (*drawn[0], *drawn[1]) for name in each})
    if not names:
        return not_tried("attributes", "what it returns has none")
    exact = [name for name in names if _is_exact(name, *drawn)]
    if exact:
        some = ", ".join(exact[:6]) + (" and more" if len(exact) > 6 else "")
        return found("attributes", f"without noise, and different on x and on y: {some}")
    return nothing("attributes", f"none of {len(names)} attributes is exact and differs on x and on y")


def _attributes_of(draw: Draw, data: Any) -> dict[str, str]:
    try:
        output = draw(data)
    except Exception:
        return {}
    return {name: _text_of(value) for name, value in getattr(output, "__dict__", {}).items()}


def _text_of(value: Any) -> str:
    """A value as far as it can be told; addresses in memory are not."""
    return repr(Outputs([value]).rows[0]) if not callable(value) else ""


def _is_exact(name: str, on_x: list[dict[str, str]], on_y: list[dict[str, str]]) -> bool:
    told = [{each.get(name, "") for each in some} for some in (on_x, on_y)]
    return len(told[0]) == 1 and len(told[1]) == 1 and told[0] != told[1]


# Budget


def probe_budget(draw: Draw, x: Any, spent: Spent) -> list[ProbeFinding]:
    """Whether every draw is paid for: one after another, by copies, by many threads. A draw that is refused is fine."""
    price = _charge(draw, x, spent)
    if price is None:
        return [not_tried("budget", "the first draw was refused")]
    if price <= 0:
        return [found("budget", "a draw is not charged at all")]
    findings = [_judge("a second draw", _charge(draw, x, spent), price)]
    for words, make in (("a copy", copy.deepcopy), ("a pickle", _pickled), ("a clone", _cloned)):
        try:
            other = make(draw)
        except Exception as error:
            findings.append(nothing("budget", f"{words} is refused ({type(error).__name__})"))
            continue
        if other is None:
            findings.append(not_tried("budget", f"{words} is no different from the function itself"))
        else:
            findings.append(_judge(f"a draw of {words}", _charge(other, x, spent), price))
    return [*findings, _judge_threads(draw, x, spent, price)]


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
    other = pickle.loads(pickle.dumps(draw))
    return None if other is draw else other  # functions are pickled by name


def _cloned(draw: Draw) -> Draw | None:
    """The same method of a clone, as scikit-learn makes them: the parameters, and nothing that was learned."""
    owner = getattr(draw, "__self__", None)
    if not callable(getattr(owner, "get_params", None)):
        return None
    from sklearn.base import clone

    method: Draw = getattr(clone(owner), getattr(draw, "__name__", "fit"))
    return method


def _judge(words: str, charged: float | None, price: float) -> ProbeFinding:
    if charged is None:
        return nothing("budget", f"{words} is refused")
    if charged < price * (1 - 1e-9):
        return found("budget", f"{words} is charged {charged:g}; the first one was charged {price:g}")
    return nothing("budget", f"{words} is charged too")


def _judge_threads(draw: Draw, x: Any, spent: Spent, price: float) -> ProbeFinding:
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
    if charged < made * price * (1 - 1e-9):
        return found("budget", f"{made} draws of threads at once are charged {charged:g}, and one of them {price:g}")
    return nothing("budget", f"{made} draws of threads at once are charged all")
