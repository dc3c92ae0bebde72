"""`command:apertium -u eng-spa`: a program that reads texts, one a line, and writes their translations line by line.

The program is started for each batch, given all lines, and has to end; with `#stay=yes` it is started once, and must
answer each line before it reads the next, without buffering. No shell takes part: words are split as a shell would,
and `|`, `$` or `*` mean nothing.

>>> engine = Command.from_place(EngineName("command", "tr a-z A-Z"), Languages("en", "es"))
>>> [answer and answer.text for answer in engine.translate(["open", "close"], seconds=10)]
['OPEN', 'CLOSE']
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from queue import Empty, Queue
from typing import IO, Self

from dragoman.errors import BadInputError
from dragoman.upstream.contract import Answer, EngineName, Hints, Languages, Silence, Traits, UnansweredError
from dragoman.upstream.names import traits

BYTES_FOR_EACH = 40  # of output for each byte of input, and so many in any case:
BYTES_IN_ANY_CASE = 1 << 16
SHOWN = 200  # characters of what a program wrote to standard error


class Command:
    """A program with a line protocol."""

    def __init__(
        self, words: Sequence[str], name: str, about: Traits, *, version: str = "", stay: bool = False
    ) -> None:
        self._words = list(words)
        self.name, self.version, self.traits = name, version, about
        self._lock = threading.Lock()  # a program that stays has one conversation
        self._stay = stay
        self._running: _Running | None = None

    @classmethod
    def from_place(cls, place: EngineName, languages: Languages) -> Self:
        """The engine that `command:` and a command line name; the languages are the program's own affair."""
        del languages
        try:
            words = shlex.split(place.address)
        except ValueError as error:
            raise BadInputError(
                f"cannot be split into words: {error}", where=place.name, remedy="check quotes"
            ) from None
        if not words or shutil.which(words[0]) is None:
            remedy = "install it, or write its full path after command:"
            raise BadInputError(f"there is no program {words[0] if words else ''!r}", where=place.name, remedy=remedy)
        stay = place.options.get("stay", "no")
        if stay not in ("yes", "no"):
            raise BadInputError(f"stay={stay} is neither yes nor no", where=place.name, remedy="write stay=yes")
        about = traits(place, batch=1 if stay == "yes" else 100)
        return cls(words, place.name, about, version=place.options.get("version", ""), stay=stay == "yes")

    def translate(
        self, texts: Sequence[str], *, seconds: float, hints: Sequence[Hints] = (), marked: bool = False
    ) -> list[Answer | None]:
        """One line out for each line in; whoever writes more or fewer is not believed at all."""
        del hints, marked
        data = "".join(f"{text}\n" for text in texts).encode()
        most = BYTES_IN_ANY_CASE + BYTES_FOR_EACH * len(data)
        if self._stay:
            with self._lock:
                written = self._converse(data, len(texts), most, seconds)
        else:
            written = self._run(data, most, seconds)
        lines = written.decode(errors="replace").split("\n")
        if lines and not lines[-1]:
            lines.pop()
        if len(lines) != len(texts):
            what = f"wrote {len(lines)} lines for {len(texts)}"
            raise self._unanswered(what, Silence.RAMBLING if len(lines) > len(texts) else Silence.FAILED, blame=True)
        return [Answer(line.removesuffix("\r")) for line in lines]

    def close(self) -> None:
        """End a program that stays."""
        with self._lock:
            if self._running:
                self._running.end()
            self._running = None

    def _run(self, data: bytes, most: int, seconds: float) -> bytes:
        running = self._start()
        try:
            written = running.exchange(data, None, most, seconds, close=True)
            if running.wait() != 0:
                what = f"ended with exit code {running.wait()}{running.complaint()}"
                raise self._unanswered(what, blame=True)
            return written
        finally:
            running.end()

    def _converse(self, data: bytes, lines: int, most: int, seconds: float) -> bytes:
        if self._running is None or not self._running.is_ready():
            if self._running:
                self._running.end()
            self._running = self._start()
        try:
            return self._running.exchange(data, lines, most, seconds)
        except UnansweredError:  # its later lines would be taken for answers to other texts
            self._running.end()
            self._running = None
            raise

    def _start(self) -> _Running:
        try:
            return _Running(self._words, self.name)
        except OSError as error:
            raise self._unanswered(f"cannot be started: {error.strerror or error}") from None

    def _unanswered(self, what: str, silence: Silence = Silence.FAILED, *, blame: bool = False) -> UnansweredError:
        return UnansweredError(what, where=self.name, silence=silence, blames_texts=blame)


