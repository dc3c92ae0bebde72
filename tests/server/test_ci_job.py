"""The job for GitHub and GitLab: what a merge changes in translation files is learned."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.support import Running

pytestmark = pytest.mark.kernels
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
