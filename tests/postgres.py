"""A PostgreSQL server of one's own: installed from Debian where that may be done, and heard by nobody but this machine.

It listens on a socket in its own folder, on no port. ``server()`` is the one of this process; it is started when it is
first asked for, and stopped at the end.
"""

import atexit
import fcntl
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest

OWNER = "postgres"
STILL_THERE = "is still in use"
"""Said of the memory of a server that was killed, while the last of its processes has not ended."""
LONGEST_START = 120.0
ROOM = 2 * 10**9
"""Bytes; a server of tests takes far less."""


class Server:
    """A server with its data in a folder of its own."""

    def __init__(self, programs: Path, place: Path | None = None) -> None:
        self._programs = programs
        self.folder = Path(tempfile.mkdtemp(prefix="dampen-pg-", dir=place or _quick_place()))
        self.log = self.folder / "log"
        self._process: subprocess.Popen[bytes] | None = None
        if os.geteuid() == 0:
            shutil.chown(self.folder, OWNER, OWNER)
        else:
            self.folder.chmod(0o700)
        self._run("initdb", "-D", self.data, "-U", OWNER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def address(self, ledger: str = "dampen", database: str = OWNER, user: str = OWNER) -> str:
        """What opens a ledger on it."""
        return f"postgresql://{user}@/{database}?host={self.folder}&ledger={ledger}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": self.folder,
            "max_connections": 150,
            "max_wal_size": "64MB",
        }
        words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        command = [str(self._programs / "postgres"), "-D", str(self.data), *words]
        self._process = self._launch(command)
        end = time.monotonic() + LONGEST_START
        while self._is_silent():
            if self._process.poll() is not None:
                told = self.log.read_text()[-500:]
                assert STILL_THERE in told, told
                self._process = self._launch(command)
            assert time.monotonic() < end, "the server does not start"
            time.sleep(0.02)

    def _launch(self, command: list[str]) -> "subprocess.Popen[bytes]":
        with self.log.open("ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, **_owner())

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Let it end: SIGINT asks it to (sessions are cut), SIGKILL is a crash of all its processes."""
        assert self._process is not None
        children = _children(self._process.pid) if how == signal.SIGKILL else []
        self._process.send_signal(how)
        for child in children:
            with suppress(ProcessLookupError):
                os.kill(child, how)
        self._process.wait()
        self._process = None

    def sql(self, statement: str, database: str = OWNER) -> str:
        """What psql says."""
        options = ("-h", self.folder, "-U", OWNER, "-d", database, "-qAtX", "-v", "ON_ERROR_STOP=1")
        return self._run("psql", *options, "-c", statement)

    def close(self) -> None:
        """Stop it and remove its folder."""
        if self._process is not None:
            self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _is_silent(self) -> bool:
        ready = [str(self._programs / "pg_isready"), "-q", "-h", str(self.folder)]
        return subprocess.run(ready, capture_output=True, check=False).returncode != 0

    def _run(self, program: str, *words: object) -> str:
        command = [str(self._programs / program), *map(str, words)]
        done: subprocess.CompletedProcess[str] = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=300, **_owner()
        )
        assert done.returncode == 0, done.stderr[-500:]
        return done.stdout.strip()


def _owner() -> dict[str, Any]:
    """A server refuses to run as root."""
    as_other = {"user": OWNER, "group": OWNER, "extra_groups": []} if os.geteuid() == 0 else {}
    return {**as_other, "cwd": "/"}


def _children(parent: int) -> list[int]:
    listed = Path(f"/proc/{parent}/task/{parent}/children")
    return [int(child) for child in listed.read_text().split()] if listed.exists() else []


def _quick_place() -> Path:
    """Memory, where there is much of it: a process that dies leaves its files there as it does on a disk."""
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and shutil.disk_usage(memory).free > ROOM
    return memory if roomy else Path(tempfile.gettempdir())


@cache
def server(place: Path | None = None) -> Server:
    """The server of this process; skips with the reason where there can be none."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'dampen[service]'")
    programs = _find_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not here, and it could not be installed: apt-get install postgresql")
    made = Server(programs, place)
    atexit.register(made.close)
    made.start()
    return made


@contextmanager
def another_server() -> Iterator[Server]:
    """A server that a test may kill. It is made once, and started for each."""
    made = _spare(server()._programs)
    if made._process is None:
        made.start()
    yield made
    if made._process is None:
        made.start()


@cache
def _spare(programs: Path) -> Server:
    made = Server(programs)
    atexit.register(made.close)
    return made


@cache
def _find_programs() -> Path | None:
    """One process installs, others wait for it; where it fails, it is not tried again for every test."""
    with (Path(tempfile.gettempdir()) / f"dampen-pg-{os.geteuid()}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return _programs() or _installed_programs()


def _programs() -> Path | None:
    """Where its programs lie: Debian keeps them off the path."""
    found = [Path(each).parent for each in [shutil.which("postgres")] if each]
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True)
    whole = [path for path in found if all((path / name).exists() for name in ("postgres", "initdb", "psql"))]
    return whole[0] if whole and _may_run() else None


def _may_run() -> bool:
    if os.geteuid() != 0:
        return True
    with suppress(KeyError):
        return bool(pwd.getpwnam(OWNER))
    return False


def _installed_programs() -> Path | None:
    """PostgreSQL from Debian, where the tests may install it. Its own server is not started."""
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return None
    settings = Path("/etc/postgresql-common/createcluster.d")
    settings.mkdir(parents=True, exist_ok=True)
    (settings / "dampen.conf").write_text("create_main_cluster = false\n")
    options = ("-qq", "-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=1")
    for asked in (["update"], ["install", "-y", "--no-install-recommends", "postgresql"]):
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        with suppress(subprocess.TimeoutExpired):
            command = ["apt-get", *options, *asked]
            subprocess.run(command, capture_output=True, timeout=600, check=False, env=environment)
    return _programs()
