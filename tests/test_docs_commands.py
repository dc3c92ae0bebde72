"""Every shell block of README and docs/ is run, page by page, each page in a fresh directory.

- A block marked `sh` is run as it stands; of one marked `console`, the lines that begin with `$ `.
- A block with `title="needs …"` is not run, and readers see why: it needs a network, other machines or programs.
- What a page takes for granted is made by a comment in it: `<!-- prepare`, lines for the shell, `-->`.
- A command that serves is started, must listen, and goes on until the next one, or until the page says `<!-- stop -->`.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_docs import PAGES, ROOT, name_of

pytestmark = [pytest.mark.outside, pytest.mark.long]

BLOCK = re.compile(
    r"^ *```(?P<kind>sh|console|text)\b(?P<options>[^\n]*)\n(?P<body>.*?)^ *```$|^<!-- prepare\n(?P<hidden>.*?)^-->$"
    r"|^(?P<stop><!-- stop -->)$",
    re.MULTILINE | re.DOTALL,
)
SERVES = re.compile(r"dragoman (serve|workbench)\b")
WATCHES = re.compile(r"dragoman watch\b(?!.* --once)")
PORT = "8765"  # of every example
SECONDS = 120  # that a server may take until it listens, on a busy machine
NOT_RUN = 52  # blocks at most, on all pages


def shell_blocks(page: Path) -> Iterator[tuple[str, str]]:
    """Why a block is not run, if it is not, and its commands; `stop` where the page says so."""
    for found in BLOCK.finditer(page.read_text(encoding="utf-8")):
        if found["stop"]:
            yield "", "stop"
        elif found["hidden"]:
            yield "", found["hidden"]
        else:
            lines = textwrap.dedent(found["body"]).splitlines()  # one within a list is indented
            if found["kind"] == "console":
                lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
            elif found["kind"] == "text":
                assert not [line for line in lines if line.startswith("$ ")], f"{page.name}: mark commands as console"
                continue
            needs = re.search(r'title="(needs [^"]+)"', found["options"])
            yield (needs[1] if needs else ""), "\n".join(lines)


def parts_of(block: str) -> Iterator[str]:
    """The commands that serve one by one, and what stands between them."""
    between: list[str] = []
    for line in block.splitlines():
        if SERVES.match(line) or WATCHES.match(line):
            yield "\n".join(between)
            yield line
            between = []
        else:
            between.append(line)
    yield "\n".join(between)


class Shell:
    """Runs the commands of a page in a directory, with a port of its own in place of the usual one."""

    def __init__(self, directory: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = str(free.getsockname()[1])
        self.directory = directory
        programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        self.environment = os.environ | {"PATH": programs, "HOME": str(directory), "REPOSITORY": str(ROOT)}
        self.environment.setdefault("DRAGOMAN_CACHE", _cache())
        self.server: subprocess.Popen[bytes] | None = None
        self.watches = False  # the server listens to no port, but looks at files

    def run(self, block: str) -> None:
        """All commands of a block; the first that fails ends it."""
        for part in parts_of(block):
            if SERVES.match(part) or WATCHES.match(part):
                self.serve(part)
            elif part.strip():
                command = ["bash", "-euo", "pipefail", "-c", part.replace(PORT, self.port)]
                done = subprocess.run(
                    command, capture_output=True, text=True, cwd=self.directory, env=self.environment, timeout=300
                )
                assert done.returncode == 0, f"{part}\n{done.stdout}\n{done.stderr}"

    def serve(self, line: str) -> None:
        """Start a server in place of the one before, and wait until it listens."""
        self.stop()
        self.watches = bool(WATCHES.match(line))
        command = re.sub(r"\s#.*", "", line).replace(PORT, self.port)
        command += "" if self.watches else f" --port {self.port}"
        command += " --no-browser" if "workbench" in command else ""
        log = self.directory / "server.log"
        with log.open("wb") as output:
            self.server = subprocess.Popen(
                ["bash", "-c", f"exec {command}"],
                cwd=self.directory,
                env=self.environment,
                stdout=output,
                stderr=output,
            )
        end = time.monotonic() + SECONDS
        while not self.ready(log) and time.monotonic() < end:
            assert self.server.poll() is None, f"{line}\n{log.read_text()}"
            time.sleep(0.1)
        assert self.ready(log), f"{line}\n{log.read_text()}"

    def ready(self, log: Path) -> bool:
        """Whether the server listens; one that only watches has said so."""
        if self.watches:
            return bool(log.read_bytes())
        with socket.socket() as connection:
            return connection.connect_ex(("127.0.0.1", int(self.port))) == 0

    def stop(self) -> None:
        """End the server, if there is one."""
        if self.server is not None:
            self.server.terminate()
            self.server.wait(SECONDS)
            self.server = None


def _cache() -> str:
    """The kernels that are compiled already, since the home is another one here."""
    from dragoman.kernels.cache_places import cache_directory

    return str(cache_directory())


@pytest.mark.parametrize("page", [page for page in PAGES if list(shell_blocks(page))], ids=name_of)
def test_commands_on_a_page(page: Path, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    try:
        for needs, block in shell_blocks(page):
            if block == "stop":
                shell.stop()
            elif not needs:
                shell.run(block)
    finally:
        shell.stop()


def test_few_blocks_are_not_run_and_the_files_they_name_are_there() -> None:
    left_out = [block for page in PAGES for needs, block in shell_blocks(page) if needs]
    assert len(left_out) <= NOT_RUN
    named = {found for block in left_out for found in re.findall(r"(?:benchmarks|deploy|tools)/[\w.-]+\w", block)}
    made = {"deploy/.env"}  # by the lines before
    assert [name for name in sorted(named - made) if not (ROOT / name).exists()] == []
