"""Beside the law: seeds, run times, what comes along with an answer, and whether everybody pays.

An audit of draws sees what a function returns. These probes look at what else it does. Each is a short experiment, and
says in words what it saw.
"""

from typing import Any

from dampen.audit.arguments import require_function
from dampen.audit.drawing import Draw, require_draw
from dampen.audit.payment import Spent, probe_budget
from dampen.audit.probe_report import ProbeReport, not_tried
from dampen.audit.replay import probe_processes, probe_seeds
from dampen.audit.run_times import probe_times
from dampen.audit.side_outputs import probe_attributes, probe_data, probe_texts


def probe(draw: Draw, x: Any, y: Any, *, spent: Spent | None = None, others: bool = True) -> ProbeReport:
    """Look at what ``draw`` does on two neighbouring data sets beside returning an output.

    Seeds: does its noise come again after the generators of Python and numpy are seeded, or in a second process? Run
    times: do they differ (a hint, never a proof)? Side outputs: does it print, warn or raise with the data in it, has
    what it returns attributes that are exact, does it change its data or hand it out? Budget, where ``spent()`` tells
    how much was paid so far: is every draw charged, also the second one, one of a copy, of a pickle or of a clone, and
    of many threads?

    ``draw`` may be a method, such as ``estimator.fit``: then its object is what is copied. ``others=False`` leaves out
    the second process. Nothing here depends on the law: :func:`dampen.audit.black_box` audits that.

    >>> import numpy as np
    >>> report = probe(lambda people: len(people) + np.random.laplace(), "ab", "a", others=False)
    >>> print(report.findings[0].words)
    the same outputs come again after the generators of Python and numpy are seeded: whoever seeds them knows the noise
    """
    require_draw(draw)
    if spent is not None:
        require_function("nothing to what was spent so far", spent=spent)
    findings = [probe_seeds(draw, x)]
    findings.append(probe_processes(draw, x) if others else not_tried("processes", "others=False"))
    findings.append(probe_times(draw, x, y))
    findings += probe_texts(draw, x, y)
    findings.append(probe_attributes(draw, x, y))
    findings.append(probe_data(draw, x))
    findings += [not_tried("budget", "nobody told what was spent")] if spent is None else probe_budget(draw, x, spent)
    return ProbeReport(tuple(findings))
