"""A source reads the rows that a sink of the same declaration has written (S-607.n)."""

import math
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from algebra.catalog import Profile
from algebra.expression import Value
from algebra.records.formats import file_reader
from algebra.records.pipeline import connection_of
from algebra.types import MAX_DATE, MAX_TIMESTAMP, MILLIS_PER_DAY, MIN_DATE, MIN_TIMESTAMP
from algebra.wire import reader
from reference.engine.sinks import sink_of
from rowtime.pipeline.engines import pipeline
from tests.examples import scaled

_WORDS: Final = ("", "NULL", '"', ",", ";", "\t", "\n", "\r\n", "\r", " ", "null", "é", "𝄞", "a")
_TEXTS: Final = st.lists(st.sampled_from(_WORDS), max_size=4).map("".join)
_REALS: Final = st.floats(width=32)

#: Values of each type, with those at the ends of its range.
TYPES: Final[dict[str, st.SearchStrategy[Value]]] = {
    "BOOLEAN": st.booleans(),
    "TINYINT": st.integers(-128, 127),
    "SMALLINT": st.integers(-(2**15), 2**15 - 1),
    "INTEGER": st.integers(-(2**31), 2**31 - 1),
    "BIGINT": st.integers(-(2**63), 2**63 - 1),
    "DECIMAL(38, 0)": st.integers(1 - 10**38, 10**38 - 1).map(Decimal),
    "DECIMAL(9, 4)": st.integers(1 - 10**9, 10**9 - 1).map(lambda n: Decimal(n).scaleb(-4)),
    "REAL": _REALS,
    "DOUBLE": st.floats(),
    "VARCHAR": _TEXTS,
    "VARCHAR(4)": st.text(st.sampled_from('NUL ,"\n'), max_size=4),
    "CHAR(2)": st.text(st.sampled_from('a ",'), max_size=2).map(lambda text: text.ljust(2)),
    "VARBINARY(3)": st.binary(max_size=3),
    "DATE": st.integers(MIN_DATE, MAX_DATE) | st.sampled_from((MIN_DATE, MAX_DATE)),
    "TIME(3)": st.integers(0, MILLIS_PER_DAY - 1),
    "TIMESTAMP(3)": st.integers(MIN_TIMESTAMP, MAX_TIMESTAMP)
    | st.sampled_from((MIN_TIMESTAMP, MAX_TIMESTAMP, -1)),
    "INTERVAL DAY TO SECOND(3)": st.integers(1 - 2**63, 2**63 - 1),
    "INTERVAL YEAR TO MONTH": st.integers(1 - 2**31, 2**31 - 1),
}
#: Where the rows are written, and how.
SINKS: Final = (
    "path '{0}.csv'",
    "path '{0}.tsv'",
    "path '{0}.csv', null_text 'NULL'",
    "path '{0}.csv', delimiter ';', quote '|', null_text 'a'",
    "path '{0}.csv.gz'",
    "path '{0}.csv.zst', null_text 'NULL'",
    "path '{0}.json'",
    "path '{0}.jsonl.gz'",
    "path '{0}.ndjson.zst'",
    "path '{0}.parquet'",
)
_ROWS: Final = st.lists(st.tuples(*(st.none() | each for each in TYPES.values())), max_size=4)


def _written(folder: str, options: str, batches: Sequence[Sequence[tuple[Value, ...]]]) -> object:
    """The rows that a source reads after a sink has committed these batches."""
    columns = ", ".join(f"c{i} {type}" for i, type in enumerate(TYPES))
    where = options.format(f"{folder}/rows")
    made = pipeline(
        f"CREATE FOREIGN STREAM X (rowtime TIMESTAMP(3) ASCENDING, {columns}) OPTIONS ({where});"
        "CREATE FOREIGN STREAM S (rowtime TIMESTAMP(3) ASCENDING) OPTIONS (format 'rate');"
        f"INSERT INTO X SELECT STREAM rowtime, {', '.join('NULL' for _ in TYPES)} FROM S;",
        Profile.CALCITE,
        (),
    )
    (stream,) = made.sinks
    sink = sink_of(made, stream)
    for batch in batches:
        sink.commit([(0, *row) for row in batch])
    sink.close()
    (path,) = Path(folder).iterdir()
    nullable = [replace(each, type=each.type.as_nullable()) for each in stream.columns]
    found: list[tuple[object, ...]] = []
    for read in file_reader(connection_of(stream), nullable)(path):
        assert read.bad == ()
        for row in read.rows:
            pairs = zip(nullable, row, strict=True)
            found.append(tuple(_comparable(reader(c.type)(v)) for c, v in pairs)[1:])
    return found


def _comparable(value: Value) -> object:
    """A value that is equal to itself, with its class, its sign and its digits."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else repr(value)
    return str(value) if isinstance(value, Decimal) else (type(value), value)


@given(st.sampled_from(SINKS), st.lists(_ROWS, min_size=1, max_size=2))
@settings(max_examples=scaled(30, 3_000), phases=(Phase.explicit, Phase.generate))
def test_a_source_reads_what_a_sink_has_written(
    options: str, batches: list[list[tuple[Value, ...]]]
) -> None:
    with TemporaryDirectory() as folder:
        expected = [tuple(map(_comparable, row)) for batch in batches for row in batch]
        assert _written(folder, options, batches) == expected


def test_null_and_the_empty_text_and_the_word_for_null_differ(tmp_path: Path) -> None:
    """Written by hand: the lines of the file, and which fields are quoted."""
    (tmp_path / "in.json").write_text(
        '{"t": "2026-01-01 00:00:00", "v": ""}\n'
        '{"t": "2026-01-01 00:00:01", "v": null}\n'
        '{"t": "2026-01-01 00:00:02", "v": "NULL"}\n'
    )
    columns = "(t TIMESTAMP(3) ASCENDING, v VARCHAR)"
    out = tmp_path / "out.csv"
    made = pipeline(
        f"CREATE FOREIGN STREAM X {columns} OPTIONS (path '{tmp_path / 'in.json'}');"
        f"CREATE FOREIGN STREAM Y {columns} OPTIONS (path '{out}', null_text 'NULL');"
        "INSERT INTO Y SELECT STREAM * FROM X;",
        Profile.CALCITE,
        (),
    )
    sink = sink_of(made, made.sinks[0])
    sink.commit([(0, ""), (1_000, None), (2_000, "NULL")])
    sink.close()
    assert out.read_text().splitlines()[1:] == [
        '1970-01-01 00:00:00,""',
        "1970-01-01 00:00:01,NULL",
        '1970-01-01 00:00:02,"NULL"',
    ]
