"""Classifiers out of files: whichever kind wrote them."""

import json
from pathlib import Path

from dampen._validate import render
from dampen.errors import ParameterError
from dampen.learn.estimator import PaidClassifier


def load_classifier(path: str | Path) -> PaidClassifier:
    """The fitted classifier that :meth:`PaidClassifier.to_json` wrote to a file; it has no budget."""
    from dampen import learn

    try:
        text = Path(path).read_text()
        name = json.loads(text)["model"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        raise ParameterError(f"the model must be a JSON file that to_json wrote; got {render(str(path))}") from None
    kind = getattr(learn, name) if isinstance(name, str) and name in learn.__all__ else None
    if not (isinstance(kind, type) and issubclass(kind, PaidClassifier)):
        raise ParameterError(f"the model must be of a classifier of dampen.learn; got {render(name)}")
    return kind.from_json(text)
