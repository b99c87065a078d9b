"""What an audit found, beside what is claimed."""

from typing import TYPE_CHECKING

from dampen.audit import AuditReport
from dampen.drawing import GREY, PALETTE, new_axes, new_figure
from dampen.errors import ParameterError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def audit(report: AuditReport) -> "Figure":
    """The worst that was found over all pairs of neighbours, as a share of what is claimed."""
    if not isinstance(report, AuditReport):
        raise ParameterError(f"report must be an AuditReport; got {type(report).__name__}")
    parts = _parts(report)
    verdict = "holds" if report.passed else f"BROKEN: {', '.join(report.breaches) or 'no pair was tried'}"
    caption = (
        f"The worst of {report.pairs:,} pairs of neighbouring data sets, as a share of the claim {report.claim}. A bar "
        "that ends beyond the line would refute the claim."
    )
    figure = new_figure("plots.audit", caption=caption, height=1.9 + 0.45 * len(parts))
    axes = new_axes(figure, f"Audit of {report.mechanism}: {verdict}", "share of what is claimed", "part of the claim")
    for place, (name, found, claimed) in enumerate(parts):
        share = found / claimed
        broken = share > 1 and name in report.breaches
        axes.barh(place, share, 0.55, color=PALETTE[1] if broken else PALETTE[0])
        told = f"{found:.6g} of {claimed:.6g}"
        axes.annotate(told, (share, place), (4, 0), textcoords="offset points", va="center", fontsize=8)
    axes.axvline(1, color=GREY, linestyle="--", linewidth=1)
    axes.set_yticks(range(len(parts)), [name.replace("_", " ") for name, _, _ in parts])
    axes.set_xlim(0, max([1.0, *(found / claimed for _, found, claimed in parts)]) * 1.25)
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    return figure


def _parts(report: AuditReport) -> list[tuple[str, float, float]]:
    """The parts that are claimed: what was found of each at worst, and what is claimed."""
    claim = report.claim
    found = [
        ("epsilon", report.worst_log_ratio, claim.epsilon if claim.delta == 0 else None),
        ("delta", report.worst_delta, claim.delta or None),
        ("bounded_range", report.worst_range, claim.bounded_range),
        ("rho", report.worst_rho, claim.rho),
    ]
    return [(name, worst, float(part)) for name, worst, part in found if worst is not None and part is not None]
