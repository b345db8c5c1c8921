"""Each target takes its seeds and some mutants; `make fuzz` tries more."""

import sqlite3
from itertools import islice
from pathlib import Path
from random import Random

import pytest

import rowtime
from algebra.records.discovery.declaration import found_files
from algebra.records.json_lines import json_batches
from algebra.records.opening import FileError
from algebra.records.parquet import parquet_batches
from rowtime.inputs import connection_to
from tests.fuzz.mutation import mutations
from tests.fuzz.targets import COLUMNS, TARGETS


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_takes_its_seeds_and_mutants(name: str) -> None:
    target = TARGETS[name]
    seeds = target.seeds()[:5]
    assert seeds
    target.run(b"")
    for data in islice(mutations(seeds, Random(0)), 15):
        target.run(data)


def test_mutants_differ_from_the_seeds_and_are_the_same_for_a_seed() -> None:
    first, again = (list(islice(mutations([b"SELECT 1"], Random(7)), 50)) for _ in range(2))
    assert first == again
    assert len(set(first)) > 25


def test_a_parquet_file_with_a_name_that_is_no_text(tmp_path: Path) -> None:
    """Found by `make fuzz`: the name of a column was cut from the middle of a character."""
    (seed,) = TARGETS["parquet_file"].seeds()
    path = tmp_path / "a.parquet"
    path.write_bytes(seed.replace(b"\x01x", b"\x01\xa2"))
    with pytest.raises(FileError):
        list(parquet_batches(path, COLUMNS))


def test_a_line_of_json_that_is_nested_too_deeply(tmp_path: Path) -> None:
    """Found by `make fuzz`, after an hour: an object in an object, and so on, ends the stack."""
    path = tmp_path / "a.json"
    path.write_text('{"a": ' * 100_000 + "\n")
    (batch,) = json_batches(path, COLUMNS, most=100)
    assert batch.rows == ()
    (bad,) = batch.bad
    assert bad.reason == "objects and arrays are nested too deeply"


def test_a_number_of_json_with_more_digits_than_python_reads(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"a": ' + "9" * 5_000 + '}\n{"a": 1, "a": 2}\n')
    (batch,) = json_batches(path, COLUMNS, most=100)
    assert [bad.reason for bad in batch.bad] == [
        "a number has too many digits",
        "member 'a' is there twice: member 1 and 2",
    ]
    with pytest.raises(FileError, match=r"a\.json:1: a number has too many digits"):
        found_files(connection_to("T", str(path)), {})


def test_a_database_whose_schema_is_no_text(tmp_path: Path) -> None:
    """Found by `make fuzz`, after an hour: SQLite cites the file, and Python cannot read that."""
    path = tmp_path / "a.db"
    rowtime.connect(path).close()
    file = sqlite3.connect(path, isolation_level=None)
    file.execute("PRAGMA writable_schema = ON")
    file.execute("UPDATE sqlite_master SET sql = CAST(x'4352454154452081' AS TEXT)")
    file.close()
    with pytest.raises(rowtime.OperationalError, match=r"a\.db"):
        rowtime.connect(path)
