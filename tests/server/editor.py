"""Documents for the tests of the editor's back end."""

from __future__ import annotations

import time
from typing import Any

import httpx

API = "/api/v1/projects/manual"
XLIFF = """<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file original="a" source-language="en" target-language="es" datatype="plaintext"><body>
<trans-unit id="1"><source>Press the <g id="1">green</g> button.</source></trans-unit>
<trans-unit id="2" maxwidth="20"><source>Close the lid.</source><note>see https://x.org/lid.png</note></trans-unit>
</body></file></xliff>"""


def finished(client: httpx.Client, job: dict[str, Any]) -> dict[str, Any]:
    """A job when it is over."""
    while job["state"] in ("waiting", "running"):
        time.sleep(0.02)
        job = client.get(f"{API}/jobs/{job['id']}").json()
    return job


def upload(client: httpx.Client, name: str, data: str | bytes) -> str:
    """The address of a document made from a file."""
    content = data.encode() if isinstance(data, str) else data
    job = finished(client, client.post(f"{API}/imports", params={"name": name}, content=content).json())
    assert job["state"] == "done", job
    return f"{API}/documents/{job['document']}"


def make(client: httpx.Client, *sources: str) -> str:
    """The address of a document made from sources."""
    segments = [{"source": source} for source in sources]
    number = client.post(f"{API}/documents", json={"name": "page", "segments": segments}).json()["id"]
    return f"{API}/documents/{number}"


def confirm(client: httpx.Client, place: str, number: int, target: str, **more: Any) -> httpx.Response:
    """The answer to confirming a segment."""
    return client.put(f"{place}/segments/{number}", json={"target": target, "state": "confirmed", **more})


def download(client: httpx.Client, place: str) -> tuple[str, list[dict[str, Any]]]:
    """The file of a document, and what was left out of it."""
    job = finished(client, client.post(f"{place}/export").json())
    return client.get(f"{API}/jobs/{job['id']}/result").text, job["left_out"]
