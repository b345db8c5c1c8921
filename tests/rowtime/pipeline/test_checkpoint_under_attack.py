"""A checkpoint of changes that another hand has changed.

A run continues with a true answer, or is refused; it never writes a change twice or loses one.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.rowtime.pipeline.test_changes_on_spark import BATCHES, PIPELINE, RECORDS, totals, write
from tests.rowtime.pipelines import rowtime, run_until

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("folder", "file_by_file")]


def begun() -> None:
    """A pipeline that has done one micro-batch, and has the input of a second one."""
    write(0, BATCHES[0])
    run_until(PIPELINE, lambda done: done.sources[0].rows == len(BATCHES[0]))
    write(1, BATCHES[1])


def sinks() -> dict[str, bytes]:
    """The files of the sink, with their bytes."""
    return {path.name: path.read_bytes() for path in sorted(Path("totals").glob("part-*"))}


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def change(path: Path) -> None:
    found = bytearray(path.read_bytes())
    found[len(found) // 2] ^= 1
    path.write_bytes(found)


def empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("damage", [cut, change, empty, Path.unlink])
@pytest.mark.parametrize(
    "pattern",
    ["pipeline.json", "state/*/words", "state/*/*/*.parquet"],
)
def test_a_damaged_file_is_an_error_or_makes_no_difference(
    pattern: str, damage: Callable[[Path], None]
) -> None:
    begun()
    before = sinks()
    files = [path for path in Path("checkpoint").glob(pattern) if path.name[0] not in "._"]
    assert files, [str(path) for path in Path("checkpoint").rglob("*")]
    for path in files:
        damage(path)
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
    result = rowtime(PIPELINE, "--once", "--checkpoint", "checkpoint", backend="spark")
    if result.exit_code:
        assert "hint: " in result.stderr
        assert sinks() == before
    else:
        assert sorted(totals(0), key=repr) == sorted(RECORDS[0], key=repr)
        assert sorted(totals(1), key=repr) == sorted(RECORDS[1], key=repr)
