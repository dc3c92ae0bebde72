"""OmegaT in its window, on a display of its own: segments are filled as they are opened, and a save teaches.

python check_window.py http://127.0.0.1:8765 KEY      (needs omegat, Xvfb and xdotool)
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from check import PROJECT, SCRIPT, suggest

PREFERENCES = """<?xml version="1.0" encoding="UTF-8"?>
<omegat><preference version="1.0"><scripts_dir>{}</scripts_dir></preference></omegat>
"""
SOURCES = ["Open the door.", "Clean the window.", "Check the bottle."]  # the engine behind the server knows them
TYPED = "Revise la garrafa."
SECONDS = 120


def until(what: str, is_so: Callable[[], bool]) -> None:
    """Wait until something is so."""
    begin = time.monotonic()
    while not is_so():
        assert time.monotonic() - begin < SECONDS, what
        time.sleep(0.5)


def make_project(home: Path, url: str, key: str) -> Path:
    """A project, our script where OmegaT looks for scripts, and what it needs to know of the server."""
    folder, scripts = home / "guide", home / "omegat-scripts"
    for each in ("source", "target", "tm", "glossary", "dictionary", "omegat"):
        (folder / each).mkdir(parents=True)
    (folder / "omegat.project").write_text(PROJECT)
    (folder / "omegat/dragoman.properties").write_text(f"url={url}\nproject=manual\nkey={key}\n")
    (folder / "source/guide.txt").write_text("\n\n".join(SOURCES) + "\n")
    for event in ("project_changed", "entry_activated"):
        (scripts / event).mkdir(parents=True)
        shutil.copy(SCRIPT, scripts / event)
    (home / ".omegat").mkdir()
    (home / ".omegat/omegat.prefs").write_text(PREFERENCES.format(scripts))
    return folder


def work(folder: Path, log: Path, press: Callable[..., None]) -> None:
    """Go through the segments: take two suggestions as they are, type the third, and save."""
    until("OmegaT opens the project", lambda: "LOG_INFO_EVENT_ENTRY_ACTIVATED" in log.read_text(errors="replace"))
    time.sleep(3)
    press("mousemove", "880", "627", "click", "1")  # closes the list of files, which opens with a project
    time.sleep(2)
    press("mousemove", "150", "300", "click", "1")  # into the editor: without a window manager, nothing else focuses
    for (
        _
    ) in SOURCES:  # round all segments, so that each is opened once more after the first was there before our script
        time.sleep(2)
        press("key", "ctrl+n")
    time.sleep(2)
    press("key", "ctrl+n")
    time.sleep(2)
    press("key", "ctrl+n")
    time.sleep(2)
    press("key", "ctrl+a")
    press("type", TYPED)
    press("key", "ctrl+n")
    time.sleep(2)
    press("key", "ctrl+s")
    until("OmegaT saves", lambda: TYPED in _saved(folder))


def _saved(folder: Path) -> str:
    file = folder / "omegat/project_save.tmx"
    return file.read_text(encoding="utf-8") if file.exists() else ""


def main(url: str, key: str) -> None:
    """Open, translate, save."""
    display = ":87"
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        folder, log = make_project(home, url, key), home / "omegat.log"
        settings = os.environ | {"HOME": name, "DISPLAY": display, "JAVA_TOOL_OPTIONS": f"-Duser.home={name}"}

        def press(*words: str) -> None:
            subprocess.run(["xdotool", *words], env=settings, check=True)

        screen = subprocess.Popen(["Xvfb", display, "-screen", "0", "1280x900x24"], stderr=subprocess.DEVNULL)
        time.sleep(2)
        with log.open("wb") as output:
            omegat = subprocess.Popen(["omegat", str(folder)], env=settings, stdout=output, stderr=output)
            try:
                work(folder, log, press)
                until("the save is learned", lambda: suggest(url, key, SOURCES[2]) == TYPED)
                saved = _saved(folder)
                assert "Abra la puerta." in saved and "Limpie la ventana." in saved, saved
            finally:
                omegat.terminate()
                omegat.wait(timeout=30)
                screen.terminate()
                screen.wait(timeout=30)
    print("OmegaT, in its window: segments filled with their source were filled by the engine; a save was learned")


if __name__ == "__main__":
    main(*sys.argv[1:])
