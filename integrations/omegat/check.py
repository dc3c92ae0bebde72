"""OmegaT, in its console mode, translates a project with our script; dragoman learns from what it has saved.

python check.py http://127.0.0.1:8765 KEY
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

SCRIPT = Path(__file__).with_name("dragoman.groovy")
PROJECT = """<?xml version="1.0" encoding="UTF-8"?>
<omegat><project version="1.0"><source_dir>__DEFAULT__</source_dir><target_dir>__DEFAULT__</target_dir>
<tm_dir>__DEFAULT__</tm_dir><glossary_dir>__DEFAULT__</glossary_dir><dictionary_dir>__DEFAULT__</dictionary_dir>
<source_lang>EN</source_lang><target_lang>ES</target_lang><sentence_seg>true</sentence_seg></project></omegat>
"""
UNIT = (
    '<tu><tuv xml:lang="EN"><seg>{}</seg></tuv>'
    '<tuv xml:lang="ES" changeid="ana" changedate="20240101T000000Z"><seg>{}</seg></tuv></tu>'
)
TMX = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx11.dtd"><tmx version="1.1">
<header creationtool="OmegaT" o-tmf="OmegaT TMX" adminlang="EN-US" datatype="plaintext" creationtoolversion="3.6"
 segtype="sentence" srclang="EN"/><body>{}</body></tmx>
"""


def save(folder: Path, pairs: dict[str, str]) -> None:
    """Write the project's memory as OmegaT does."""
    (folder / "omegat/project_save.tmx").write_text(TMX.format("".join(UNIT.format(*pair) for pair in pairs.items())))


def translate(folder: Path) -> str:
    """Run OmegaT; what our script printed."""
    settings = os.environ | {"HOME": str(folder.parent), "JAVA_TOOL_OPTIONS": f"-Duser.home={folder.parent}"}
    command = ["omegat", str(folder), "--mode=console-translate", f"--script={SCRIPT}"]
    found = subprocess.run(command, capture_output=True, text=True, env=settings, timeout=300)
    assert found.returncode == 0, found.stdout + found.stderr
    return "\n".join(line for line in found.stdout.splitlines() if "dragoman:" in line) or found.stdout + found.stderr


def suggest(url: str, key: str, text: str) -> str:
    """What the server suggests for a text."""
    body = json.dumps({"q": text, "source": "en", "target": "es"}).encode()
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}/libretranslate/translate", body, headers)
    with urllib.request.urlopen(request) as answer:
        return str(json.load(answer)["translatedText"])


def main(url: str, key: str) -> None:
    """Translate, edit, translate again."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "guide")
        for each in ("source", "target", "tm", "glossary", "dictionary", "omegat"):
            (folder / each).mkdir(parents=True)
        (folder / "omegat.project").write_text(PROJECT)
        (folder / "omegat/dragoman.properties").write_text(f"url={url}\nproject=manual\nkey={key}\n")
        (folder / "source/guide.txt").write_text("Clean the steam wand.\n\nRinse the jug.\n")
        save(folder, {"Clean the steam wand.": "Limpie el vaporizador.", "Rinse the jug.": "Aclare la jarra."})
        first = translate(folder)
        assert "Limpie el vaporizador." in (folder / "target/guide.txt").read_text()
        assert "vaporizador" in suggest(url, key, "Remove the steam wand."), first
        save(folder, {"Clean the steam wand.": "Limpie la boquilla."})
        second = translate(folder)
        assert "boquilla" in suggest(url, key, "Remove the steam wand."), second
        print(f"OmegaT, after the first save:\n{first}\nOmegaT, one segment edited, one removed:\n{second}")


if __name__ == "__main__":
    main(*sys.argv[1:])
