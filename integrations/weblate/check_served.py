"""A Weblate of its own under gunicorn, with Redis, Celery and PostgreSQL, in front of a server with an engine behind.

Run inside an environment with Weblate and gunicorn; `tools/test-tools served` starts the database and the server, and
says in the environment where they are. What docs/use/weblate.md tells an administrator to do is done over Weblate's own
API and pages; nothing is called inside it.
"""

from __future__ import annotations

import io
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import requests

HERE = Path(__file__).parent
URL, KEY, SECRET = os.environ["URL"], os.environ["KEY"], os.environ["SECRET"]
DATA = Path(os.environ["SITE_DATA"])
STRINGS = os.environ["STRINGS"].split("|")
PASSWORD = secrets.token_urlsafe(16)
MOST_RUNS = 10  # of Weblate's automatic translation: what a slow engine answers too late is there the next time
SECONDS = 60.0  # in which an edit has to be learned, on a busy machine
PLURALS = "nplurals=2; plural=(n != 1);"
EVENTS = ("CHANGE", "NEW", "ACCEPT", "REVERT", "APPROVE", "MARKED_EDIT")


def say(what: str) -> None:
    """Print a line of the report."""
    print(what, flush=True)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def process(name: str, command: list[str | Path], environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """A program that runs meanwhile, with its output in a file."""
    with (DATA / f"{name}.log").open("wb") as log:
        running = subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=HERE)
        try:
            yield running
        except BaseException:
            log.flush()
            print(f"{name}: {(DATA / f'{name}.log').read_text(errors='replace')[-3000:]}", file=sys.stderr)
            raise
        finally:
            running.terminate()
            try:
                running.wait(timeout=20)
            except subprocess.TimeoutExpired:
                running.kill()
                running.wait()


def until(what: str, is_so: Callable[[], Any], seconds: float) -> float:
    """Wait until something is so; the seconds that it took."""
    begin = time.monotonic()
    while not is_so():
        assert time.monotonic() - begin < seconds, what
        time.sleep(0.05)
    return time.monotonic() - begin


