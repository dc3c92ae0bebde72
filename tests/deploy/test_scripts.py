"""The scripts that containers and systemd run, run here; and the files around them, checked with what is at hand."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from dragoman.server.app import create_app
from dragoman.server.auth import Authenticator
from dragoman.server.config import Settings
from tests.deploy.ending import SECONDS, process_of
from tests.store.postgresql import UnavailableError, private_server

pytestmark = pytest.mark.long
DEPLOY = Path(__file__).parents[2] / "deploy"
PROGRAMS = Path(sys.executable).parent


def text_of(name: str) -> str:
    return (DEPLOY / name).read_text(encoding="utf-8")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port


@contextmanager
def server(home: Path, *arguments: str, **settings: str) -> Iterator[tuple[subprocess.Popen[bytes], httpx.Client]]:
    """A server that `start-server` has started; it is stopped at the end of the block."""
    port = free_port()
    paths = f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"DRAGOMAN_HOME": str(home), "PATH": paths} | settings
    command: list[str | Path] = [DEPLOY / "start-server", "--port", str(port), *arguments]
    with (
        process_of(command, subprocess.DEVNULL, environment) as process,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=SECONDS) as client,
    ):
        yield process, client


def wait_until(seen: Callable[[], bool], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if seen():
                return
        except httpx.TransportError:
            pass
        time.sleep(0.2)
    raise AssertionError("it did not happen in time")


def learn(client: httpx.Client, home: Path, source: str, target: str) -> int:
    key = (home / "admin-key").read_text(encoding="utf-8").strip()
    pair = {"source": source, "target": target}
    headers = {"Authorization": f"Bearer {key}"}
    answer = client.post("/api/v1/projects/manual/corrections", json=pair, headers=headers)
    return answer.status_code


def test_the_first_start_creates_a_project_and_a_key_and_later_ones_keep_them(tmp_path: Path) -> None:
    for source, target in (("Close the lid.", "Cierre la tapa."), ("Open the valve.", "Abra la válvula.")):
        with server(tmp_path, DRAGOMAN_TARGET="es") as (_, client):
            wait_until(lambda client=client: client.get("/ready").status_code == 200)  # type: ignore[misc]
            assert client.get("/api/v1/projects").status_code == 401
            assert learn(client, tmp_path, source, target) == 201
    assert (tmp_path / "admin-key").stat().st_mode & 0o077 == 0
    assert len(json.loads((tmp_path / "keys.json").read_text(encoding="utf-8"))["keys"]) == 1


def role(client: httpx.Client) -> str:
    answer: str = client.get("/health").json()["role"]
    return answer


def test_a_standby_copies_the_first_server_and_either_takes_over_from_the_other(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    try:
        with (
            private_server() as database,
            server(first, "--standby", DRAGOMAN_JOURNAL=database.schema("manual")) as one,
            server(second, "--standby", DRAGOMAN_COPY_OF=str(first)) as two,
        ):
            wait_until(lambda: {role(client) for _, client in (one, two)} == {"writer", "standby"})
            (writer, of_writer), (_, of_standby) = (one, two) if role(one[1]) == "writer" else (two, one)
            assert learn(of_writer, first, "Close the lid.", "Cierre la tapa.") == 201
            writer.kill()
            wait_until(lambda: role(of_standby) == "writer")
            assert learn(of_standby, first, "Open the valve.", "Abra la válvula.") == 201
    except UnavailableError as reason:
        pytest.skip(str(reason))


def test_the_steps_of_the_image_install_a_server(tmp_path: Path) -> None:
    """The same script as in the image, but with the libraries of this environment instead of downloaded ones."""
    offline = {
        "PIP_NO_DEPS": "1",
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "0",
        "PIP_NO_WARN_SCRIPT_LOCATION": "1",
    }
    environment = {name: value for name, value in os.environ.items() if name != "DRAGOMAN_CACHE"} | offline
    environment |= {"PYTHON": sys.executable, "PYTHONPATH": sysconfig.get_path("purelib")}
    command = [DEPLOY / "build-image", DEPLOY.parent, tmp_path / "opt"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^dragoman \d+\.\d+\.\d+$", done.stdout, re.MULTILINE)
    assert list(tmp_path.glob("opt/lib/*/site-packages/dragoman/editor/static/*.html"))
    assert os.access(tmp_path / "opt" / "bin" / "dragoman-start-server", os.X_OK)


def test_the_image_runs_the_scripts_that_are_tested_here() -> None:
    image = text_of("Containerfile")
    assert "/src/deploy/build-image /src /opt/dragoman" in image
    assert 'ENTRYPOINT ["dragoman-start-server"' in image


def test_the_compose_file_has_the_four_services_and_settings_that_the_script_knows() -> None:
    composed: dict[str, Any] = yaml.safe_load(text_of("compose.yaml"))
    services = composed["services"]
    assert services.keys() == {"server", "standby", "database", "proxy"}
    assert (
        services["standby"]["environment"]["DRAGOMAN_JOURNAL"] == services["server"]["environment"]["DRAGOMAN_JOURNAL"]
    )
    known = text_of("start-server") + text_of("Caddyfile")
    for service in services.values():
        ours = [name for name in service.get("environment", {}) if name.startswith("DRAGOMAN_")]
        assert [name for name in ours if name not in known] == []
        for volume in service["volumes"]:
            name = volume.partition(":")[0]
            assert (DEPLOY / name).exists() if name.startswith("./") else name in composed["volumes"]


def test_servers_behind_the_proxies_of_the_examples_tell_their_clients_apart() -> None:
    composed: dict[str, Any] = yaml.safe_load(text_of("compose.yaml"))
    started = {name: composed["services"][name]["command"] for name in ("server", "standby")}
    found = re.search(r"^ExecStart=\S+ (.*)$", text_of("dragoman.service"), re.MULTILINE)
    started["dragoman.service"] = found[1].split() if found else []
    proxies = {"dragoman.service": "127.0.0.1"}  # a container gets its address from one of the private networks
    for name, command in started.items():
        networks = tuple(command[command.index("--trusted-proxies") + 1].split(","))
        settings = Settings(paths=(Path(),), trusted_proxies=networks)
        settings.check()
        headers = [(b"x-forwarded-for", b"192.0.2.7")]
        for address in [proxies[name]] if name in proxies else ["172.18.0.5", "10.89.0.3", "192.168.16.4"]:
            scope = {"type": "http", "client": (address, 4321), "headers": headers}
            assert Authenticator(settings).client(scope) == "address 192.0.2.7"


def test_compose_accepts_its_file_where_it_is_installed() -> None:
    program = shutil.which("docker-compose")
    if program is None:
        pytest.skip("docker-compose is not installed")
    settings = {"POSTGRES_PASSWORD": "x", "DRAGOMAN_DOMAIN": "mt.example.org"}
    command = [program, "--file", str(DEPLOY / "compose.yaml"), "config", "--quiet"]
    done = subprocess.run(command, env=os.environ | settings, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def analyze() -> str:
    found = shutil.which("systemd-analyze")
    if found is None:
        pytest.skip("systemd-analyze is not installed")
    return found


def test_systemd_accepts_the_unit_and_finds_it_well_confined(analyze: str, tmp_path: Path) -> None:
    program = tmp_path / "start-server"
    shutil.copy(DEPLOY / "start-server", program)
    unit = tmp_path / "dragoman.service"
    unit.write_text(
        text_of(unit.name).replace("/opt/dragoman/bin/dragoman-start-server", str(program)), encoding="utf-8"
    )
    done = subprocess.run([analyze, "verify", unit], capture_output=True, text=True, timeout=SECONDS)
    assert (done.returncode, done.stderr) == (0, "")
    exposure: list[str | Path] = [
        analyze,
        "security",
        "--offline=yes",
        "--threshold=20",
        "--no-pager",
        unit,
    ]  # 2.0 of 10
    done = subprocess.run(exposure, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, done.stdout


def test_the_dashboard_shows_every_metric_of_the_server_and_no_other(tmp_path: Path) -> None:
    dashboard = json.loads(text_of("grafana.json"))
    shown = {
        re.sub(r"_(bucket|count|sum)$", "", name)
        for panel in dashboard["panels"]
        for target in panel["targets"]
        for name in re.findall(r"dragoman_\w+", target["expr"])
    }
    exported = create_app(Settings(paths=(tmp_path,))).state.context.metrics.text()
    kinds = re.findall(r"^# TYPE (dragoman_\w+) (?!gauge$)|^# TYPE (dragoman_\w+) gauge$", exported, re.MULTILINE)
    assert shown == {name for pair in kinds for name in pair if name and not name.endswith("_created")}
