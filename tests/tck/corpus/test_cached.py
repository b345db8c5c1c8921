"""The kit's cases are read once: from then on they come from the user's cache folder."""

import os
from collections.abc import Callable, Sequence
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import pytest
from typer.testing import CliRunner

from tck.cli import app
from tck.corpus import document, load
from tck.corpus.cached import store
from tck.corpus.cached.case_text import cases_text, read_cases_text
from tck.corpus.cached.store import cache_folder
from tck.corpus.case import Heading
from tck.corpus.load import Corpus, kit_corpus, kit_headings, load_corpus
from tests.tck.corpora import write_cases

GOOD = """
id: {id}
cites: [CAL-010]
sql: SELECT STREAM * FROM Orders
rows: [['10:00', 10, 4], ['10:00', 20, 1], ['10:05', 10, 7]]
"""


class Kit:
    """A small corpus in the place of the kit's own, and which of its files are read again."""

    def __init__(self, root: Path, cache: Path) -> None:
        self.root, self.cache = root, cache
        self.read: list[str] = []

    def write(self, *chapters: str) -> None:
        """Write a case for each chapter."""
        for chapter in chapters:
            write_cases(self.root, GOOD.format(id=f"in-{chapter}"), name=f"{chapter}/cases.yaml")

    def load(self, *only: str) -> Corpus:
        """The corpus, as in a process that has not read it yet."""
        self.read.clear()
        return kit_corpus.__wrapped__(only)

    @property
    def file(self) -> Path:
        """The one file in the cache folder."""
        (found,) = (self.cache / "rowtime" / "cases").iterdir()
        return found


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kit:
    made = Kit(tmp_path / "cases", tmp_path / "cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(made.cache))
    monkeypatch.setattr(load, "kit_cases", lambda: made.root)
    monkeypatch.setattr(load, "kit_fixtures", lambda: made.root / "fixtures")
    parse = document.parse_document

    def parsed(text: str, file: str) -> object:
        made.read.append(Path(file).parent.name)
        return parse(text, file)

    monkeypatch.setattr(load, "parse_document", parsed)
    made.write("one", "two")
    return made


def test_cases_of_all_kinds_are_as_they_were_when_they_come_back_from_text() -> None:
    chapters = ("producers", "functions", "dml", "metadata", "bounds", "regressions", "errors")
    cases = kit_corpus(tuple(f"{chapter}/*" for chapter in chapters)).cases
    files = {case.place.file for case in cases}
    assert len(files) > 20
    for file in files:
        there = [case for case in cases if case.place.file == file]
        assert read_cases_text(cases_text(there), file) == there


def test_the_second_time_no_file_is_read(kit: Kit) -> None:
    first = kit.load()
    assert kit.read == ["one", "two"]
    assert kit.load() == first
    assert kit.read == []


def heading(case: Heading) -> Heading:
    return Heading(case.id, case.chapter, case.subject, case.place, case.cites)


def test_headings_are_those_of_the_cases_once_all_are_in_the_folder(kit: Kit) -> None:
    assert kit_headings() is None
    cases = kit.load().cases
    assert kit_headings() == [heading(case) for case in cases]
    assert kit_headings() != [heading(case) for case in reversed(cases)]


def test_the_list_reads_no_case_whole(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    kit.load()
    monkeypatch.setattr(store, "read_cases_text", None)
    listed = CliRunner().invoke(app, ["list", "--only", "in-*", "--exclude", "two/*"])
    place = f"{kit.root / 'one' / 'cases.yaml'}:4"
    assert listed.output == f"one/in-one  CAL-010  {place}\n"


@pytest.mark.parametrize("damage", range(2))
def test_headings_are_unknown_where_a_file_has_changed(kit: Kit, damage: int) -> None:
    kit.load()
    if damage:
        kit.file.write_text(forge(kit.file.read_text(), lambda _: '{"values": [], "cases": [[]]}'))
    else:
        write_cases(kit.root, GOOD.format(id="other"), name="two/cases.yaml")
    assert kit_headings() is None


def test_headings_are_unknown_where_two_cases_have_one_id(kit: Kit) -> None:
    kit.load()
    (kit.root / "two" / "copy.yaml").write_bytes((kit.root / "two" / "cases.yaml").read_bytes())
    assert kit_headings() is None


def test_a_file_that_has_changed_is_read_and_the_others_are_not(kit: Kit) -> None:
    kit.load()
    write_cases(kit.root, GOOD.format(id="other"), name="two/cases.yaml")
    assert [case.id for case in kit.load().cases] == ["in-one", "other"]
    assert kit.read == ["two"]
    kit.load()
    assert kit.read == []


@pytest.mark.parametrize("changed", ["fixtures/few.yaml", "result-types.json"])
def test_all_files_are_read_when_what_they_share_has_changed(kit: Kit, changed: str) -> None:
    kit.load()
    file = kit.root / changed
    before = file.read_text() if file.exists() else '{"in-one": ["rowtime TIMESTAMP(3)"]'
    file.write_text(before.replace("20, 1]", "20, 2]") + ("" if file.suffix == ".yaml" else "}"))
    corpus = kit.load()
    assert kit.read == ["one", "two"]
    assert corpus == load_corpus([kit.root])


def test_a_line_for_a_file_that_is_gone_goes_with_the_next_writing(kit: Kit) -> None:
    kit.load()
    (kit.root / "two" / "cases.yaml").unlink()
    kit.write("three")
    kit.load()
    assert len(kit.file.read_text().splitlines()) == 2


def forge(text: str, change: Callable[[str], str]) -> str:
    """The lines with another rest, each with the digest of that."""
    lines = [line.split(" ", 2) for line in text.splitlines()]
    changed = [(key, change(rest)) for key, _, rest in lines]
    return "".join(
        f"{key} {sha256(b'%d' % len(rest) + chr(10).encode() + rest.encode()).hexdigest()} {rest}\n"
        for key, rest in changed
    )


DAMAGES: Final[Sequence[Callable[[str], str]]] = [
    lambda _: "",
    lambda text: text[: len(text) // 3],
    lambda text: text.replace("Orders", "Others"),
    lambda text: text.replace(" ", ""),
    lambda _: "\n \n  \nnothing\n",
    lambda text: forge(text, lambda _: "[]"),
    lambda text: forge(text, lambda rest: rest.replace("Rows", "Popen")),
    lambda text: forge(text, lambda rest: rest.replace('"cases": [[', '"cases": [[7, ')),
    lambda text: forge(text, lambda _: "[" * 100_000),
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_passed_over_and_written_anew(
    kit: Kit, damage: Callable[[str], str]
) -> None:
    whole = kit.load()
    text = kit.file.read_text()
    kit.file.write_text(damage(text))
    assert kit.load() == whole
    assert kit.read
    assert kit.file.read_text() == text


def test_a_digest_made_as_here_is_one_that_the_store_accepts(kit: Kit) -> None:
    kit.load()
    kit.file.write_text(forge(kit.file.read_text(), lambda rest: rest.replace("10, 4", "10, 5")))
    (row, *_) = kit.load().cases[0].rows or ((),)
    assert row[-1:] == (5,)  # so that `forge` above reaches the reader


def test_a_file_that_is_no_text_is_passed_over(kit: Kit) -> None:
    whole = kit.load()
    kit.file.write_bytes(b"\xff\xfe")
    assert kit.load() == whole


def test_a_file_that_others_can_write_is_passed_over(kit: Kit) -> None:
    kit.load()
    kit.file.chmod(0o666)
    kit.load()
    assert kit.read == ["one", "two"]
    assert not kit.file.stat().st_mode & 0o022


def test_nothing_is_kept_where_the_folder_cannot_be_made(
    kit: Kit, capfd: pytest.CaptureFixture[str]
) -> None:
    kit.cache.write_text("a file in its place")
    for _ in range(2):
        assert len(kit.load().cases) == 2
        assert kit.read == ["one", "two"]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({"XDG_CACHE_HOME": "/c", "HOME": "/h"}, Path("/c/rowtime")),
        ({"XDG_CACHE_HOME": "c", "HOME": "/h"}, Path("/h/.cache/rowtime")),
        ({"HOME": "/h"}, Path("/h/.cache/rowtime")),
        ({"HOME": ""}, None),
        ({}, None),
    ],
)
def test_the_cache_folder_is_that_of_the_user(
    variables: dict[str, str], folder: Path | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert cache_folder() == folder


def test_without_a_home_the_cases_are_read(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.delenv("HOME")
    assert len(kit.load().cases) == 2


def test_a_corpus_with_a_problem_is_not_kept(kit: Kit) -> None:
    write_cases(kit.root, GOOD.format(id="in-one"), name="three/cases.yaml")
    for _ in range(2):
        assert len(kit.load().problems) == 1
    assert not kit.cache.exists()


def test_processes_that_write_at_once_leave_one_whole_file(kit: Kit) -> None:
    processes = [get_context("fork").Process(target=kit.load) for _ in range(4)]
    for each in processes:
        each.start()
    for each in processes:
        each.join()
    assert os.listdir(kit.file.parent) == [kit.file.name]
    kit.load()
    assert kit.read == []


def test_a_part_of_the_corpus_is_not_written_in_place_of_the_whole(kit: Kit) -> None:
    kit.load("one/in-one")
    assert not kit.cache.exists()
    kit.load()
    write_cases(kit.root, GOOD.format(id="other"), name="two/cases.yaml")
    kit.load("two/*")
    assert kit.read == ["two"]
    kit.load()
    assert kit.read == ["two"]  # the other lines are still there
