"""A kind of value is read alike at every entrance (S-613)."""

import json
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest

from tests.rowtime.files.entrances import (
    ENTRANCES,
    REFUSED,
    command,
    of_csv,
    of_json,
    of_parquet,
)

pytestmark = pytest.mark.usefixtures("folder")

#: Texts of times, and the time that each is; none is one that SQL itself writes.
TIMES: Final = {
    "2026-01-01T10:00:00": "2026-01-01 10:00:00",
    "2026-01-01T10:00:00Z": "2026-01-01 10:00:00",
    "2026-01-01 10:00:00+02:00": "2026-01-01 08:00:00",
    "2026-01-01T10:00:00-0530": "2026-01-01 15:30:00",
    "2026-01-01 10:00:00 UTC": "2026-01-01 10:00:00",
    "2026-01-01 10:00:00.1": "2026-01-01 10:00:00.100",
    "2026-01-01T10:00:00.123999": "2026-01-01 10:00:00.123",
    "2026-01-01 10:00:00.123456789Z": "2026-01-01 10:00:00.123",
    "1969-12-31 23:59:59.9999": "1969-12-31 23:59:59.999",
    "2026-01-01": "2026-01-01 00:00:00",
    "2026-01-01 10:00": "2026-01-01 10:00:00",
    "2026-01-01 24:00:00": REFUSED,
    "2026-02-30 00:00:00": REFUSED,
    "2026/01/01 10:00:00": REFUSED,
    "0001-01-01 00:30:00+01:00": REFUSED,
    "1767261600000": REFUSED,
}


@pytest.mark.parametrize(("entrance", "text"), list(product(ENTRANCES, TIMES)))
def test_a_time_is_read_alike_at_every_entrance(entrance: str, text: str) -> None:
    """S-613.a, S-613.b, S-613.c."""
    expected = TIMES[text] if TIMES[text] == REFUSED else f'"{TIMES[text]}"'
    found = ENTRANCES[entrance]("TIMESTAMP(3)", text)
    # A cast to a text writes all digits of a TIMESTAMP.
    assert found.replace('.000"', '"') == expected


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_half_a_character_is_refused_at_every_entrance(entrance: str) -> None:
    """S-613.f.  A file of UTF-8 cannot have one, but for the escapes of JSON."""
    if entrance not in ("json", "driver", "case"):
        pytest.skip("the text cannot be written")
    assert ENTRANCES[entrance]("VARCHAR", "a\ud83d") == REFUSED


@pytest.mark.parametrize(("read", "text"), list(product((of_csv, of_json), ("1e400", "-1e999"))))
def test_a_number_beyond_the_range_is_refused_for_real_and_double(
    read: Callable[[str, object], str], text: str
) -> None:
    """S-613.e."""
    for type in ("REAL", "DOUBLE"):
        if read is of_csv:
            assert read(type, text) == REFUSED
        else:
            Path("x.jsonl").write_text(f'{{"v": {text}}}\n')
            Path("x.sql").write_text(f"CREATE TABLE X (v {type});")
            result = command("run", "--ddl", "x.sql", "--data", "X=x.jsonl", "SELECT v FROM X")
            assert (result.exit_code, result.stdout) == (1, "")
            assert f"is out of the range of {type}" in result.stderr


@pytest.mark.parametrize(
    ("read", "value", "expected"),
    [
        (of_csv, "1.0", "1"),
        (of_csv, " 1", "1"),
        (of_csv, "+7.", "7"),
        (of_csv, "1.5", REFUSED),
        (of_csv, "1_0", REFUSED),
        (of_json, 1.0, "1"),
        (of_json, 1.5, REFUSED),
        (of_json, "1", REFUSED),
        (of_parquet, 1.0, "1"),
        (of_parquet, Decimal("3.00"), "3"),
        (of_parquet, 1.5, REFUSED),
        (of_parquet, "12", "12"),
        (of_parquet, 2**40, REFUSED),
    ],
)
def test_a_whole_number_is_an_integer_however_it_is_written(
    read: Callable[[str, object], str], value: object, expected: str
) -> None:
    """S-613.d."""
    assert read("INTEGER", value) == expected


_NEW_YORK: Final = timezone(timedelta(hours=-5))


