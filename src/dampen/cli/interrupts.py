"""How the command ends when Ctrl-C or SIGTERM tells it to: with one line, and with nothing left behind.

While its modules load nothing is open yet, and it leaves at once. From then on a signal is raised as
``KeyboardInterrupt``, so that folders are removed and the ledger learns how the work ended.

Python may lose that error, or print it, when it strikes inside an import or a finalizer. So it waits for imports to
end, and is raised once more where it was lost. It waits, too, while compiled code is handed to LLVM: what it cut in two
there would be freed twice when Python ends.
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn

SIGNALS = (signal.SIGINT, signal.SIGTERM)
PLAIN = "interrupted"
UNPAID = "interrupted before the payment; nothing was charged"
PAID = "interrupted after the payment; the charge stands"

MOMENT = 0.02
"""Seconds until an interrupt that came at a bad time is raised again ..."""
PATIENCE = 500
"""... and how many of these moments it waits for what must not be cut in two."""
ECHO = 1.0
"""Seconds in which a further signal is the same one: some senders signal a process and then its group."""

fate = PLAIN
"""What is told at the end; the payer keeps it true."""

_LLVM = os.path.join("llvmlite", "binding", "")
"""The folder of the calls into LLVM."""

_asked: int | None = None
"""The signal that told the command to stop."""
_when = 0.0
_moments = 0
_delayed = False


def leave_at_once() -> None:
    """From now on a signal ends the process there and then."""
    _handle(_leave)


@contextmanager
def unwound() -> Iterator[None]:
    """Within, a signal is raised as ``KeyboardInterrupt``; at the end it is told, and becomes the exit code.

    Afterwards signals do what they do to any program; one that was told to stop hears no more of them, since Python
    takes its own handlers away before it ends. All this is for a process that is the command, and nothing else.
    """
    global fate, _asked, _moments
    fate, _asked, _moments = PLAIN, None, 0
    afterwards = signal.SIG_DFL
    hook, sys.unraisablehook = sys.unraisablehook, _notice_lost
    _handle(_stop)
    _set_clock(_stop)
    try:
        _find_temporary_folder()
        yield
    except BaseException as error:
        _handle(_ignore)
        number = _reason(error)
        if number is None:
            raise
        afterwards = signal.SIG_IGN
        _tell()
        if hook is sys.__unraisablehook__:
            hook = _say_nothing
        raise SystemExit(128 + number) from None
    finally:
        _handle(afterwards)
        _set_clock(signal.SIG_IGN)
        _asked, sys.unraisablehook = None, hook


@contextmanager
def delayed() -> Iterator[None]:
    """Within, a signal waits for the end, so that what is told of this block afterwards is true."""
    global _delayed
    _delayed = True
    try:
        yield
    finally:
        _delayed = False
    if _asked is not None:
        raise KeyboardInterrupt


def _say_nothing(_: object) -> None:
    """What was half made when the interrupt came may fail once more when it is removed: one line is enough."""


def _find_temporary_folder() -> None:
    """Python tries it with a file, once, and an interrupt then would leave the file there."""
    from tempfile import gettempdir

    with delayed():
        gettempdir()


def _handle(handler: "Callable[[int, FrameType | None], None] | signal.Handlers") -> None:
    """What signals do from now on; those that were switched off for the command stay so (nohup, jobs of a script)."""
    with suppress(ValueError):  # not the main thread: there nothing is handled
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, handler)


def _set_clock(handler: "Callable[[int, FrameType | None], None] | signal.Handlers") -> None:
    if hasattr(signal, "setitimer"):
        with suppress(ValueError):
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, handler)


def _leave(number: int, _: "FrameType | None") -> "NoReturn":
    with suppress(OSError):
        os.write(2, f"dampen: {PLAIN}\n".encode())
    os._exit(128 + number)


def _ignore(_: int, __: "FrameType | None") -> None:
    """The command is about to end already."""


def _stop(number: int, frame: "FrameType | None") -> None:
    global _asked, _when, _moments
    if number in SIGNALS:
        if _asked is not None and time.monotonic() - _when < ECHO:
            return
        _asked, _when = _asked or number, time.monotonic()
    if _delayed:
        return
    if _moments < PATIENCE and (_importing(frame) or _calls_llvm(frame)) and _raise_later():
        _moments += 1
        return
    raise KeyboardInterrupt


def _importing(frame: "FrameType | None") -> bool:
    return any(file == "<frozen importlib._bootstrap>" for file in _files(frame))


def _calls_llvm(frame: "FrameType | None") -> bool:
    """LLVM may have freed, or own, what llvmlite has not noted as gone yet."""
    return any(_LLVM in file for file in _files(frame))


def _files(frame: "FrameType | None") -> Iterator[str]:
    while frame is not None:
        yield frame.f_code.co_filename
        frame = frame.f_back


def _raise_later() -> bool:
    if not hasattr(signal, "setitimer"):
        return False
    signal.setitimer(signal.ITIMER_REAL, MOMENT)
    return True


def _notice_lost(event: "sys.UnraisableHookArgs") -> None:
    """An interrupt in a finalizer goes no further than this."""
    if not (issubclass(event.exc_type, KeyboardInterrupt) and _raise_later()):
        sys.__unraisablehook__(event)


def _reason(error: BaseException) -> int | None:
    """The signal that ended the work. Once there was one, whatever fails has failed because of it."""
    if isinstance(error, SystemExit) and not error.code:
        return None
    interrupted = isinstance(error, KeyboardInterrupt) or (isinstance(error, SystemExit) and error.code == 130)
    return signal.SIGINT if _asked is None and interrupted else _asked


def _tell() -> None:
    with suppress(OSError, ValueError):
        print(f"dampen: {fate}", file=sys.stderr, flush=True)
