"""Array sets on disk: whole or not at all, checked, and opened in the time of a look at the file system."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dragoman.errors import BadInputError, DamagedFileError, StorageError
from dragoman.files import Arrays, open_arrays, write_arrays

OLD: Arrays = {"counts": np.arange(5000), "empty": np.zeros(0, np.int32)}
NEW: Arrays = {"counts": np.arange(7000)}


def data_file(directory: Path, name: str = "counts") -> Path:
    return next(directory.glob(f"{name}-*.npy"))


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write_arrays(tmp_path, OLD, {"kind": "test", "word": "botón"})
    arrays, about = open_arrays(tmp_path)
    assert about == {"kind": "test", "word": "botón"}
    assert arrays.keys() == OLD.keys()
    for name, array in arrays.items():
        assert array.dtype == OLD[name].dtype
        np.testing.assert_array_equal(array, OLD[name])


def test_writing_again_replaces_and_leaves_no_old_files(tmp_path: Path) -> None:
    write_arrays(tmp_path, OLD, {})
    mapped = open_arrays(tmp_path)[0]["counts"]
    write_arrays(tmp_path, NEW, {})
    np.testing.assert_array_equal(open_arrays(tmp_path)[0]["counts"], NEW["counts"])
    np.testing.assert_array_equal(mapped, OLD["counts"])  # who had it open still reads the old state
    assert len(list(tmp_path.glob("*.npy"))) == 1


def test_changes_to_opened_arrays_stay_private(tmp_path: Path) -> None:
    write_arrays(tmp_path, OLD, {})
    open_arrays(tmp_path)[0]["counts"][0] = 99
    assert open_arrays(tmp_path, verify=True)[0]["counts"][0] == 0


@pytest.mark.parametrize("times_restored", [False, True])
def test_a_changed_byte_is_refused_naming_file_and_checksum(tmp_path: Path, times_restored: bool) -> None:
    write_arrays(tmp_path, OLD, {})
    path = data_file(tmp_path)
    before = path.stat()
    with path.open("r+b") as file:
        file.seek(1000)
        file.write(b"\xff")
    if times_restored:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    checksum = json.loads((tmp_path / "manifest.json").read_text())["arrays"]["counts"]["sha256"]
    with pytest.raises(DamagedFileError, match=checksum) as caught:
        open_arrays(tmp_path)
    assert path.name in str(caught.value)


def test_a_truncated_file_is_refused_naming_file_and_checksum(tmp_path: Path) -> None:
    write_arrays(tmp_path, OLD, {})
    path = data_file(tmp_path)
    os.truncate(path, 3000)
    with pytest.raises(DamagedFileError, match=r"3000 bytes instead of .*sha256") as caught:
        open_arrays(tmp_path)
    assert path.name in str(caught.value)


def test_a_missing_file_and_a_changed_manifest_are_refused(tmp_path: Path) -> None:
    write_arrays(tmp_path, OLD, {})
    manifest = tmp_path / "manifest.json"
    text = manifest.read_text()
    manifest.write_text(text.replace("counts", "points"))
    with pytest.raises(DamagedFileError, match="checksum"):
        open_arrays(tmp_path)
    manifest.write_text(text[:-20])
    with pytest.raises(DamagedFileError, match="not valid JSON"):
        open_arrays(tmp_path)
    manifest.write_text(text.replace('"format": 1', '"format": 99'))
    with pytest.raises(DamagedFileError, match="format 99"):
        open_arrays(tmp_path)
    manifest.write_text(text)
    data_file(tmp_path).unlink()
    with pytest.raises(DamagedFileError, match="missing"):
        open_arrays(tmp_path)
    with pytest.raises(BadInputError, match=r"no manifest\.json"):
        open_arrays(tmp_path / "elsewhere")


@pytest.mark.parametrize("text", ["", "[]", "5", '"x"', "null", "[" * 200_000, '{"counts": 5}'])
def test_an_odd_verified_json_only_means_that_files_are_checked(tmp_path: Path, text: str) -> None:
    write_arrays(tmp_path, OLD, {})
    known = json.loads((tmp_path / "verified.json").read_text())
    (tmp_path / "verified.json").write_text(text)
    open_arrays(tmp_path)
    assert json.loads((tmp_path / "verified.json").read_text()) == known


def test_damage_that_was_found_once_is_found_by_everybody(tmp_path: Path) -> None:
    write_arrays(tmp_path, OLD, {})
    file = data_file(tmp_path)
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    status = file.stat()
    known = json.loads((tmp_path / "verified.json").read_text())
    known[file.name] = [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]
    del known["checksum"]  # as an earlier version has written it
    (tmp_path / "verified.json").write_text(json.dumps(known))
    open_arrays(tmp_path)  # which sees no change, as if a disk had failed without telling
    for verify in (True, False):
        with pytest.raises(DamagedFileError, match="instead of"):
            open_arrays(tmp_path, verify=verify)


def test_a_copied_directory_is_checked_once_and_then_known(tmp_path: Path) -> None:
    write_arrays(tmp_path / "one", OLD, {})
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    known = (tmp_path / "two" / "verified.json").read_text()
    open_arrays(tmp_path / "two")
    assert (tmp_path / "two" / "verified.json").read_text() != known
    open_arrays(tmp_path / "two")


def limit_file_size() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))


def test_a_full_disk_is_one_clear_line_and_leaves_the_old_state(tmp_path: Path) -> None:
    write_arrays(tmp_path, OLD, {})
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    program = (
        "import signal, sys, numpy as np; from pathlib import Path; from dragoman.files import write_arrays\n"
        "from dragoman.errors import StorageError\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "try: write_arrays(Path(sys.argv[1]), {'a': np.arange(10), 'z': np.arange(7000)}, {})\n"
        "except StorageError as error: print(error); sys.exit(2)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, preexec_fn=limit_file_size
    )
    assert done.returncode == 2
    assert done.stdout.count("\n") == 1
    assert "nothing was changed" in done.stdout
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_place_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageError, match="cannot write"):
        write_arrays(tmp_path / "file" / "below", OLD, {})


def test_too_many_open_files_are_one_clear_line(tmp_path: Path) -> None:
    write_arrays(tmp_path, OLD, {})
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = os.open(os.devnull, os.O_RDONLY)
    os.close(free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free + 1, limits[1]))  # one more: enough to read, but not to map
    try:
        with pytest.raises(StorageError, match="too many open files; raise the limit") as caught:
            open_arrays(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert str(tmp_path) in str(caught.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_directory_is_one_clear_line(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StorageError, match="choose a directory you may write to"):
        write_arrays(tmp_path, OLD, {})
