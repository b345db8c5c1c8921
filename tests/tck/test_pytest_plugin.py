"""The plugin: cases are tests, and a run without its options knows nothing of the kit."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tck.corpus.selected.core import core_ids, kit_core
from tests.tck.corpora import write_cases

ROOT: Final = Path(__file__).parents[2]
#: What `tests.tck.toy_hours` counts, whatever it is asked.
HOURS: Final = """
id: hours
cites: [CAL-049]
why: a bound of 11:00 completes the hour
sql: |
  SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime, productId, COUNT(*) AS c
  FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR), productId
steps:
- feed: {Orders: [['10:00', 10, 4]]}
- bound: {Orders: '11:00'}
  emit: [['11:00', 10, 1]]
  clock: '12:00'
- end: true
"""
SQLSTREAM: Final = (
    "id: elsewhere\ncites: [CAL-049]\nprofile: sqlstream\nsql: VALUES (1)\nrows: [[1]]"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two cases, and a test that has nothing to do with them."""
    write_cases(tmp_path / "cases", HOURS, SQLSTREAM)
    (tmp_path / "test_own.py").write_text("def test_own() -> None: pass\n")
    return tmp_path


def run(folder: Path, *options: str) -> tuple[int, str]:
    """The exit status and output of pytest in a folder, in a process of its own."""
    plugin = ("-p", "tck.pytest_plugin")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *plugin, "-rA", *options]
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={  # the kit's cases are read from the cache in the user's home
            "HOME": os.environ.get("HOME", str(folder)),
            "PYTHONPATH": str(ROOT),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        },
    )
    return done.returncode, done.stdout + done.stderr


def on(backend: str) -> tuple[str, ...]:
    """The options that run the two cases on a backend of `tests.tck.toy_hours`."""
    return "--rowtime-backend", f"tests.tck.toy_hours:{backend}", "--rowtime-cases", "cases"


def test_cases_are_tests_beside_the_users_own(folder: Path) -> None:
    code, output = run(folder, *on("Hourly"))
    assert code == 0, output
    assert "2 passed, 1 skipped" in output
    assert "has no profile sqlstream" in output


def test_the_marker_selects_the_cases_alone(folder: Path) -> None:
    code, output = run(folder, *on("Hourly"), "-m", "rowtime", "-k", "hours")
    assert (code, "1 passed" in output) == (0, True), output


def test_a_failure_is_shown_as_the_kit_shows_it(folder: Path) -> None:
    code, output = run(folder, *on("LateByOne"))
    assert code == 1, output
    assert "FAIL TOO_LATE tests.tck.toy_hours:LateByOne" in output
    assert "cites CAL-049" in output
    assert "why the reference has" in output
    assert "Traceback" not in output
    assert "rowtime::tests.tck.toy_hours:LateByOne::chapter::hours" in output


def test_a_known_failure_is_expected_and_a_pass_of_one_is_a_failure(folder: Path) -> None:
    known = "".join(
        f"tests.tck.toy_hours:{name}: {{hours: a poll late}}\n" for name in ("LateByOne", "Hourly")
    )
    (folder / "known.yaml").write_text(known)
    late = run(folder, *on("LateByOne"), "--rowtime-known", "known.yaml")
    assert (late[0], "1 xfailed" in late[1]) == (0, True), late[1]
    code, output = run(folder, *on("Hourly"), "--rowtime-known", "known.yaml")
    assert (code, "known to fail: a poll late" in output) == (1, True), output


def test_the_core_alone_can_be_chosen(folder: Path) -> None:
    id = min(core_ids(kit_core()))
    write_cases(folder / "cases", HOURS, HOURS.replace("id: hours", f"id: {id}"))
    code, output = run(folder, *on("Hourly"), "-m", "rowtime", "--rowtime-core")
    assert (code, "1 passed" in output, f"::{id}" in output) == (0, True, True), output


def test_the_tier_decides_when_rows_are_due(folder: Path) -> None:
    assert run(folder, *on("LateByOne"), "--rowtime-tier", "final")[0] == 0


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--rowtime-backend", "nothing:Nothing", "--rowtime-cases", "cases"), 3, "nothing"),
        (("--rowtime-backend", "reference", "--rowtime-cases", "nowhere"), 4, "nowhere"),
        (("--rowtime-backend", "reference", "--rowtime-only", "nought"), 4, "no case matches"),
        ((*on("Hourly"), "--rowtime-core"), 4, "none of these cases is in the core"),
        (("--rowtime-backend", "reference", "--rowtime-tier", "soon"), 4, "--rowtime-tier"),
        (("--rowtime-backend", "reference", "--rowtime-known", "test_own.py"), 4, "known failures"),
    ],
)
def test_mistakes_end_the_run_with_one_message(
    folder: Path, options: tuple[str, ...], code: int, message: str
) -> None:
    found = run(folder, *options)
    assert found[0] == code, found[1]
    assert re.search(message, found[1])
    assert "Traceback" not in found[1]


def test_without_its_options_the_plugin_loads_nothing_of_the_kit(folder: Path) -> None:
    (folder / "test_own.py").write_text(
        "import sys\n"
        "def test_own() -> None:\n"
        "    loaded = {m for m in sys.modules if m.partition('.')[0] in ('tck', 'yaml', 'rich')}\n"
        "    assert loaded <= {'tck', 'tck.pytest_plugin'}, loaded\n"
    )
    code, output = run(folder)
    assert (code, "1 passed" in output) == (0, True), output
