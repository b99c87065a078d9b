"""The folder that DuckDB spills into: for this user alone, and gone with its process, however that ends.

A living process holds a lock on a file in its folder, and the system drops the lock when the process dies. So whoever
needs a folder first removes those of this user that nobody holds. Process numbers would not do: they are used again,
and another container that shares the temporary folder has its own.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory, gettempdir
from uuid import uuid4

from dampen.entropy import this_process
from dampen.errors import EngineError

try:
    import fcntl
except ImportError:  # a system without such locks
    fcntl = None  # type: ignore[assignment]

PREFIX = "dampen-spill-"
LOCK = "lock"
ATTEMPTS = 100
"""How often a folder is made anew; nobody is in the way so often."""

_held: set[FileIO] = set()


@contextmanager
def spill_folder() -> Iterator[Path]:
    """A new folder that nobody else can open, removed at the end. A forked child leaves it to its parent."""
    if fcntl is None:
        with TemporaryDirectory(prefix=PREFIX) as made:
            yield Path(made)
        return
    remove_abandoned()
    home, folder = this_process(), _Folder()
    try:
        folder.make()
        yield folder.path
    finally:
        try:
            if this_process() == home:
                with suppress(OSError), _open_folder(folder.path) as place:
                    _remove(folder.path, place)
        finally:
            folder.close()


class _Folder:
    """A folder and its lock. Its name is known before it is made, so that no interrupt leaves it behind."""

    def __init__(self) -> None:
        self.path = _new_name()
        self._lock: FileIO | None = None

    def make(self) -> None:
        """Before it is locked another process may take it for abandoned: then one more is made."""
        for _ in range(ATTEMPTS):
            self.path.mkdir(mode=0o700)
            with suppress(FileNotFoundError):
                self._lock = FileIO(self.path / LOCK, "x")
                if _try_lock(self._lock.fileno()) is not False and os.fstat(self._lock.fileno()).st_nlink:
                    _held.add(self._lock)
                    return
            self.close()
            self.path = _new_name()
        raise EngineError(f"duckdb has no folder to spill into: {gettempdir()[-60:]} keeps none; set TMPDIR to another")

    def close(self) -> None:
        """Give the lock back."""
        if self._lock is not None:
            _held.discard(self._lock)
            self._lock.close()


def _new_name() -> Path:
    return Path(gettempdir()) / f"{PREFIX}{uuid4().hex}"


def remove_abandoned() -> None:
    """Remove the folders of this user whose process has died. What cannot be removed stays."""
    with suppress(OSError), os.scandir(gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX):
                with suppress(OSError), _open_folder(Path(entry.path)) as place:
                    _remove_unless_held(Path(entry.path), place)


def _try_lock(handle: int) -> bool | None:
    """Whether the lock is ours now; None on a disk without locks.

    It belongs to the open file, which forked children share. So nobody unlocks it: it ends when the file is closed.
    """
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _remove_unless_held(folder: Path, place: int) -> None:
    if os.fstat(place).st_uid != os.geteuid():
        return
    try:
        lock = os.open(LOCK, os.O_RDWR | os.O_NOFOLLOW, dir_fd=place)
    except FileNotFoundError:
        folder.rmdir()  # its maker died at once, or finds it gone and makes another; with anything in it, it stays
        return
    try:
        if _try_lock(lock):
            _remove(folder, place)
    finally:
        os.close(lock)


def _remove(folder: Path, place: int) -> None:
    """Remove a folder that is open at ``place``; its lock goes last, so that another can go on if this is cut short.

    Everything is named from the open folder, and no link is followed.
    """
    for name in os.listdir(place):
        if name == LOCK:
            continue
        try:
            os.unlink(name, dir_fd=place)
        except OSError:
            rmtree(name, dir_fd=place)
    with suppress(FileNotFoundError):
        os.unlink(LOCK, dir_fd=place)
    folder.rmdir()


@contextmanager
def _open_folder(folder: Path) -> Iterator[int]:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        yield handle
    finally:
        os.close(handle)


def _leave_to_parent() -> None:
    """In a forked child: a lock that it kept would outlive the process whose folder it guards."""
    while _held:
        _held.pop().close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)
