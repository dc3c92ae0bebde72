"""Importing a file again, and following one: new pairs are learned, changed ones revised, the others left alone."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dragoman.cli import app
from dragoman.commands.watch import LaterError, Watcher, follow
from dragoman.engine import Engine
from dragoman.formats.import_plan import import_pairs
from dragoman.formats.tmx import TmxEntry, write_tmx
from tests.upstream.support import as_json, serving

PAIRS = [("Close the lid.", "Cierre la tapa."), ("Open the lid.", "Abra la tapa."), ("Wait.", "Espere.")]


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return Engine.create(tmp_path / "manual", source="en", target="es")


def in_force(engine: Engine) -> set[tuple[str, str]]:
    return {(source, target) for _, source, target in engine.memory_texts()}


def test_importing_again_learns_nothing_twice(engine: Engine) -> None:
    assert import_pairs(engine, PAIRS, "memory.tmx") == Counter(new=3)
    assert import_pairs(engine, PAIRS, "memory.tmx") == Counter(known=3)
    assert import_pairs(engine, PAIRS + PAIRS, "copy.tmx") == Counter(known=3)
    assert engine.correction_count == 3


def test_a_changed_pair_is_revised(engine: Engine) -> None:
    import_pairs(engine, PAIRS, "memory.tmx")
    changed = [*PAIRS[:2], ("Wait.", "Espera.")]
    assert import_pairs(engine, changed, "memory.tmx") == Counter(known=2, changed=1)
    assert in_force(engine) == set(changed)


def test_what_another_file_or_person_says_is_not_revised(engine: Engine) -> None:
    engine.learn("Wait.", "Aguarde.")
    import_pairs(engine, PAIRS, "memory.tmx")
    assert import_pairs(engine, [("Wait.", "Espera.")], "other.tmx") == Counter(new=1)
    assert {target for source, target in in_force(engine) if source == "Wait."} == {"Aguarde.", "Espere.", "Espera."}


def test_two_translations_of_one_source_are_both_kept(engine: Engine) -> None:
    both = [("Right", "Derecha"), ("Right", "Correcto")]
    assert import_pairs(engine, both, "memory.tmx") == Counter(new=2)
    assert import_pairs(engine, both, "memory.tmx") == Counter(known=2)


def test_only_a_file_that_is_followed_forgets(engine: Engine) -> None:
    import_pairs(engine, PAIRS, "memory.tmx")
    assert import_pairs(engine, PAIRS[:1], "memory.tmx") == Counter(known=1)
    assert import_pairs(engine, PAIRS[:1], "memory.tmx", forget=True) == Counter(known=1, forgotten=2)
    assert in_force(engine) == set(PAIRS[:1])


def test_a_suspicious_pair_is_flagged_once(engine: Engine) -> None:
    doubtful = [("Close the lid of the machine.", "Cierreeeeeeeeee la tapa.")]
    assert import_pairs(engine, doubtful, "memory.tmx") == Counter(flagged=1)
    assert import_pairs(engine, doubtful, "memory.tmx") == Counter(flagged=1)
    assert len(engine.history()) == 1


def replay(engine: Engine, saves: int, name: str) -> list[tuple[str, str]]:
    """Save a project again and again as somebody works on it: adds, changes and removes; the last save."""
    chance, pairs = random.Random(7), dict[str, str]()
    for number in range(saves):
        pairs[f"Press button {number} now."] = f"Pulse ahora el botón {number}."
        if chance.random() < 0.3:
            pairs[chance.choice(list(pairs))] += " Y espere."
        if chance.random() < 0.1:
            del pairs[chance.choice(list(pairs))]
        import_pairs(engine, list(pairs.items()), name, forget=True)
    return list(pairs.items())


def test_many_saves_reach_the_same_state_as_one_import(engine: Engine, tmp_path: Path) -> None:
    last = replay(engine, 40, "project_save.tmx")
    with Engine.create(tmp_path / "once", source="en", target="es") as once:
        import_pairs(once, last, "project_save.tmx")
        assert in_force(engine) == in_force(once) == set(last)


def write(path: Path, pairs: list[tuple[str, str]]) -> None:
    entries = [TmxEntry(str(number), *pair, None, None) for number, pair in enumerate(pairs)]
    path.write_bytes(write_tmx(entries, "en", "es", []))


def test_watching_once_learns_revises_and_forgets(tmp_path: Path) -> None:
    Engine.create(tmp_path / "manual", source="en", target="es").close()
    saved = tmp_path / "project_save.tmx"
    write(saved, PAIRS)
    asked = ["watch", str(tmp_path / "manual"), str(saved), "--once"]
    first = CliRunner().invoke(app, asked)
    assert first.stdout == f"{saved}: 3 new\n"
    write(saved, [("Wait.", "Espera."), PAIRS[0]])
    second = CliRunner().invoke(app, asked)
    assert second.stdout == f"{saved}: 1 changed, 1 forgotten, 1 known\n"


def test_watching_a_directory_takes_what_can_be_read(tmp_path: Path) -> None:
    Engine.create(tmp_path / "manual", source="en", target="es").close()
    files = tmp_path / "checkout"
    (files / "locale").mkdir(parents=True)
    (files / "locale" / "es.po").write_text('msgid "Wait."\nmsgstr "Espere."\n')
    (files / "broken.tmx").write_text("<tmx>")
    found = CliRunner().invoke(app, ["watch", str(tmp_path / "manual"), str(files), "--once"])
    assert found.stdout == f"{files / 'locale' / 'es.po'}: 1 new\n"
    assert "broken.tmx" in found.stderr


def test_watching_goes_on_until_it_is_stopped(tmp_path: Path) -> None:
    Engine.create(tmp_path / "manual", source="en", target="es").close()
    saved = tmp_path / "project_save.tmx"
    write(saved, PAIRS[:1])
    command = [sys.executable, "-m", "dragoman", "watch", str(tmp_path / "manual"), str(saved), "--every", "0.1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == f"{saved}: 1 new\n"
        write(saved, PAIRS[:2])
        assert process.stdout.readline() == f"{saved}: 1 known, 1 new\n"
        process.kill()
    with Engine.open(tmp_path / "manual") as engine:
        assert in_force(engine) == set(PAIRS[:2])


def catalogue(path: Path, *pairs: tuple[str, str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f'msgid "{source}"\nmsgstr "{target}"\n\n' for source, target in pairs))


def watch_once(project: Path, *files: Path) -> str:
    found = CliRunner().invoke(app, ["watch", str(project), *map(str, files), "--once"])
    assert found.exit_code == 0, found.output
    return found.stdout


def test_what_one_file_no_longer_says_stays_if_another_one_does(tmp_path: Path) -> None:
    Engine.create(tmp_path / "manual", source="en", target="es").close()
    one, other = tmp_path / "app" / "z.po", tmp_path / "app" / "b.po"
    catalogue(one, PAIRS[0], PAIRS[1])
    watch_once(tmp_path / "manual", tmp_path / "app")
    catalogue(other, PAIRS[1])
    catalogue(one, PAIRS[0])
    said = watch_once(tmp_path / "manual", tmp_path / "app")
    assert f"{one}: 1 known, 1 left to others\n" in said
    with Engine.open(tmp_path / "manual") as engine:
        assert in_force(engine) == {PAIRS[0], PAIRS[1]}


def test_a_checkout_of_another_branch_and_back_leaves_what_it_had(tmp_path: Path) -> None:
    Engine.create(tmp_path / "manual", source="en", target="es").close()
    checkout = tmp_path / "checkout"

    def git(*words: str) -> None:
        names = ["-c", "user.name=ana", "-c", "user.email=ana@example.org"]
        subprocess.run(["git", *names, *words], cwd=checkout, check=True, capture_output=True)

    catalogue(checkout / "locale" / "es.po", PAIRS[0], ("Wait.", "Espere."))
    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-qm", "one")
    watch_once(tmp_path / "manual", checkout)
    git("checkout", "-qb", "other")
    catalogue(checkout / "locale" / "es.po", PAIRS[0], ("Wait.", "Aguarde."))
    catalogue(checkout / "new" / "es.po", PAIRS[1])
    git("add", "-A")
    git("commit", "-qm", "two")
    watch_once(tmp_path / "manual", checkout)
    with Engine.open(tmp_path / "manual") as engine:
        assert in_force(engine) == {PAIRS[0], PAIRS[1], ("Wait.", "Aguarde.")}
    git("checkout", "-q", "main")  # new/es.po is gone: it is left alone
    watch_once(tmp_path / "manual", checkout)
    with Engine.open(tmp_path / "manual") as engine:
        assert in_force(engine) == {PAIRS[0], PAIRS[1], ("Wait.", "Espere.")}


def test_an_empty_or_broken_file_forgets_nothing(tmp_path: Path) -> None:
    Engine.create(tmp_path / "manual", source="en", target="es").close()
    saved = tmp_path / "project_save.tmx"
    write(saved, PAIRS)
    watch_once(tmp_path / "manual", saved)
    whole = saved.read_bytes()
    for half in (b"", whole[: len(whole) // 2]):
        saved.write_bytes(half)
        assert watch_once(tmp_path / "manual", saved) == ""
    with Engine.open(tmp_path / "manual") as engine:
        assert in_force(engine) == set(PAIRS)


def test_what_could_not_be_sent_is_sent_when_the_server_is_back(tmp_path: Path) -> None:
    tried: list[Path] = []

    def learn(path: Path) -> Counter[str]:
        tried.append(path)
        if len(tried) < 3:
            raise LaterError("cannot be sent", where=path)
        raise KeyboardInterrupt

    saved = tmp_path / "project_save.tmx"
    write(saved, PAIRS)
    os.utime(saved, (1, 1))
    with pytest.raises(KeyboardInterrupt):
        follow(Watcher([saved], [], []), learn, 0.01, once=False)
    assert tried == [saved] * 3


def test_a_server_that_is_away_is_an_error_for_who_looks_once(tmp_path: Path) -> None:
    saved = tmp_path / "project_save.tmx"
    write(saved, PAIRS)
    asked = ["watch", "manual", str(saved), "--once", "--server", "http://127.0.0.1:1"]
    found = CliRunner().invoke(app, asked)
    assert found.exit_code != 0


def test_import_says_what_was_new_and_what_could_be_learned(tmp_path: Path) -> None:
    Engine.create(tmp_path / "manual", source="en", target="es").close()
    file = tmp_path / "guide.xlf"
    file.write_text(
        '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file original="x" source-language="en" '
        'target-language="es" datatype="plaintext"><body><trans-unit id="1"><source>Wait.</source>'
        '<target state="translated">Espere.</target></trans-unit></body></file></xliff>'
    )
    found = CliRunner().invoke(app, ["import", str(tmp_path / "manual"), str(file)])
    assert "--translated learns them" in found.stderr
    for expected in ("1 learned, 1 new, 0 changed, 0 known", "0 learned, 0 new, 0 changed, 1 known"):
        found = CliRunner().invoke(app, ["import", str(tmp_path / "manual"), str(file), "--translated"])
        assert found.stdout.startswith(expected)


def test_a_pair_is_known_by_every_file_that_has_it_and_forgotten_with_the_last(engine: Engine) -> None:
    import_pairs(engine, [("lid", "tapa")], "one.tmx")
    assert import_pairs(engine, [("lid", "tapa")], "two.tmx") == {"known": 1}
    assert import_pairs(engine, [], "one.tmx", forget=True) == {"left to others": 1}
    assert in_force(engine) == {("lid", "tapa")}
    assert import_pairs(engine, [], "one.tmx", forget=True) == {}
    assert import_pairs(engine, [], "two.tmx", forget=True) == {"forgotten": 1}
    assert in_force(engine) == set()


def test_what_a_person_has_taught_is_not_forgotten_with_a_file(engine: Engine) -> None:
    engine.learn("lid", "tapa")
    import_pairs(engine, [("lid", "tapa")], "one.tmx")
    assert import_pairs(engine, [("lid", "tapadera")], "one.tmx", forget=True) == {"new": 1}
    assert in_force(engine) == {("lid", "tapa"), ("lid", "tapadera")}


def test_looking_once_with_a_wrong_key_or_at_a_conflict_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "es.po"
    file.write_text('<<<<<<< ours\nmsgid "a"\nmsgstr "b"\n=======\n>>>>>>> theirs\n')
    Engine.create(tmp_path / "p", source="en", target="es").close()
    found = CliRunner().invoke(app, ["watch", str(tmp_path / "p"), str(file), "--once"])
    assert (found.exit_code, "conflict markers" in found.output) == (1, True)
    file.write_text('msgid "a"\nmsgstr "b"\n')
    with serving(lambda _: as_json({"error": {"what": "this key is not known"}}, status=401)) as service:
        found = CliRunner().invoke(app, ["watch", "p", str(file), "--once", "--server", service.url, "--key", "x"])
    assert (found.exit_code, "this key is not known" in found.output) == (1, True)