@pytest.mark.parametrize(
    ("type", "value", "expected"),
    [
        ("VARCHAR(20)", b"0", '"0"'),
        ("VARCHAR(20)", b"03/01/09", '"03/01/09"'),
        ("VARCHAR(20)", b"\xe9", REFUSED),
        ("VARBINARY(4)", b"\x00\xff", '"00FF"'),
        ("TIMESTAMP(3)", datetime(2026, 1, 1, 10, tzinfo=UTC), '"2026-01-01 10:00:00"'),
        ("TIMESTAMP(3)", datetime(2026, 1, 1, 5, tzinfo=_NEW_YORK), '"2026-01-01 10:00:00"'),
        ("TIMESTAMP(3)", datetime(1969, 12, 31, 23, 59, 59, 999_999), '"1969-12-31 23:59:59.999"'),
        ("TIMESTAMP(3)", date(2026, 1, 1), '"2026-01-01 00:00:00"'),
        ("DATE", date(1969, 12, 31), '"1969-12-31"'),
        ("DATE", datetime(2026, 1, 1), '"2026-01-01"'),
        ("DATE", datetime(2026, 1, 1, 0, 0, 1), REFUSED),
        ("TIME(3)", time(10, 0, 0, 500_999), '"10:00:00.500"'),
        ("INTERVAL DAY TO SECOND(3)", 93_784_500, '"1 02:03:04.500"'),
        ("INTERVAL DAY TO SECOND(3)", timedelta(seconds=1.5), '"0 00:00:01.500"'),
        ("INTERVAL YEAR TO MONTH", 14, '"1-02"'),
        ("DECIMAL(5, 2)", Decimal("-0.50"), '"-0.50"'),
        ("DOUBLE", float("inf"), '"Infinity"'),
        ("DOUBLE", 3, "3.0"),
        ("BOOLEAN", True, "true"),
        ("INTEGER", None, "null"),
        ("VARCHAR(9)", {"x": 1}, REFUSED),
        ("VARCHAR(9)", [1], REFUSED),
        ("BOOLEAN", 1, REFUSED),
        ("INTEGER", True, REFUSED),
        ("TIMESTAMP(3)", 1_767_261_600_000, REFUSED),
    ],
)
def test_a_value_of_parquet_is_read_by_its_type(type: str, value: object, expected: str) -> None:
    """S-613.g."""
    assert of_parquet(type, value) == expected


#: 2026-01-01 10:00:00.123 as a count since 1970.
COUNTS: Final = {"s": 1_767_261_600, "ms": 1_767_261_600_123, "us": 1_767_261_600_123_456}


@pytest.mark.parametrize(("ending", "unit"), list(product(("csv", "jsonl", "parquet"), COUNTS)))
def test_a_count_is_a_time_where_a_unit_is_named(ending: str, unit: str) -> None:
    """S-613.h."""
    _write_count(ending, COUNTS[unit])
    Path("x.sql").write_text("CREATE TABLE X (v TIMESTAMP(3));")
    data = f"X=x.{ending} OPTIONS (time_unit '{unit}')"
    asked = ("--format", "csv", "SELECT v FROM X")
    result = command("run", "--ddl", "x.sql", "--data", data, *asked)
    fraction = "" if unit == "s" else ".123"
    assert result.stdout == f"V\n2026-01-01 10:00:00{fraction}\n"
    again = command("run", "--ddl", "x.sql", "--data", f"X=x.{ending}", "--times", unit, *asked)
    assert again.stdout == result.stdout
    refused = command("run", "--ddl", "x.sql", "--data", f"X=x.{ending}", *asked)
    assert (refused.exit_code, refused.stdout) == (1, "")
    if ending != "parquet":
        assert f"with time_unit '{unit}' it counts from 1970-01-01" in refused.stderr


