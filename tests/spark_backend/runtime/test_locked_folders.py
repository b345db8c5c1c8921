"""The lock of a folder, which one run of a pipeline has until it ends, or is killed."""

import subprocess
import sys
from pathlib import Path

import pytest

from spark_backend.runtime.filesystem import FileSystem

_HOLDS = """
import sys
from spark_backend.runtime.filesystem import FileSystem
with FileSystem().locked(sys.argv[1]) as is_free:
    print(is_free, flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("scheme", ["", "file:", "file://"])
def test_a_folder_is_locked_once(scheme: str, tmp_path: Path) -> None:
    path = f"{scheme}{tmp_path}"
    with FileSystem().locked(path) as first, FileSystem().locked(path) as second:
        assert (first, second) == (True, False)
    with FileSystem().locked(path) as again:
        assert again
    assert list(tmp_path.iterdir()) == []


def test_a_link_to_a_locked_folder_is_locked(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    folder, link = FileSystem().locked(str(tmp_path / "folder")), str(tmp_path / "link")
    with folder, FileSystem().locked(link) as is_free:
        assert not is_free


def test_the_lock_ends_with_its_process(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _HOLDS, str(tmp_path)]
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        with FileSystem().locked(str(tmp_path)) as is_free:
            assert not is_free
        holder.kill()
        holder.wait()
        with FileSystem().locked(str(tmp_path)) as is_free:
            assert is_free


def test_a_folder_of_another_file_system_has_no_lock() -> None:
    path = "memory://folder"
    with FileSystem().locked(path) as first, FileSystem().locked(path) as second:
        assert (first, second) == (True, True)


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"), FileSystem().locked(str(tmp_path / "no")):
        pass
