"""A bar while data is read."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from dampen.tables.engines.progress import tell_progress


@contextmanager
def progress() -> Iterator[None]:
    """A bar on standard error while a scan takes long, if somebody watches."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("counting", total=None)
        with tell_progress(lambda share: bar.update(task, completed=share, total=None if share is None else 100.0)):
            yield
