"""Files of this machine, and files that fsspec reaches: those of a file system in memory."""

from collections.abc import Generator
from pathlib import Path
from uuid import uuid4

import pytest

from spark_backend.runtime.filesystem import FileSystem, qualified
from spark_backend.runtime.session import spark_session

FILES = FileSystem()


@pytest.fixture(params=["none", "file", "memory"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[str]:
    """The path of a folder that does not exist, or is empty, by its scheme."""
    match request.param:
        case "none":
            yield str(tmp_path)
        case "file":
            yield f"file:{tmp_path}"
        case _:
            name = f"memory://{uuid4()}"
            yield name
            FILES.delete(name)


def test_a_file_is_what_was_written_last(folder: str) -> None:
    """In a folder that is made for it; nothing else is seen there."""
    path = f"{folder}/a/b"
    assert FILES.names(path) == []
    for text in ("first, and long", "zwölf"):
        FILES.write(f"{path}/f", text.encode())
        assert FILES.read(f"{path}/f") == text
    assert FILES.head(f"{path}/f", 4) == "zwö"
    FILES.create(f"{path}/.e", b"")
    assert FILES.names(path) == [".e", "f"]
    assert FILES.exists(f"{path}/f")
    assert FILES.is_folder(path)
    assert not FILES.is_folder(f"{path}/f")


def test_names_change_and_go(folder: str) -> None:
    """A folder goes with all that it has; what is not there may go, too."""
    FILES.make_folder(f"{folder}/a/b")
    FILES.create(f"{folder}/a/b/f", b"x")
    FILES.rename(f"{folder}/a/b/f", f"{folder}/a/g")
    FILES.create(f"{folder}/a/b/h", b"y")
    FILES.rename(f"{folder}/a/b", f"{folder}/a/c")
    assert FILES.names(f"{folder}/a") == ["c", "g"]
    assert FILES.read(f"{folder}/a/c/h") == "y"
    for _ in range(2):
        FILES.delete(f"{folder}/a/g")
        assert FILES.names(f"{folder}/a") == ["c"]
    for _ in range(2):
        FILES.delete(f"{folder}/a")
        assert not FILES.exists(f"{folder}/a")


def test_what_cannot_be_done_names_the_path(folder: str) -> None:
    """What is read, and what is renamed, must be there."""
    with pytest.raises(OSError, match="none") as raised:
        FILES.read(f"{folder}/none")
    assert raised.value.strerror
    with pytest.raises(OSError, match="none") as raised:
        FILES.rename(f"{folder}/none", f"{folder}/other")
    assert raised.value.strerror


def test_a_file_where_a_folder_would_be_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x")
    with pytest.raises(OSError, match=str(tmp_path)):
        FILES.create(f"{tmp_path}/f/g", b"x")
    with pytest.raises(OSError, match=str(tmp_path)):
        FILES.make_folder(f"{tmp_path}/f/g")


@pytest.mark.parametrize("path", ["none://a/b", "s3a://bucket/file"])
def test_a_scheme_that_nothing_here_knows_is_an_error_with_the_path(path: str) -> None:
    """One that does not exist, and one whose package is not installed."""
    with pytest.raises(OSError, match=path) as raised:
        FILES.exists(path)
    assert raised.value.strerror


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_a_checksum_of_spark_does_not_outlive_its_file(tmp_path: Path) -> None:
    """Spark checks what it reads by the checksum beside it, where there is one."""
    session = spark_session()
    frame = session.sql("SELECT 'from Spark' AS value")
    frame.write.text(f"{tmp_path}/of")
    (part,) = (name for name in FILES.names(f"{tmp_path}/of") if name.startswith("part-"))
    written = f"{tmp_path}/of/{part}"
    assert (tmp_path / "of" / f".{part}.crc").exists()

    def read(path: str) -> list[str]:
        return [row.value for row in session.read.text(path).collect()]

    FILES.rename(written, f"{tmp_path}/renamed.txt")
    assert read(f"{tmp_path}/renamed.txt") == ["from Spark"]
    FILES.write(f"{tmp_path}/renamed.txt", b"from Python")
    assert read(f"{tmp_path}/renamed.txt") == ["from Python"]


def test_a_path_without_a_scheme_is_of_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert qualified("a/b") == f"file:{tmp_path}/a/b"
    assert qualified("file:///a/b") == "file:/a/b"
    assert qualified("s3a://bucket/a") == "s3a://bucket/a"
