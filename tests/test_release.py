"""What is published: an sdist and a wheel that lack nothing; `make release` also installs them."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from email.parser import Parser
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import dragoman
from dragoman.kernels import shipped

pytestmark = pytest.mark.long
ROOT = Path(__file__).parents[1]
CHECK: list[str | Path] = [sys.executable, ROOT / "tools" / "check-release"]


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("dist")
    build: list[str | Path] = [
        sys.executable,
        "-m",
        "build",
        "--no-isolation",
        "--sdist",
        "--wheel",
        "--outdir",
        place,
        ROOT,
    ]
    subprocess.run(build, check=True, capture_output=True)
    return place


def test_wheel_and_sdist_lack_nothing(dist: Path) -> None:
    done = subprocess.run([*CHECK, dist, "--contents-only"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_wheel_without_the_workbench_is_noticed(dist: Path, tmp_path: Path) -> None:
    for path in dist.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    wheel = next(tmp_path.glob("*.whl"))
    with ZipFile(next(dist.glob("*.whl"))) as whole, ZipFile(wheel, "w") as broken:
        for name in whole.namelist():
            if not name.endswith(".css"):
                broken.writestr(name, whole.read(name))
    done = subprocess.run([*CHECK, tmp_path, "--contents-only"], capture_output=True, text=True)
    assert done.returncode == 1
    assert re.search(r"\.whl lacks .*dragoman/editor/static/\S+\.css", done.stderr)


def test_the_wheel_says_its_version_and_what_the_workbench_needs(dist: Path) -> None:
    with ZipFile(next(dist.glob("*.whl"))) as wheel:
        about = Parser().parsestr(wheel.read(f"dragoman-{dragoman.__version__}.dist-info/METADATA").decode())
    assert about["Version"] == dragoman.__version__
    needed = [each for each in about.get_all("Requires-Dist", []) if each.endswith("extra == 'workbench'")]
    assert any("fastapi" in each or "dragoman[" in each for each in needed)


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of kernels, with one small file in the place of all that would have to be compiled."""
    place = tmp_path_factory.mktemp("kernels")
    shutil.copytree(ROOT / "kernels-wheel", place, dirs_exist_ok=True, ignore=shutil.ignore_patterns("compiled"))
    compiled = place / "src" / "dragoman_kernels" / "compiled"
    (compiled / "some_kernels-0123").mkdir(parents=True)
    (compiled / "some_kernels-0123" / "f-1.py311.1.nbc").write_bytes(b"code")
    shipped.write_manifest(compiled, "fingerprint")
    build: list[str | Path] = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", place, place]
    subprocess.run(build, check=True, capture_output=True)
    return next(place.glob("*.whl"))


def test_the_wheel_of_kernels_is_for_what_they_were_compiled_with(kernels: Path) -> None:
    name = f"dragoman_kernels-{dragoman.__version__}"
    assert kernels.name.startswith(f"{name}-cp{sys.version_info.major}{sys.version_info.minor}-none-")
    assert not kernels.name.endswith("-any.whl")
    with ZipFile(kernels) as wheel:
        about = Parser().parsestr(wheel.read(f"{name}.dist-info/METADATA").decode())
    needed = {each.partition("==")[0] for each in about.get_all("Requires-Dist", [])}
    assert needed == {"dragoman", "llvmlite", "numba"}


def test_a_wheel_of_kernels_with_an_altered_file_is_noticed(dist: Path, kernels: Path, tmp_path: Path) -> None:
    for path in [*dist.iterdir(), kernels]:
        shutil.copy(path, tmp_path)
    assert subprocess.run([*CHECK, tmp_path, "--contents-only"], capture_output=True).returncode == 0
    with ZipFile(kernels) as whole, ZipFile(tmp_path / kernels.name, "w") as altered:
        for name in whole.namelist():
            altered.writestr(name, b"other" if name.endswith(".nbc") else whole.read(name))
    done = subprocess.run([*CHECK, tmp_path, "--contents-only"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "f-1.py311.1.nbc is not as listed in the manifest" in done.stderr


def test_the_page_on_installing_describes_every_extra() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    page = (ROOT / "docs" / "use" / "install.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == set(extras)


ELSEWHERE = {"bench", "cat", "cluster", "dev", "kernels", "machine", "plots", "tune"}  # what a server does without


def server_extras() -> list[str]:
    """The extras that `make lock` locks."""
    found = re.search(r"^SERVER_EXTRAS := (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert found
    return found[1].split()


def locked() -> dict[str, list[Version]]:
    """The versions of each library in the lock, every one of which has a hash."""
    lock = (ROOT / "deploy" / "requirements.txt").read_text(encoding="utf-8")
    versions: dict[str, list[Version]] = {}
    for entry in re.split(r"^(?=\S)", lock, flags=re.MULTILINE)[1:]:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), f"{entry.splitlines()[0]} has no hash; run make lock"
        found = re.match(r"([\w.-]+)==([^\s;]+)", entry)
        assert found
        versions.setdefault(canonicalize_name(found[1]), []).append(Version(found[2]))
    return versions


def test_a_server_has_every_extra_that_it_can_use() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert {*server_extras(), "files", "server"} == set(extras) - ELSEWHERE  # those two are in `workbench`


def test_the_lock_names_every_dependency_of_a_server_and_those_of_its_dependencies() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = project["dependencies"] + [each for name in {*server_extras(), "files", "server"} for each in extras[name]]
    versions, waiting, seen = locked(), [Requirement(each) for each in wanted], set()
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name == "dragoman" or str(requirement) in seen:
            continue
        seen.add(str(requirement))
        assert any(each in requirement.specifier for each in versions.get(name, [])), f"{requirement}: run make lock"
        with contextlib.suppress(PackageNotFoundError):  # what another platform or Python needs
            needed = [Requirement(each) for each in requires(name) or []]
            chosen = [{"extra": extra} for extra in ("", *requirement.extras)]
            waiting += [one for one in needed if one.marker is None or any(map(one.marker.evaluate, chosen))]


def test_workflows_call_targets_that_exist_with_every_python() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pythons = [name.rpartition(" ")[2] for name in project["classifiers"] if ":: 3." in name]
    matrices = 0
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        for job in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values():
            if "strategy" in job:
                assert job["strategy"]["matrix"]["python"] == pythons
                matrices += 1
            for step in job["steps"]:
                for target in re.findall(r"\bmake (\w+)", step.get("run", "")):
                    assert f"\n{target}: " in makefile
    assert matrices == 2


def test_only_a_tag_of_this_version_is_released() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8"))
    checks = [step["run"] for step in workflow["jobs"]["build"]["steps"] if "GITHUB_REF_NAME" in step.get("run", "")]
    assert len(checks) == 1
    for tag, released in ((f"v{dragoman.__version__}", True), ("v9.9.9", False), ("v", False)):
        done = subprocess.run(["bash", "-c", checks[0]], cwd=ROOT, env={**os.environ, "GITHUB_REF_NAME": tag})
        assert (done.returncode == 0) == released
