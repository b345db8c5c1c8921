"""A file is written whole, or stays as it was."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tck.files import write_whole


def test_a_file_is_written_with_the_folders_on_its_way(tmp_path: Path) -> None:
    write_whole(tmp_path / "a" / "b.txt", "größe\n")
    assert (tmp_path / "a" / "b.txt").read_bytes() == "größe\n".encode()
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b.txt"]


def test_a_text_that_cannot_be_written_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("before")
    with pytest.raises(UnicodeEncodeError):
        write_whole(file, "after \ud800")
    assert file.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_link_continues_to_lead_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("before")
    (tmp_path / "link").symlink_to("a.txt")
    write_whole(tmp_path / "link", "after")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "a.txt").read_text() == "after"


def test_a_pipe_is_written_and_not_replaced(tmp_path: Path) -> None:
    """Nor is a device: the administrator may replace /dev/null by a file."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as reader:
        text = reader.submit(pipe.read_text)
        write_whole(pipe, "größe")
        assert pipe.is_fifo()
        assert text.result(timeout=10) == "größe"


def test_a_full_device_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "full").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left") as caught:
        write_whole(tmp_path / "full", "text")
    assert caught.value.filename == str(tmp_path / "full")
    assert (tmp_path / "full").is_symlink()
