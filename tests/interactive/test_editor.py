"""The line editor, and the command that people use, in a real pseudo-terminal."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from prompt_toolkit.output.vt100 import Vt100_Output

from dragoman.commands.interaction import _translate
from dragoman.engine import Engine
from dragoman.errors import BadInputError
from dragoman.interactive.editor import Editor, shown

pytestmark = pytest.mark.outside

pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")

TEXT = "Pulse el botón verde."
LEFT, RIGHT = "\x1b[D", "\x1b[C"


NOTHING_MORE = "\x0b"  # ^K, so that Enter takes only what was typed


def completes(text: str) -> Callable[[str], str]:
    return lambda prefix: text[len(prefix) :] if text.startswith(prefix) else ""


def edited(*keys: str, text: str = TEXT, other: str = " otra cosa", begun: str = "") -> str | None:
    """What comes of some keys."""
    with create_pipe_input() as pipe:
        pipe.send_text("".join(keys))
        return Editor(completes(text), lambda: other, pipe, DummyOutput()).run(begun)


def typed(*keys: str, text: str = TEXT) -> str | None:
    """What was typed by some keys, without the rest of the suggestion."""
    return edited(*keys, NOTHING_MORE, "\r", text=text)


def test_tab_takes_a_word_and_the_arrow_a_character() -> None:
    assert typed("\t", "\t", RIGHT, RIGHT) == "Pulse el b"
    assert typed("\t", "\x06") == "Pulse "


def test_enter_takes_everything() -> None:
    assert edited("Pu", "\r") == edited("\n") == TEXT


def test_enter_after_the_suggestion_was_removed_takes_what_was_typed() -> None:
    assert edited("\t", NOTHING_MORE, "\r") == "Pulse"


def test_escape_asks_for_another_suggestion() -> None:
    assert edited("\t", "\x1b", "\r") == "Pulse otra cosa"
    assert edited("\t", "\x1b", RIGHT, NOTHING_MORE, "\r", other="!?") == "Pulse!"


def test_every_change_asks_for_a_suggestion() -> None:
    asked = []

    def suggest(prefix: str) -> str:
        asked.append(prefix)
        return completes(TEXT)(prefix)

    with create_pipe_input() as pipe:
        pipe.send_text("Pu\t\x7f\x15\r")
        assert Editor(suggest, lambda: "", pipe, DummyOutput()).run() == TEXT
    assert asked == ["", "P", "Pu", "Pulse", "Puls", ""]


def test_deleting() -> None:
    assert typed("a", "e\u0301", "\x7f") == "a"
    assert typed("\t", "\t", "\x17") == "Pulse "
    assert typed("\t", "\x15") == ""
    assert typed("\x7f", "\x17") == ""


def test_words_and_characters_of_other_scripts() -> None:
    def taken(text: str, key: str) -> list[str]:
        seen = [""]
        while seen[-1] != text:
            seen.append(str(typed(key * len(seen), text=text)))
        return [after.removeprefix(before) for before, after in pairwise(seen)]

    assert taken("「緑」のボタンを OK。", "\t") == ["「", "緑", "」", "の", "ボタン", "を", " OK", "。"]
    assert taken("%sを削除", "\t") == ["%s", "を", "削", "除"]
    assert taken("हिन्दी", RIGHT) == ["हि", "न्", "दी"]
    assert taken("นี้", RIGHT) == ["นี้"]
    assert typed("緑のボタン ", "\x17") == "緑の"
    assert typed("กดไป", "\x17", "\x7f") == "ก"
    assert typed("हिन्दी", "\x7f") == "हिन्"


def test_leaving_and_keys_without_meaning() -> None:
    assert edited("a", "\x03") is None
    assert edited("a", "\x04") is None
    assert typed("\x1b[A", "\x1b[5~", "\x01") == ""


def test_in_the_middle_of_the_line_nothing_is_suggested() -> None:
    assert edited("Puse", LEFT, LEFT, "l", "\r") == "Pulse"
    assert edited("Pulse elx", LEFT, NOTHING_MORE, "\r") == TEXT
    assert edited("Pule", LEFT, "s", RIGHT, "\t", "\r") == TEXT  # back at the end
    assert edited("Pulse xel", LEFT, LEFT, "\x7f", "\x05", "\r") == TEXT


def test_pasted_lines_become_one() -> None:
    assert typed("\x1b[200~Pulse\r\nel\nbotón\x1b[201~") == "Pulse el botón"


def test_a_line_that_begins_with_a_text_suggests_nothing_until_it_is_changed() -> None:
    assert edited("\r", begun="Pulse") == "Pulse"
    assert edited(" ", "\r", begun="Pulse") == TEXT


def test_an_error_of_a_suggestion_ends_the_editing() -> None:
    def suggest(prefix: str) -> str:
        if prefix:
            raise BadInputError("no such text")
        return ""

    with create_pipe_input() as pipe:
        pipe.send_text("a\r")
        with pytest.raises(BadInputError, match="no such text"):
            Editor(suggest, lambda: "", pipe, DummyOutput()).run()


def test_control_characters_are_shown_and_not_obeyed() -> None:
    assert shown("a\x1b[2J\x07\x9b") == "a·[2J··"


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
    command = [
        sys.executable,
        "-m",
        "dragoman",
        "project",
        "interact",
        str(project),
        "Press the green button.",
        "Stop.",
    ]
    settings = os.environ | {"PROMPT_TOOLKIT_NO_CPR": "1", "TERM": "xterm"}  # nobody answers where the cursor is
    streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    process = subprocess.Popen(command, **streams, env=settings, start_new_session=True)
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
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def test_a_session_in_a_terminal(project: Path, terminal: tuple[Talk, subprocess.Popen[bytes]]) -> None:
    talk, process = terminal
    talk("", TEXT)
    talk("Pulse e", "Pulse e")  # only what is drawn otherwise: this was grey before
    talk("\t", "l")
    talk("\x15Apri", "Apri")
    talk("ete\x0b\r", "Stop.")
    talk("\x03", "\r\n")
    assert process.wait(60) == 0
    with Engine.open(project, write=False) as engine:
        assert [row.target for row in engine.history(2)] == ["Apriete", TEXT]


def run(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dragoman", "project", "interact", *arguments]
    return subprocess.run(command, input=text, capture_output=True, text=True, start_new_session=True)


def test_without_a_terminal_it_says_so(project: Path) -> None:
    done = run(str(project), "Go!")
    assert done.returncode == 2
    assert "no terminal" in done.stderr


def test_bad_arguments_are_refused(project: Path, tmp_path: Path) -> None:
    assert "from 0 to 1" in run(str(project), "Go!", "--threshold", "7").stderr
    (tmp_path / "texts").write_text("Go!\n")
    assert "not both" in run(str(project), "Go!", "--file", str(tmp_path / "texts")).stderr


def translated(project: Path, keys: str) -> tuple[bool, int]:
    """What comes of translating a text by some keys: whether to go on, and how many corrections there are then."""
    with Engine.open(project) as engine, create_pipe_input() as pipe:
        pipe.send_text(keys)
        goes_on = _translate(engine, "Press the red button.", (pipe, DummyOutput()), 0.0, None)
        return goes_on, engine.statistics()["corrections"]


def test_a_suspicious_translation_is_learned_only_when_it_is_accepted_again(project: Path) -> None:
    copied = "Press the red button.\x0b\r"
    assert translated(project, f"{copied}\x03") == (False, 1)
    assert translated(project, f"{copied}\r") == (True, 2)


def test_an_empty_line_goes_on_to_the_next_text_and_learns_nothing(project: Path) -> None:
    assert translated(project, "\x0b\r") == (True, 1)


@pytest.mark.parametrize(
    ("engine", "wanted"),
    [
        ("command:false", "Without the engine: command:false: "),
        ("command:sh -c 'sleep 1; tr a-z A-Z'", "Without the engine: slow"),
        (
            "command:sed 's/.*/la la la la la la la la la la la la la la la la/'",
            "Without the engine: rambling",
        ),
        ("command:tr a-z A-Z", None),
    ],
    ids=["dead", "slow", "garbage", "well"],
)
def test_what_is_wrong_with_the_engine_is_said(
    project: Path, engine: str, wanted: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dragoman.engine.UPSTREAM_SECONDS", 0.2 if "sleep" in engine else 60.0)
    shown = io.StringIO()
    terminal = Vt100_Output(shown, lambda: Size(rows=24, columns=200))
    with Engine.open(project) as opened, create_pipe_input() as pipe:
        opened.upstream = engine
        pipe.send_text("Pulse el botón rojo.\x0b\r")
        assert _translate(opened, "Press the red button.", (pipe, terminal), 0.0, None)
    said = [line for line in plain(shown.getvalue()).splitlines() if "ngine" in line]
    assert len(said) == (wanted is not None)
    assert not wanted or said[0].startswith(wanted)
