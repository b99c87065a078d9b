"""Private classifiers with the interface of scikit-learn, the public schemas that they read tables through, and scores.

The classifiers need scikit-learn: ``pip install 'dampen[learn]'``. Names load when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dampen.learn.classifier import PrivateClassifier
    from dampen.learn.forest import PrivateForestClassifier
    from dampen.learn.schema import Schema
    from dampen.learn.score import private_score
    from dampen.learn.scorecard import PrivateScorecard
    from dampen.learn.tree import PrivateTreeClassifier

__all__ = [
    "PrivateClassifier",
    "PrivateForestClassifier",
    "PrivateScorecard",
    "PrivateTreeClassifier",
    "Schema",
    "private_score",
]

_HOMES = {
    "PrivateClassifier": "dampen.learn.classifier",
    "PrivateForestClassifier": "dampen.learn.forest",
    "PrivateScorecard": "dampen.learn.scorecard",
    "PrivateTreeClassifier": "dampen.learn.tree",
    "Schema": "dampen.learn.schema",
    "private_score": "dampen.learn.score",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'dampen.learn' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