class Site:
    """Weblate, as an administrator reaches it."""

    def __init__(self, address: str, environment: dict[str, str]) -> None:
        self.address, self._environment = address, environment
        self._session = requests.Session()

    def manage(self, *words: str) -> str:
        """Run one of Weblate's commands."""
        command = [str(Path(sys.executable).with_name("weblate")), *words]
        done = subprocess.run(command, env=self._environment, cwd=HERE, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    def sign_in(self) -> None:
        """With a token for the API, and with the form for the pages."""
        show = "from weblate.auth.models import User; print(User.objects.get(username='admin').auth_token.key)"
        self.token = self.manage("shell", "-v", "0", "-c", show).strip().splitlines()[-1]
        self._token = self._find_token("/accounts/login/")
        self._post_form("/accounts/login/", {"username": "admin", "password": PASSWORD})
        self._token = self._find_token("/")

    def _find_token(self, page: str) -> str:
        """The token that forms of this session are sent with."""
        shown = self._session.get(f"{self.address}{page}")
        shown.raise_for_status()
        found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', shown.text)
        assert found, shown.text[:2000]
        return found[1]

    def _post_form(self, path: str, data: dict[str, Any]) -> requests.Response:
        form = data | {"csrfmiddlewaretoken": self._token}
        answer = self._session.post(f"{self.address}{path}", data=form, headers={"Referer": self.address})
        assert answer.ok, (path, answer.status_code, answer.text[:2000])
        return answer

    def call(self, method: str, path: str, **more: Any) -> Any:
        """Call the API."""
        headers = {"Authorization": f"Token {self.token}"}
        answer = requests.request(method, f"{self.address}/api/{path}", headers=headers, timeout=600, **more)
        assert answer.ok, (path, answer.status_code, answer.text[:2000])
        return answer.json() if answer.content else None

    def has(self, path: str) -> bool:
        """Whether the API knows something."""
        headers = {"Authorization": f"Token {self.token}"}
        return requests.get(f"{self.address}/api/{path}", headers=headers, timeout=60).ok

    def suggestion(self, service: str, unit: int) -> dict[str, Any]:
        """What the editor shows for a string."""
        return dict(self._post_form(f"/js/translate/{service}/{unit}/", {}).json())

    def units(self) -> list[dict[str, Any]]:
        """All strings of the translation."""
        return list(self.call("get", "translations/machine/ui/es/units/?page_size=200")["results"])


def make_component(site: Site) -> None:
    """A project with a component of untranslated strings, uploaded as an archive."""
    about = ("Content-Type: text/plain; charset=UTF-8", "Language: es", f"Plural-Forms: {PLURALS}")
    head = 'msgid ""\nmsgstr ""\n' + "".join(f'"{line}\\n"\n' for line in about)
    body = "".join(f'\nmsgid "{text}"\nmsgstr ""\n' for text in STRINGS)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("po/es.po", head + body)
    site.call("post", "projects/", json={"name": "Machine", "slug": "machine", "web": "https://example.com/"})
    form = {"name": "UI", "slug": "ui", "filemask": "po/*.po", "file_format": "po", "new_lang": "none"}
    archive_file = {"zipfile": ("po.zip", packed.getvalue())}
    site.call("post", "projects/machine/components/", data=form, files=archive_file)
    until("the component is read", lambda: site.has("translations/machine/ui/es/"), 120)
    until("all strings are read", lambda: len(site.units()) == len(STRINGS), 120)


def services() -> dict[str, dict[str, str]]:
    """What docs/use/weblate.md says to enter."""
    openai = {"key": KEY, "base_url": f"{URL}/v1", "model": "custom", "custom_model": "manual"}
    return {
        "libretranslate": {"key": KEY, "url": f"{URL}/libretranslate/"},
        "deepl": {"key": KEY, "url": f"{URL}/v2/", "formality": "default"},
        "modernmt": {"key": KEY, "url": f"{URL}/modernmt/"},
        "apertium-apy": {"url": f"{URL.replace('//', f'//any:{KEY}@')}/apertium"},
        "openai": openai | {"persona": "", "style": ""},
        "dragoman": {"key": KEY, "url": URL},
    }


def check_services(site: Site) -> None:
    """Each service is accepted and shows a translation by the engine; all strings are translated automatically."""
    for name, configuration in services().items():
        wanted = {"service": name, "configuration": configuration}
        site.call("post", "projects/machine/machinery_settings/", json=wanted)
        units = site.units()
        shown: dict[str, Any] = {}
        for _ in range(MOST_RUNS):
            if (shown := site.suggestion(name, units[0]["id"]))["responseStatus"] == 200:
                break
            say(f"{name}: {shown['responseDetails'].partition('translate: ')[2]}")
        text = shown["translations"][0]["text"]
        begin, counts = time.monotonic(), list[int]()
        asked = {"mode": "translate", "q": "state:<translated", "auto_source": "mt", "engines": [name]}
        while len(counts) < MOST_RUNS and (not counts or counts[-1] < len(units)):
            site.call("post", "translations/machine/ui/es/autotranslate/", data=asked | {"threshold": "10"})
            done = [unit for unit in site.units() if unit["target"] != [""] and unit["target"] != unit["source"]]
            counts.append(len(done))
        say(
            f"{name}: {units[0]['source'][0]!r} → {text!r}; {', '.join(map(str, counts))} of {len(units)} strings"
            f" translated automatically in {time.monotonic() - begin:.1f} s"
        )
        assert counts[-1] == len(units), name
        for unit in site.units():
            site.call("patch", f"units/{unit['id']}/", json={"state": 0, "target": [""]})
    assert not [unit for unit in site.units() if unit["target"] != [""]]


def corrections() -> dict[str, str]:
    """What the project knows now."""
    headers = {"Authorization": f"Bearer {KEY}"}
    found = requests.get(f"{URL}/api/v1/projects/manual/corrections", headers=headers, timeout=60)
    assert found.ok, found.text
    newest_last = reversed(found.json()["corrections"])
    return {each["source"]: each["target"] for each in newest_last if each["target"] and not each["forgotten"]}


def check_edits(site: Site, way: str) -> None:
    """What somebody saves is learned, revised and forgotten again."""
    unit = site.units()[3]
    place, source = f"units/{unit['id']}/", unit["source"][0]
    site.call("patch", place, json={"state": 20, "target": ["Hágalo así."]})
    took = until(f"{way}: learned", lambda: corrections().get(source) == "Hágalo así.", SECONDS)
    site.call("patch", place, json={"state": 20, "target": ["Hágalo de otro modo."]})
    until(f"{way}: revised", lambda: corrections().get(source) == "Hágalo de otro modo.", SECONDS)
    site.call("patch", place, json={"state": 10, "target": ["Hágalo de otro modo."]})
    until(f"{way}: needs editing", lambda: source not in corrections(), SECONDS)
    site.call("patch", place, json={"state": 20, "target": ["Hágalo así."]})
    until(f"{way}: learned again", lambda: corrections().get(source) == "Hágalo así.", SECONDS)
    site.call("patch", place, json={"state": 0, "target": [""]})
    until(f"{way}: emptied", lambda: source not in corrections(), SECONDS)
    say(f"{way}: an edit was learned after {took:.2f} s, revised, forgotten when it needed editing and when emptied")


def add_webhook(site: Site) -> int:
    """The add-on, as the page says."""
    listed = site.manage(
        "shell",
        "-v",
        "0",
        "-c",
        (f"from weblate.trans.actions import ActionEvents as A;print(*(int(A[name]) for name in {EVENTS!r}))"),
    ).split()[-len(EVENTS) :]
    configuration = {"webhook_url": f"{URL}/hooks/weblate", "secret": SECRET, "events": listed}
    made = site.call(
        "post",
        "components/machine/ui/addons/",
        json={
            "name": "weblate.webhook.webhook",
            "configuration": configuration,
        },
    )
    return int(made["id"])


def check_sync(site: Site) -> None:
    """What was saved while nobody reported it is learned afterwards, once."""
    unit = site.units()[5]
    site.call("patch", f"units/{unit['id']}/", json={"state": 20, "target": ["Después del apagón."]})
    time.sleep(1)
    assert unit["source"][0] not in corrections()
    command = [os.environ["DRAGOMAN"], "weblate-sync", "machine/ui/es", "--weblate", site.address, "--server", URL]
    environment = os.environ | {"WEBLATE_TOKEN": site.token, "DRAGOMAN_KEY": KEY}
    said = [subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout for _ in "12"]
    assert corrections()[unit["source"][0]] == "Después del apagón."
    say(f"weblate-sync: {said[0].strip()}; again: {said[1].strip()}")


@contextmanager
def served() -> Iterator[Site]:
    """Weblate, with all that belongs to it."""
    redis, port = free_port(), free_port()
    address = f"127.0.0.1:{port}"
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "served_settings",
        "PYTHONPATH": str(HERE),
        "SITE": address,
        "SITE_SECRET": secrets.token_urlsafe(40),
        "SITE_REDIS": f"redis://127.0.0.1:{redis}",
    }
    program = shutil.which("redis-server")
    assert program, "redis-server is missing (apt-get install redis-server)"
    site = Site(f"http://{address}", environment)
    python, queues = sys.executable, "celery,notify,memory,translate,backup"
    worker = [python, "-m", "celery", "--app", "weblate.utils", "worker", "--concurrency", "1", "--queues", queues]
    gunicorn = [python, "-m", "gunicorn", "--bind", address, "--workers", "2", "--timeout", "600", "weblate.wsgi"]
    with ExitStack() as running:
        running.enter_context(process("redis", [program, "--port", str(redis), "--save", ""], environment))
        site.manage("migrate", "--noinput")
        site.manage("createadmin", "--password", PASSWORD)
        site.manage("collectstatic", "--noinput")
        running.enter_context(process("celery", worker, environment))
        running.enter_context(process("gunicorn", gunicorn, environment))
        until("Weblate answers", lambda: _answers(site.address), 120)
        site.sign_in()
        yield site


def _answers(address: str) -> bool:
    try:
        return requests.get(f"{address}/healthz/", timeout=60).ok
    except requests.ConnectionError:
        return False


def main() -> None:
    """Check everything."""
    with served() as site:
        make_component(site)
        say(f"Weblate under gunicorn with Redis and Celery: {len(STRINGS)} strings")
        check_edits_before_use(site)
        addon = add_webhook(site)
        check_edits(site, "Webhook add-on")
        site.call("delete", f"addons/{addon}/")
        check_sync(site)
        check_services(site)  # last: what it changes keeps Celery busy for a while


def check_edits_before_use(site: Site) -> None:
    """Our module reports edits from the start: no suggestion was asked for yet in any process."""
    wanted = {"service": "dragoman", "configuration": services()["dragoman"]}
    site.call("post", "projects/machine/machinery_settings/", json=wanted)
    check_edits(site, "dragoman_weblate")
    site.call("patch", "projects/machine/machinery_settings/", json={"service": "dragoman", "configuration": None})


if __name__ == "__main__":
    main()
