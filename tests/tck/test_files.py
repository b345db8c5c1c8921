"""A file is written whole, or stays as it was."""

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
