"""The job for GitHub and GitLab: what a merge changes in translation files is learned."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.server.support import Running

SCRIPT = Path(__file__).parents[2] / "integrations" / "ci" / "teach.py"
HEAD = 'msgid ""\nmsgstr "Language: {}\\n"\n\n'
ENTRY = 'msgid "{}"\nmsgstr "{}"\n\n'


def git(folder: Path, *arguments: str) -> str:
    name = ["-c", "user.name=ana", "-c", "user.email=ana@example.com"]
    return subprocess.run(
        ["git", *name, *arguments], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


def commit(folder: Path, entries: dict[str, str]) -> str:
    """Commit a catalogue for Spanish and one for another language."""
    for language in ("es", "fr"):
        (folder / "locale").mkdir(exist_ok=True)
        body = "".join(ENTRY.format(*pair) for pair in entries.items())
        (folder / "locale" / f"{language}.po").write_text(HEAD.format(language) + body)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "translations")
    return git(folder, "rev-parse", "HEAD")


def test_a_merge_teaches_what_it_has_changed(guarded: Running, keys: dict[str, str], tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")

    def teach(before: str, after: str) -> str:
        about = {"DRAGOMAN_URL": guarded.url, "DRAGOMAN_PROJECT": "manual", "DRAGOMAN_KEY": keys["learn"]}
        command = [sys.executable, str(SCRIPT), before, after]
        done = subprocess.run(command, cwd=tmp_path, env=os.environ | about, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    first = commit(tmp_path, {"Unplug it.": "Desenchufela.", "Lift it.": "Levantela."})
    other = "locale/fr.po: left out: the file is en to fr\n"
    assert teach("0" * 40, first) == f"locale/es.po: 2 new\n{other}"
    second = commit(tmp_path, {"Unplug it.": "Desconectela.", "Carry it.": "Llevela."})
    assert teach(first, second) == f"locale/es.po: 1 changed, 1 new, 1 forgotten\n{other}"
    assert teach(first, second) == f"locale/es.po: 2 known\n{other}"


def test_renamed_deleted_and_conflicting_files_and_force_pushes(
    guarded: Running, keys: dict[str, str], tmp_path: Path
) -> None:
    git(tmp_path, "init", "-q")

    def teach(before: str, after: str) -> tuple[int, str]:
        about = {"DRAGOMAN_URL": guarded.url, "DRAGOMAN_PROJECT": "manual", "DRAGOMAN_KEY": keys["learn"]}
        command = [sys.executable, str(SCRIPT), before, after, "*.po"]
        environment = {name: each for name, each in os.environ.items() if name != "GITHUB_REPOSITORY"} | about
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        return done.returncode, done.stdout

    def save(**files: str) -> str:
        for name, text in files.items():
            (tmp_path / f"{name}.po").write_text(text)
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-qm", "more")
        return git(tmp_path, "rev-parse", "HEAD")

    def entry(*pair: str) -> str:
        return HEAD.format("es") + ENTRY.format(*pair)

    first = save(one=entry("Shake it well.", "Agítelo bien."), two=entry("Shake it well.", "Agítelo bien."))
    assert teach("0" * 40, first) == (0, "one.po: 1 new\ntwo.po: 1 known\n")
    (tmp_path / "one.po").unlink()
    second = save()
    assert teach(first, second) == (0, "one.po (deleted): 1 left to others\n")
    (tmp_path / "two.po").rename(tmp_path / "three.po")
    third = save()
    assert teach(second, third) == (0, "three.po: 1 known\ntwo.po (deleted): 1 left to others\n")
    (tmp_path / "three.po").unlink()
    fourth = save(four=f"<<<<<<< ours\n{entry('Rub it dry.', 'Séquelo.')}=======\n>>>>>>> theirs\n")
    assert teach(third, fourth) == (
        1,
        "four.po: left out: the file has conflict markers\nthree.po (deleted): 1 forgotten\n",
    )
    code, said = teach("1234567890" * 4, third)
    assert (code, "is gone, so all files are sent" in said, "three.po: 1 new" in said) == (0, True, True)


def test_a_file_of_another_language_is_left_out_and_named(
    guarded: Running, keys: dict[str, str], tmp_path: Path
) -> None:
    git(tmp_path, "init", "-q")
    places = {"locale/fr/LC_MESSAGES/app.po": "Ouvrez", "app.po": "Ouvrez le fichier et fermez la porte dans la nuit."}
    for name, said in places.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text('msgid ""\nmsgstr ""\n\n' + ENTRY.format("Open it now.", said))
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "French")
    about = {"DRAGOMAN_URL": guarded.url, "DRAGOMAN_PROJECT": "manual", "DRAGOMAN_KEY": keys["learn"]}
    command = [sys.executable, str(SCRIPT), "0" * 40, git(tmp_path, "rev-parse", "HEAD")]
    done = subprocess.run(command, cwd=tmp_path, env=os.environ | about, capture_output=True, text=True)
    assert done.stdout == (
        "app.po: left out: the translations look like French, not Spanish\n"
        "locale/fr/LC_MESSAGES/app.po: left out: the path says French, and the file does not say anything else\n"
    )