def _write_count(ending: str, count: int) -> None:
    match ending:
        case "csv":
            Path("x.csv").write_text(f"v\n{count}\n")
        case "jsonl":
            Path("x.jsonl").write_text(f'{{"v": {count}}}\n')
        case _:
            arrow: Any = import_module("pyarrow")  # it has no types
            parquet: Any = import_module("pyarrow.parquet")
            parquet.write_table(arrow.table({"v": [count]}), "x.parquet")


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_parts_of_a_millisecond_are_refused_on_request(ending: str) -> None:
    """S-613.c."""
    at = "2026-01-01T10:00:00.123456Z"
    match ending:
        case "csv":
            Path("x.csv").write_text(f"v\n{at}\n")
        case "jsonl":
            Path("x.jsonl").write_text(f'{{"v": "{at}"}}\n')
        case _:
            of_parquet("TIMESTAMP(3)", datetime(2026, 1, 1, 10, 0, 0, 123_456))
    Path("x.sql").write_text("CREATE TABLE X (v TIMESTAMP(3));")
    asked = ["run", "--ddl", "x.sql", "--data", f"X=x.{ending}", "--format", "csv"]
    assert command(*asked, "SELECT v FROM X").stdout == "V\n2026-01-01 10:00:00.123\n"
    strict = command(*asked, "--strict-times", "SELECT v FROM X")
    assert (strict.exit_code, strict.stdout) == (1, "")
    assert "finer than a millisecond" in strict.stderr


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_each_column_names_its_own_unit(ending: str) -> None:
    """S-613.j: by the declaration and by --times; the unit of the file holds for other columns."""
    Path("x.sql").write_text(
        "CREATE TABLE X (a TIMESTAMP(3) OPTIONS (time_unit 's'),"
        " b TIMESTAMP(3) OPTIONS (time_unit 'us'), c TIMESTAMP(3));"
    )
    Path("y.sql").write_text("CREATE TABLE X (a TIMESTAMP(3), b TIMESTAMP(3), c TIMESTAMP(3));")
    row = {"a": COUNTS["s"], "b": COUNTS["us"], "c": COUNTS["ms"]}
    match ending:
        case "csv":
            Path("x.csv").write_text(f"a,b,c\n{','.join(map(str, row.values()))}\n")
        case "jsonl":
            Path("x.jsonl").write_text(f"{json.dumps(row)}\n")
        case _:
            arrow: Any = import_module("pyarrow")  # it has no types
            parquet: Any = import_module("pyarrow.parquet")
            parquet.write_table(arrow.table({k: [v] for k, v in row.items()}), "x.parquet")
    for ddl, times in (("x.sql", ["ms"]), ("y.sql", ["a=s", "B=us", "ms"])):
        named = [each for time in times for each in ("--times", time)]
        asked = ["run", "--ddl", ddl, "--data", f"X=x.{ending}", *named, "--format", "csv"]
        assert command(*asked, "SELECT * FROM X").stdout == (
            "A,B,C\n2026-01-01 10:00:00,2026-01-01 10:00:00.123,2026-01-01 10:00:00.123\n"
        )


@pytest.mark.parametrize(
    ("ddl", "options", "message"),
    [
        ("v INTEGER OPTIONS (time_unit 's')", [], "a column of INTEGER has no time_unit"),
        ("v TIMESTAMP(3) OPTIONS (time_unit 'h')", [], "'h' is not a value of option 'time_unit'"),
        ("v TIMESTAMP(3) OPTIONS (unit 's')", [], "a column has no option 'unit'"),
        ("v TIMESTAMP(3)", ["--times", "w=s"], "no file has a column W"),
        ("v INTEGER", ["--times", "v=s"], "the column has the type INTEGER"),
        ("v TIMESTAMP(3)", ["--times", "h"], "write a unit, s, ms, us, ns, or COLUMN=UNIT"),
        ("v TIMESTAMP(3)", ["--times", "=s"], "write a unit, s, ms, us, ns, or COLUMN=UNIT"),
    ],
)
def test_a_unit_that_no_column_can_have_is_refused(
    ddl: str, options: list[str], message: str
) -> None:
    Path("x.csv").write_text("v\n1\n")
    Path("x.sql").write_text(f"CREATE TABLE X ({ddl});")
    asked = ["run", "--ddl", "x.sql", "--data", "X=x.csv", *options]
    result = command(*asked, "SELECT * FROM X")
    assert result.exit_code in (1, 2)
    assert result.stdout == ""
    assert message in " ".join(result.stderr.split())


def test_times_without_files_are_a_wrong_call() -> None:
    result = command("run", "--times", "ms", "VALUES (1)")
    assert (result.exit_code, result.stdout) == (2, "")
