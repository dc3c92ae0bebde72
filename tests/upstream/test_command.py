"""Programs with a line protocol: good ones, and those that end, hang, ramble or lose count."""

from __future__ import annotations

import os
import shutil
import sys
import time
from pathlib import Path

import pytest

from dragoman.upstream import Silence, UnansweredError, Upstream, from_name
from dragoman.upstream.contract import UpstreamEngine

pytestmark = pytest.mark.outside


def program(path: Path, body: str) -> str:
    """A command that runs a Python program."""
    file = path / "program.py"
    file.write_text(f"import os, sys, time\n{body}\n", encoding="utf-8")
    return f"{sys.executable} {file}"


def make(command: str) -> UpstreamEngine:
    return from_name(f"command:{command}", source="en", target="es")


def say(engine: UpstreamEngine, *texts: str, seconds: float = 10) -> list[str | None]:
    return [answer.text if answer else None for answer in engine.translate(texts, seconds=seconds)]


ECHO = "for line in sys.stdin: print(line.strip().upper(), flush=True)"


def test_a_program_answers_line_by_line(tmp_path: Path) -> None:
    assert say(make(program(tmp_path, ECHO)), "a ñ", "b 🎉") == ["A Ñ", "B 🎉"]


def test_more_text_than_a_pipe_holds_does_not_stop_it(tmp_path: Path) -> None:
    texts = ["x" * 5000] * 100
    assert say(make(program(tmp_path, ECHO)), *texts) == ["X" * 5000] * 100


def test_no_shell_takes_part(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    show = program(tmp_path, "sys.stdin.read(); print(sys.argv[1:])")
    assert say(make(f"{show} '; touch {trace}' $HOME *"), "a") == [f"['; touch {trace}', '$HOME', '*']"]
    assert not trace.exists()


@pytest.mark.parametrize(
    ("body", "says", "silence"),
    [
        ("sys.exit(3)", "ended with exit code 3", Silence.FAILED),
        ("sys.stderr.write('no model\\n'); sys.exit(1)", "ended with exit code 1: no model", Silence.FAILED),
        ("time.sleep(60)", "did not answer in time", Silence.SLOW),
        ("sys.stdin.read(); os.close(1); time.sleep(60)", "does not end after its last line", Silence.SLOW),
        ("sys.stdin.read()", "wrote 0 lines for 1", Silence.FAILED),
        ("sys.stdin.read(); print('a\\nb\\nc')", "wrote 3 lines for 1", Silence.RAMBLING),
        ("while True: print('x' * 1000)", "writes without end", Silence.RAMBLING),
        ("while True: sys.stdout.write('x' * 1000)", "writes without end", Silence.RAMBLING),
    ],
)
def test_a_program_that_does_not_keep_to_the_protocol_is_ended(
    tmp_path: Path, body: str, says: str, silence: Silence
) -> None:
    began = time.monotonic()
    with pytest.raises(UnansweredError, match=says) as caught:
        say(make(program(tmp_path, body)), "a", seconds=1)
    assert caught.value.silence is silence
    assert time.monotonic() - began < 8


def test_what_a_program_has_started_ends_with_it(tmp_path: Path) -> None:
    note = tmp_path / "child"
    body = (
        "import subprocess\nchild = subprocess.Popen(['sleep', '60'])\n"
        f"open({str(note)!r}, 'w').write(str(child.pid))\ntime.sleep(60)"
    )
    with pytest.raises(UnansweredError):
        say(make(program(tmp_path, body)), "a", seconds=1)
    child = Path(f"/proc/{note.read_text()}/stat")
    for _ in range(50):
        if not child.exists() or child.read_text().split()[2] == "Z":
            break
        time.sleep(0.1)
    else:
        pytest.fail("the child is still running")


def test_a_program_that_stays_is_started_once(tmp_path: Path) -> None:
    body = "for line in sys.stdin: print(os.getpid(), line.strip(), flush=True)"
    engine = make(f"{program(tmp_path, body)} #stay=yes")
    first, second = say(engine, "a"), say(engine, "b")
    assert first[0] and second[0]
    assert first[0].split()[0] == second[0].split()[0]
    assert int(first[0].split()[0]) != os.getpid()
    engine.close()


def test_a_program_that_stays_is_started_again_after_it_ended_or_lost_count(tmp_path: Path) -> None:
    body = (
        "for line in sys.stdin:\n"
        "    if 'die' in line: sys.exit(1)\n"
        "    if 'hang' in line: time.sleep(60)\n"
        "    print(line.strip(), flush=True)\n"
        "    if 'more' in line: print('and more', flush=True)"
    )
    engine = make(f"{program(tmp_path, body)} #stay=yes")
    assert say(engine, "a") == ["a"]
    with pytest.raises(UnansweredError, match="ended before it answered"):
        say(engine, "die")
    assert say(engine, "b") == ["b"]
    with pytest.raises(UnansweredError, match="did not answer in time"):
        say(engine, "hang", seconds=0.5)
    assert say(engine, "c") == ["c"]
    say_more = None
    try:
        say_more = say(engine, "more")
    except UnansweredError as error:
        assert error.silence is Silence.RAMBLING
    time.sleep(0.2)
    assert say_more in (None, ["more"])
    assert say(engine, "d") == ["d"]  # and not what was left over
    engine.close()


def test_a_line_that_breaks_a_program_costs_no_other_line(tmp_path: Path) -> None:
    body = "for line in sys.stdin:\n    print(line.strip().upper())\n    if 'bad' in line: print('twice')"
    upstream = Upstream(make(program(tmp_path, body)), source="en", target="es")
    outcomes = upstream.outcomes(["good one", "a bad one", "good two"])
    assert [outcome.answer and outcome.answer.text for outcome in outcomes] == ["GOOD ONE", None, "GOOD TWO"]
    assert outcomes[1].silence is Silence.UNUSABLE
    upstream.close()


def test_the_real_apertium_translates_and_keeps_tags() -> None:
    if shutil.which("apertium") is None or not Path("/usr/share/apertium/modes/eng-spa.mode").exists():
        pytest.skip("Apertium is not installed: apt-get install apertium-eng-spa")
    upstream = Upstream(make("apertium -u eng-spa"), source="en", target="es")
    answers = upstream.ask_all(["The house is big.", "Open <b>{name}</b> and see https://x.org/a."])
    assert answers[0]
    assert answers[0].text == "La casa es grande."
    assert answers[1]
    assert all(part in answers[1].text for part in ("<b>{name}</b>", "https://x.org/a"))
    upstream.close()
