"""The line editor, and the command that people use, in a real pseudo-terminal."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from dragoman.engine import Engine
from dragoman.interactive.editor import ACCEPT, LEAVE, Editor, keys, place, shown

pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")

TEXT = "Pulse el botón verde."


def new_editor(alternative: str = " otra cosa") -> Editor:
    return Editor(lambda prefix: TEXT[len(prefix) :] if TEXT.startswith(prefix) else "", lambda: alternative)


def after(*pressed: str) -> Editor:
    editor = new_editor()
    for key in pressed:
        editor.press(key)
    return editor


def test_tab_takes_a_word_and_the_arrow_a_character() -> None:
    assert after("\t", "\t", "\x1b[C", "\x1b[C").typed == "Pulse el b"


def test_enter_takes_everything() -> None:
    editor = after("P", "u")
    assert editor.press("\r") == ACCEPT
    assert (editor.typed, editor.suffix) == (TEXT, "")


def test_enter_after_the_rest_was_cut_takes_what_was_typed() -> None:
    editor = after("\t", "\x0b")
    assert editor.press("\r") == ACCEPT
    assert editor.typed == "Pulse"


def test_escape_asks_for_another_suggestion() -> None:
    assert after("\t", "\x1b").suffix == " otra cosa"


def test_deleting() -> None:
    assert after("a", "e\u0301", "\x7f").typed == "a"
    assert after("\t", "\t", "\x17").typed == "Pulse "
    assert after("\t", "\x15").typed == ""
    assert after("\x7f", "\x17").typed == ""


def test_words_and_characters_of_other_scripts() -> None:
    def taken(text: str, key: str) -> list[str]:
        editor, seen = Editor(lambda prefix: text[len(prefix) :], lambda: ""), [""]
        while editor.suffix:
            editor.press(key)
            seen.append(editor.typed)
        return [after.removeprefix(before) for before, after in pairwise(seen)]

    assert taken("「緑」のボタンを OK。", "\t") == ["「", "緑", "」", "の", "ボタン", "を", " OK", "。"]
    assert taken("%sを削除", "\t") == ["%s", "を", "削", "除"]
    assert taken("हिन्दी", "\x1b[C") == ["हि", "न्", "दी"]
    assert taken("นี้", "\x1b[C") == ["นี้"]
    assert after(*"緑のボタン ", "\x17").typed == "緑の"
    assert after(*"กดไป", "\x17", "\x7f").typed == "ก"
    assert after(*"हिन्दी", "\x7f").typed == "हिन्"


def test_leaving_and_keys_without_meaning() -> None:
    assert new_editor().press("\x03") == LEAVE
    assert new_editor().press("\x04") == LEAVE
    assert after("\x1b[A", "\x1b[5~", "\x01").typed == ""


def pressed(data: bytes, size: int) -> list[str]:
    chunks = [data[n : n + size] for n in range(0, len(data), size)]
    return list(keys(lambda: chunks.pop(0) if chunks else b"", lambda: bool(chunks)))


@pytest.mark.parametrize("size", [1, 2, 100])
def test_bytes_become_keys_however_they_arrive(size: int) -> None:
    assert pressed("aé水👩\r".encode(), size) == ["a", "é", "水", "👩", "\r"]
    assert pressed(b"\x1b[Cx\x1bOD\x1b[5~y", size) == ["\x1b[C", "x", "\x1bOD", "\x1b[5~", "y"]
    assert pressed(b"\xff\x80ok", size) == ["o", "k"]
    assert pressed(b"\x1b", size) == ["\x1b"]


def test_control_characters_are_shown_and_not_obeyed() -> None:
    assert shown("a\x1b[2J\x07") == "a·[2J·"


def test_the_cursor_stands_behind_what_was_typed() -> None:
    assert place("abc", 80) == (0, 3)
    assert place("水水", 3) == (1, 2)
    assert place("abcd", 4) == (1, 0)
    assert place("e\u0301", 80) == (0, 1)
    editor = after("\t")
    assert editor.draw(80).endswith("\r\x1b[5C")
    assert editor.draw(10).endswith("\x1b[2A\r\x1b[5C")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    with Engine.create(tmp_path / "manual", source="en", target="es") as engine:
        engine.learn("Press the green button.", TEXT)
    return tmp_path / "manual"


Talk = Callable[[str, str], str]


@pytest.fixture
def terminal(project: Path) -> Iterator[tuple[Talk, subprocess.Popen[bytes]]]:
    """The command in a terminal of its own: a function that types, waits for some text to be shown, and returns all."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "dragoman", "interact", str(project), "Press the green button.", "Stop."]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
    os.close(theirs)
    os.set_blocking(ours, False)
    seen = ""

    def talk(typed: str, wanted: str) -> str:
        nonlocal seen
        os.write(ours, typed.encode())
        seen, until = "", time.monotonic() + 120
        while wanted not in plain(seen):
            assert time.monotonic() < until, f"waited for {wanted!r}, saw {seen!r}"
            try:
                data = os.read(ours, 4096)
            except BlockingIOError:
                time.sleep(0.02)
            except OSError:  # the other side has been closed
                break
            else:
                seen += data.decode(errors="replace")
        return plain(seen)

    yield talk, process
    process.kill()
    process.wait()
    os.close(ours)


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text)


def test_a_session_in_a_terminal(project: Path, terminal: tuple[Talk, subprocess.Popen[bytes]]) -> None:
    talk, process = terminal
    talk("", TEXT)
    talk("Pulse e", "Pulse el botón verde.")
    talk("\t", "Pulse el botón verde.")
    talk("\x15Apri", "Apri")
    talk("ete\x0b\r", "Stop.")
    talk("\x03", "\r\n")
    assert process.wait(60) == 0
    with Engine.open(project, write=False) as engine:
        assert [row.target for row in engine.history(2)] == ["Apriete", TEXT]


def run(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dragoman", "interact", *arguments]
    return subprocess.run(command, input=text, capture_output=True, text=True, start_new_session=True)


def test_without_a_terminal_it_says_so(project: Path) -> None:
    done = run(str(project), "Go!")
    assert done.returncode == 2
    assert "no terminal" in done.stderr


def test_bad_arguments_are_refused(project: Path, tmp_path: Path) -> None:
    assert "from 0 to 1" in run(str(project), "Go!", "--threshold", "7").stderr
    (tmp_path / "texts").write_text("Go!\n")
    assert "both as arguments and with --file" in run(str(project), "Go!", "--file", str(tmp_path / "texts")).stderr
