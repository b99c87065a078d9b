"""Pictures of public and released things, in one style. They need matplotlib: ``pip install 'dampen[plots]'``.

Each returns a matplotlib ``Figure`` with a title, axes with units and a caption that says what is shown; save it with
``figure.savefig("law.png")``. Names load when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dampen.plots.audits import audit
    from dampen.plots.budgets import budget
    from dampen.plots.laws import law
    from dampen.plots.models import scorecard, table, tree
    from dampen.plots.releases import histogram
    from dampen.plots.sensitivities import dampening, ladder
    from dampen.plots.tradeoffs import tradeoff

__all__ = ["audit", "budget", "dampening", "histogram", "ladder", "law", "scorecard", "table", "tradeoff", "tree"]

_HOMES = {
    "audit": "dampen.plots.audits",
    "budget": "dampen.plots.budgets",
    "dampening": "dampen.plots.sensitivities",
    "histogram": "dampen.plots.releases",
    "ladder": "dampen.plots.sensitivities",
    "law": "dampen.plots.laws",
    "scorecard": "dampen.plots.models",
    "table": "dampen.plots.models",
    "tradeoff": "dampen.plots.tradeoffs",
    "tree": "dampen.plots.models",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'dampen.plots' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
