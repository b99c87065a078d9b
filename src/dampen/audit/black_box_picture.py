"""A picture of what an audit of a black box measured: events, and what the claim allows."""

from typing import TYPE_CHECKING, Any

import numpy as np

from dampen.writing import pyplot_for

if TYPE_CHECKING:
    from dampen.audit.black_box_report import BlackBoxReport

POINTS = 200


def draw_findings(report: "BlackBoxReport", axes: Any = None) -> Any:
    """Each event by its two probabilities, with the bounds of both; the claim forbids what lies above the line."""
    target = axes if axes is not None else pyplot_for("plot").figure(layout="constrained").add_subplot()
    least = min([1e-3, *(finding.high / 3 for finding in report.findings)])
    rare = np.geomspace(least, 1, POINTS)
    if report.claim.epsilon is not None:
        allowed = np.minimum(np.exp(float(report.claim.epsilon)) * rare + float(report.claim.delta), 1.0)
        target.plot(rare, allowed, color="0.3", label=f"allowed by {report.claim.amount}")
    for place, finding in enumerate(report.findings, start=1):
        often, rarely = finding.share_on_x, finding.share_on_y
        if finding.likelier_on == "y":
            often, rarely = rarely, often
        spans = [[0.0], [max(finding.high - rarely, 0.0)]], [[max(often - finding.low, 0.0)], [0.0]]
        words = finding.event if len(finding.event) <= 60 else f"{finding.event[:57]}..."
        target.errorbar(
            [max(rarely, least)], [often], xerr=spans[0], yerr=spans[1], fmt="o", capsize=3, label=f"{place}: {words}"
        )
    target.set_xscale("log")
    target.set_yscale("log")
    target.set_xlabel("probability on the data set that shows it more rarely")
    target.set_ylabel("probability on the other one")
    target.set_title("claim refuted" if report.refuted else "claim not refuted")
    target.legend(fontsize=8)
    return target
