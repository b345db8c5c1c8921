"""Large Parquet files as sources on Spark: what is known of them beforehand changes no row."""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# Arrow has no types of its own.

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pyarrow as pa  # type: ignore[import-untyped]  # it has no types
import pyarrow.parquet as pq  # type: ignore[import-untyped]  # it has no types
import pytest

from spark_backend.runtime.session import spark_session
from spark_backend.stream.connectors.listing import FILES_A_BATCH
from tests.rowtime.pipelines import rowtime

pytestmark = pytest.mark.spark

#: More rows than are judged one by one.
ROWS: Final = 6_000
START: Final = datetime(2015, 2, 15, 10)
DDL: Final = """
CREATE FOREIGN STREAM Orders (
  rowtime TIMESTAMP(3) ASCENDING, id INTEGER NOT NULL, k INTEGER, due TIMESTAMP(3), note VARCHAR(9))
  OPTIONS (format 'parquet', path 'in', on_error 'drop');
CREATE FOREIGN STREAM Sink (rowtime TIMESTAMP(3) ASCENDING, k INTEGER, n BIGINT, u BIGINT)
  OPTIONS (path 'out.csv');
INSERT INTO Sink
  SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' MINUTE), k, COUNT(due), SUM(id)
  FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' MINUTE), k;
"""


def orders(first: int) -> dict[str, list[Any]]:
    """A row every ten milliseconds, of four keys."""
    times = [START + timedelta(milliseconds=10 * (first + i)) for i in range(ROWS)]
    return {
        "rowtime": list(times),
        "id": [first + i for i in range(ROWS)],
        "k": [i % 4 for i in range(ROWS)],
        "due": list(times),
        "note": ["x"] * ROWS,
    }


def _null(values: list[Any], *places: int) -> None:
    for each in places:
        values[each] = None


def _sound(_: dict[str, list[Any]]) -> None:
    pass


def _times_that_are_null(rows: dict[str, list[Any]]) -> None:
    _null(rows["due"], 0, 17, ROWS - 1)


def _late_rows(rows: dict[str, list[Any]]) -> None:
    rows["rowtime"][100] -= timedelta(seconds=1)
    rows["rowtime"][ROWS - 1] -= timedelta(seconds=30)


def _rows_without_time(rows: dict[str, list[Any]]) -> None:
    _null(rows["rowtime"], 5)


def _rows_without_id(rows: dict[str, list[Any]]) -> None:
    _null(rows["id"], 5, 4_000)


def _texts_that_are_too_long(rows: dict[str, list[Any]]) -> None:
    rows["note"][3] = "0123456789"


def _parts_of_a_millisecond(rows: dict[str, list[Any]]) -> None:
    rows["rowtime"][7] += timedelta(microseconds=1)


#: How each file differs from sound ones, and how many of its rows are lost by that.
FILES: Final = [
    (_sound, 0),
    (_times_that_are_null, 0),
    (_sound, 0),
    (_late_rows, 2),
    (_rows_without_time, 1),
    (_rows_without_id, 2),
    (_texts_that_are_too_long, 1),
    (_parts_of_a_millisecond, 0),
    (_sound, 0),
]


@pytest.fixture
def one_file_a_batch() -> Iterator[None]:
    """Set the number of files on the session, which a test before this one may have started."""
    conf = spark_session().conf
    conf.set(FILES_A_BATCH, "1")
    yield
    conf.unset(FILES_A_BATCH)


@pytest.mark.usefixtures("one_file_a_batch")
def test_large_files_are_read_as_on_one_machine(folder: Path) -> None:
    """Each file is a micro-batch: the same rows come out of each minute, and as many are lost."""
    (folder / "in").mkdir()
    for number, (change, _) in enumerate(FILES):
        rows = orders(number * ROWS)
        change(rows)
        table = pa.table(rows, schema=_SCHEMA)
        pq.write_table(table, folder / "in" / f"{number}.parquet", row_group_size=2_500)
    shown: list[list[str]] = []
    for backend in ("reference", "spark"):
        result = rowtime(DDL, "--once", backend=backend)
        assert result.exit_code == 0, result.stderr
        assert _dropped(result.stderr) == sum(lost for _, lost in FILES)
        shown.append(sorted((folder / "out.csv").read_text().splitlines()))
        (folder / "out.csv").unlink()
    assert shown[0] == shown[1]
    assert len(shown[0]) == 1 + 4 * len(FILES)  # a minute is a file


@pytest.mark.usefixtures("one_file_a_batch")
def test_a_file_may_have_other_columns_than_the_file_before(folder: Path) -> None:
    """Other types, another order of columns, old timestamps, a further column; then as before."""
    first = _SCHEMA
    wider = first.set(2, pa.field("k", pa.int64())).append(pa.field("more", pa.int32()))
    schemas = [first, first, wider, pa.schema(list(reversed(list(first)))), first, first]
    old_times = 4
    (folder / "in").mkdir()
    for number, schema in enumerate(schemas):
        rows = orders(number * ROWS) | {"more": [number] * ROWS}
        rows["k"] = [(key + number) % 4 for key in rows["k"]]
        table = pa.table({name: rows[name] for name in schema.names}, schema=schema)
        path = folder / "in" / f"{number}.parquet"
        pq.write_table(table, path, use_deprecated_int96_timestamps=number == old_times)
    result = rowtime(DDL, "--once", backend="spark")
    assert result.exit_code == 0, result.stderr
    assert _dropped(result.stderr) == 0
    _, *found = (folder / "out.csv").read_text().splitlines()
    # In file f, of minute f, row i has the id f * ROWS + i and the key (i + f) mod 4.
    wanted = {
        f"2015-02-15 10:{f + 1:02}:00,{(r + f) % 4},{ROWS // 4},"
        f"{sum(range(f * ROWS + r, (f + 1) * ROWS, 4))}"
        for f in range(len(schemas))
        for r in range(4)
    }
    assert set(found) == wanted
    assert len(found) == len(wanted)


def test_a_sink_that_refuses_rows_still_does(folder: Path) -> None:
    """A target with a CHECK judges each row, many as they are: key 2 does not come in."""
    (folder / "in").mkdir()
    for number in range(2):
        table = pa.table(orders(number * ROWS), schema=_SCHEMA)
        pq.write_table(table, folder / "in" / f"{number}.parquet")
    text = DDL.replace("ASCENDING, k INTEGER, n", "ASCENDING, k INTEGER CHECK (k <> 2), n")
    result = rowtime(text, "--once", backend="spark")
    assert result.exit_code == 0, result.stderr
    _, *rows = (folder / "out.csv").read_text().splitlines()
    assert sorted(each.split(",")[:2] for each in rows) == [
        [f"2015-02-15 10:0{minute}:00", key] for minute in (1, 2) for key in ("0", "1", "3")
    ]


def _dropped(shown: str) -> int:
    """The number of dropped rows, as the end of a run reports it."""
    found = re.search(r"([\d,]+) (?:rows? )?dropped", shown)
    return int(found[1].replace(",", "")) if found else 0


_SCHEMA: Final = pa.schema(
    [
        ("rowtime", pa.timestamp("us")),
        ("id", pa.int32()),
        ("k", pa.int32()),
        ("due", pa.timestamp("us")),
        ("note", pa.string()),
    ]
)
