"""Files of this machine, written and read by Python, and the same files by way of Hadoop.

A path with the scheme ``file:`` goes the first way; one without goes by Spark's default, which is
this machine, too.
"""

from pathlib import Path

import pytest

from spark_backend.runtime.filesystem import FileSystem
from spark_backend.runtime.session import spark_session

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

#: What paths begin with, by who does the work.
SCHEMES = {"python": "file:", "hadoop": ""}


@pytest.fixture
def files() -> FileSystem:
    """All file systems."""
    return FileSystem(spark_session())


@pytest.mark.parametrize("way", SCHEMES)
def test_a_file_is_what_was_written_last(way: str, files: FileSystem, tmp_path: Path) -> None:
    """In a folder that is made for it; nothing else is seen there."""
    path = f"{SCHEMES[way]}{tmp_path}/a/b"
    assert files.names(path) == []
    for text in ("first, and long", "zwölf"):
        files.write(f"{path}/f", text.encode())
        assert files.read(f"{path}/f") == text
    assert files.head(f"{path}/f", 4) == "zwö"
    files.create(f"{path}/.e", b"")
    assert files.names(path) == [".e", "f"]
    assert files.exists(f"{path}/f")
    assert files.is_folder(path)
    assert not files.is_folder(f"{path}/f")


@pytest.mark.parametrize("way", SCHEMES)
def test_names_change_and_go(way: str, files: FileSystem, tmp_path: Path) -> None:
    """A folder goes with all that it has; what is not there may go, too."""
    path = f"{SCHEMES[way]}{tmp_path}"
    files.make_folder(f"{path}/a/b")
    files.create(f"{path}/a/b/f", b"x")
    files.rename(f"{path}/a/b/f", f"{path}/a/g")
    files.rename(f"{path}/a/b", f"{path}/a/c")
    assert files.names(f"{path}/a") == ["c", "g"]
    for _ in range(2):
        files.delete(f"{path}/a/g")
        assert files.names(f"{path}/a") == ["c"]
    for _ in range(2):
        files.delete(f"{path}/a")
        assert not files.exists(f"{path}/a")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("way", SCHEMES)
@pytest.mark.parametrize("first", SCHEMES)
def test_each_way_reads_what_the_other_wrote(
    first: str, way: str, files: FileSystem, tmp_path: Path
) -> None:
    """A checksum that Hadoop has written does not outlive its file."""
    for text, each in (("one", first), ("two, longer", way), ("3", first)):
        files.write(f"{SCHEMES[each]}{tmp_path}/f", text.encode())
        assert [files.read(f"{begins}{tmp_path}/f") for begins in SCHEMES.values()] == [text, text]
    files.rename(f"{SCHEMES[way]}{tmp_path}/f", f"{SCHEMES[way]}{tmp_path}/g")
    files.write(f"{SCHEMES[first]}{tmp_path}/f", b"4")
    assert [files.read(f"{tmp_path}/{name}") for name in ("f", "g")] == ["4", "3"]


@pytest.mark.parametrize("way", SCHEMES)
def test_what_cannot_be_done_names_the_path(way: str, files: FileSystem, tmp_path: Path) -> None:
    """No file, and a file where a folder would be."""
    path = f"{SCHEMES[way]}{tmp_path}"
    (tmp_path / "f").write_text("x")
    for act in (
        lambda: files.read(f"{path}/none"),
        lambda: files.rename(f"{path}/none", f"{path}/other"),
        lambda: files.create(f"{path}/f/g", b"x"),
        lambda: files.make_folder(f"{path}/f/g"),
    ):
        with pytest.raises(OSError, match=str(tmp_path)) as raised:
            act()
        assert raised.value.strerror
