"""Pictures of experiments, where matplotlib is installed."""

from importlib import import_module
from typing import Any


def pyplot() -> Any:
    """matplotlib.pyplot without a screen; or None, and one line that says what to install."""
    try:
        matplotlib = import_module("matplotlib")
    except ImportError:
        print("no picture: it needs matplotlib; install dampen[plots]")
        return None
    matplotlib.use("Agg")
    return import_module("matplotlib.pyplot")
