"""A private PostgreSQL server in a temporary directory, if the machine has the programs for one."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import psycopg


class UnavailableError(Exception):
    """Why there is no server."""


class Server:
    """A server that listens on a socket in its own directory and nowhere else."""

    def __init__(self, programs: Path, directory: Path, user: str | None) -> None:
        self.programs = programs
        self.directory = directory
        self.user = user
        self.url = f"postgresql://dragoman@/postgres?host={quote(str(directory))}"
        options: list[str | Path] = [
            "--username=dragoman",
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync",
        ]
        done = subprocess.run(
            [programs / "initdb", "-D", directory / "data", *options], capture_output=True, text=True, user=user
        )
        if done.returncode:
            raise UnavailableError(f"initdb failed: {done.stderr}")

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        place: list[str | Path] = ["-D", self.directory / "data", "-k", self.directory, "-c", "listen_addresses="]
        with (self.directory / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self.programs / "postgres", *place], stdout=log, stderr=log, user=self.user
            )
        for _ in range(300):
            with contextlib.suppress(psycopg.OperationalError):
                psycopg.connect(self.url).close()
                return
            time.sleep(0.1)
        self.stop()
        raise UnavailableError(f"the server did not start: {(self.directory / 'log').read_text()}")

    def stop(self) -> None:
        """Stop the server as a crash would, without putting anything in order."""
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait()

    @contextlib.contextmanager
    def hanging(self) -> Iterator[None]:
        """Inside, the server and all its processes are there and do nothing: what a suspended machine looks like."""
        processes = [self._process.pid, *_children(self._process.pid)]
        for each in processes:
            os.kill(each, signal.SIGSTOP)
        try:
            yield
        finally:
            for each in reversed(processes):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(each, signal.SIGCONT)

    def execute(self, statement: str) -> None:
        """Do something that only the owner of the server may do."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(statement.encode())

    def schema(self, name: str) -> str:
        """Make a schema, and give the URL of a database in which there is nothing else."""
        self.execute(f'CREATE SCHEMA "{name}"')
        return f"{self.url}&options=-csearch_path%3D{name}"


def _children(process: int) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, text=True, check=False)
    return [int(each) for each in found.stdout.split()]


def _programs() -> Path:
    found = [Path(path).resolve().parent for path in [shutil.which("initdb")] if path]
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name), reverse=True)
    for directory in found:
        if all((directory / program).exists() for program in ("initdb", "postgres")):
            return directory
    raise UnavailableError("PostgreSQL is not installed: no initdb in PATH or /usr/lib/postgresql/*/bin")


def _user() -> str | None:
    """Who runs the server: ourselves, but PostgreSQL refuses to be run by root."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in ("postgres", "nobody") if name in names)


@contextlib.contextmanager
def private_server(parent: Path | None = None) -> Iterator[Server]:
    """A server with its data in a new directory; both are gone when this ends."""
    programs, user = _programs(), _user()
    directory = Path(tempfile.mkdtemp(prefix="dragoman-", dir=parent))
    try:
        if user:
            shutil.chown(directory, user)
        server = Server(programs, directory, user)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(directory, ignore_errors=True)