class _Running:
    """A started program, with threads that read what it writes so that it never waits for us."""

    def __init__(self, words: Sequence[str], name: str) -> None:
        self._name = name
        pipe = subprocess.PIPE
        # A session of its own, so that whatever it starts can be ended with it.
        self._process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, start_new_session=True)  # noqa: S603 (words that the user of this machine gave, and no shell)
        self._output: Queue[bytes] = Queue(64)
        self._complaints = b""
        self._stopped = threading.Event()
        self._threads = [threading.Thread(target=run, daemon=True) for run in (self._read, self._listen)]
        for thread in self._threads:
            thread.start()

    def _read(self) -> None:
        while chunk := _read_some(self._process.stdout):
            while not self._stopped.is_set():
                with contextlib.suppress(Exception):  # full: a program that writes without end waits here
                    self._output.put(chunk, timeout=0.2)
                    break
        while not self._stopped.is_set():
            with contextlib.suppress(Exception):
                self._output.put(b"", timeout=0.2)
                break

    def _listen(self) -> None:
        while chunk := _read_some(self._process.stderr):
            self._complaints = (self._complaints + chunk)[-4 * SHOWN :]

    def exchange(self, data: bytes, lines: int | None, most: int, seconds: float, *, close: bool = False) -> bytes:
        """Write all of the data and read so many lines, or all that comes."""
        until = time.monotonic() + seconds
        writer = threading.Thread(target=self._write, args=(data, close), daemon=True)
        writer.start()
        written = bytearray()
        while lines is None or written.count(b"\n") < lines:
            try:
                chunk = self._output.get(timeout=max(until - time.monotonic(), 0.001))
            except Empty:
                raise self._unanswered("did not answer in time", Silence.SLOW) from None
            if not chunk:
                if lines is not None:
                    what = f"ended before it answered{self.complaint()}"
                    raise UnansweredError(what, where=self._name, blames_texts=True)
                break
            written += chunk
            if len(written) > most:
                raise self._unanswered("writes without end", Silence.RAMBLING)
        return bytes(written)

    def _write(self, data: bytes, close: bool) -> None:
        with contextlib.suppress(OSError, ValueError):  # it has ended: what it has written says the rest
            view, stream = memoryview(data), self._process.stdin
            while stream and view:
                view = view[stream.write(view) or 0 :]
            if close and stream:
                stream.close()

    def is_ready(self) -> bool:
        """Whether it runs, and has said nothing that it was not asked for."""
        return self._process.poll() is None and self._output.empty()

    def wait(self) -> int:
        """Its exit code, once it has closed its output."""
        try:
            return self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            raise self._unanswered("does not end after its last line", Silence.SLOW) from None

    def complaint(self) -> str:
        """The end of what it wrote to standard error."""
        self._threads[1].join(0.2)
        complaint = " ".join(self._complaints.decode(errors="replace").split())[-SHOWN:]
        return f": {complaint}" if complaint else ""

    def end(self) -> None:
        """End it and whatever it has started."""
        self._stopped.set()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        self._process.wait()
        for thread in self._threads:
            thread.join(1)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            with contextlib.suppress(OSError, ValueError):
                if stream:
                    stream.close()

    def _unanswered(self, what: str, silence: Silence) -> UnansweredError:
        return UnansweredError(what, where=self._name, silence=silence)


def _read_some(stream: IO[bytes] | None) -> bytes:
    try:
        return os.read(stream.fileno(), 1 << 16) if stream else b""
    except (OSError, ValueError):  # closed meanwhile
        return b""
