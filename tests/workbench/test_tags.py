"""There is one definition of a tag, that of the tokens: the page gets it from the server."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import httpx
import pytest

from dragoman import sample
from dragoman.text.tokens import is_slot, split

NODE = shutil.which("node")
SCRIPT = Path(__file__).parent / "js" / "tags.mjs"
TEXTS = [
    'Press <g id="1">the button</g><x/>.',
    "a <b and c> d, 1 < 2 > 1, <3",
    "<!-- note --> <br/> </p> <a href='x y'>",
    "%s of %d, %1$s, %(name)s, 100 % sure, 50%d, %05.2f",
    "{0} {name} {{x}} ${x} $name #{y} {not a slot}",
    "US$5, $PATH, costs$now, [X12X] [X]",
    "see https://example.org/%s/{id}?q=<b> and www.example.org/$name",
    "run `printf %s` or ``a {0} b``, :code:`{x}`",
    "write to ana.b@example.org, /usr/lib/$name, ~/x/{y}, C:\\dir\\%s",
    "&nbsp;&#160; \\n \\u00e9",
    "日本語<b>ボタン</b>を%sに 👍🏽{0}👍🏽",
    "Ünï %ñ {ñ} <ñ> %(ñandú)s $ñ",
    "",
]


@pytest.mark.skipif(NODE is None, reason="node is not installed (apt-get install nodejs)")
def test_the_page_sees_the_tags_that_the_tokens_have(address: str) -> None:
    project = httpx.get(f"{address}/api/v1/projects/manual", trust_env=False).json()
    texts = TEXTS + [source for source, _ in sample.pairs()]
    given = json.dumps({"pattern": project["tag_pattern"], "texts": texts})
    done = subprocess.run(
        [str(NODE), str(SCRIPT)], input=given, capture_output=True, text=True, timeout=120, check=True
    )
    found = dict(zip(texts, json.loads(done.stdout), strict=True))
    assert found == {text: [word for word in split(text).words if is_slot(word)] for text in texts}
    assert found[TEXTS[0]] == ['<g id="1">', "</g>", "<x/>"]
