"""Pictures of experiments, where matplotlib is installed."""

from typing import Any


def pyplot() -> Any:
    """matplotlib.pyplot without a screen; or None, and one line that says what to install."""
    try:
        import matplotlib
    except ImportError:
        print("no picture: it needs matplotlib; install dampen[plots]")
        return None
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    return plt
