"""Nexmark on Spark: each query as a pipeline, from folders of Parquet into a folder of Parquet.

The events are written into files of `FILE` events each, a micro-batch for each file.  Up to
`CHECKED` events the rows are compared with those that the reference gives as it streams, in order
of time.
"""

import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from algebra.catalog import Profile
from algebra.monotonicity.columns import OrderOf, column_monotonicity
from algebra.parts.mentions import scans
from algebra.plan import Plan, row_type
from algebra.prepare import Prepared, prepare
from algebra.records.parquet import ParquetOutput
from algebra.records.pipeline import Settings
from benchmarks.agreement import Row
from benchmarks.nexmark.generate import Config, events, schema, streams
from reference.relation import identity_of
from rowtime.inputs import DataFile
from rowtime.pipeline.engines import engine_of, pipeline

#: Events of a file: a micro-batch.
FILE: Final = 1_000_000
#: More events than this are only timed: the reference would take too long.
CHECKED: Final = 100_000
#: The keys of the side input of q13.
SIDE: Final = 10_000

parquet: Any = import_module("pyarrow.parquet")  # it has no types


@dataclass(frozen=True, slots=True)
class Timed:
    """What a pipeline has read and written, and its seconds from start to end."""

    read: int
    written: int
    seconds: float


def write(config: Config, folder: Path) -> None:
    """The events as folders of Parquet, and the side input as CSV."""
    declared = streams(prepare(schema(config), None, Profile.CALCITE).catalog)
    for name in declared:
        (folder / name).mkdir(parents=True, exist_ok=True)
    for number, some in enumerate(_in_parts(config)):
        for name, rows in some.items():
            file = ParquetOutput(folder / name / f"{number:05}.parquet", declared[name].columns)
            file.write(rows)
            file.close()
    lines = (f"{key},name {key}" for key in range(SIDE))
    (folder / "side.csv").write_text("\n".join(["key,name", *lines]) + "\n")


def _in_parts(config: Config) -> Iterator[dict[str, list[Row]]]:
    some: dict[str, list[Row]] = {}
    for number, (name, row) in enumerate(events(config), 1):
        some.setdefault(name, []).append(row)
        if number % FILE == 0:
            yield some
            some = {}
    if some:
        yield some


def script(query: Prepared, sql: str, config: Config, folder: Path, out: Path) -> str:
    """A query as a pipeline; the other ends are folders."""
    assert query.query is not None, "a query was given"
    text = re.sub(
        r"CREATE STREAM (\w+) \((.*?)\);",
        lambda found: (
            f"CREATE FOREIGN STREAM {found[1]} ({found[2]})\n"
            f"  OPTIONS (format 'parquet', path '{folder / found[1].upper()}');"
        ),
        schema(config),
        flags=re.DOTALL,
    )
    order = column_monotonicity(query.query, OrderOf.ROWS)[0]
    columns = [f'"{each.name}" {each.type}' for each in row_type(query.query)]
    if order.progresses:
        columns[0] += " ASCENDING"
    return (
        f"{text}\nCREATE FOREIGN STREAM Answer ({', '.join(columns)})\n"
        f"  OPTIONS (format 'parquet', path '{out}');\nINSERT INTO Answer\n{sql};"
    )


def run(name: str, sql: str, config: Config, folder: Path) -> Timed:
    """Run a query from the files in ``folder`` to its end; the answer is in ``folder``/NAME."""
    query = prepare(schema(config), sql, Profile.CALCITE)
    out = folder / name
    made = pipeline(
        script(query, sql, config, folder, out),
        Profile.CALCITE,
        [DataFile("Side", str(folder / "side.csv"))] if "SIDE" in _read(query.query) else [],
    )
    settings = Settings(
        once=True,
        trigger=0.1,
        checkpoint=None,
        now=lambda: "2024-01-01 00:00:00",
        conf=(("spark.rowtime.maxFilesPerTrigger", "1"),),
    )
    begun = time.monotonic()
    done = engine_of("spark").run(made, settings, lambda _: None, lambda: False)
    seconds = time.monotonic() - begun
    return Timed(
        sum(each.rows for each in done.sources), sum(each.rows for each in done.sinks), seconds
    )


def _read(query: Plan | None) -> set[str]:
    return {scan.source.name[-1] for scan in scans(query)} if query is not None else set()


def answer(query: Prepared, folder: Path, name: str) -> list[Row]:
    """The rows that a run has written, in order, as they are inside."""
    assert query.query is not None, "a query was given"
    rows: list[Row] = []
    for part in sorted((folder / name).glob("part-*.parquet")):
        table = parquet.read_table(part)
        columns = [_inside(each) for each in table.columns]
        rows += zip(*columns, strict=True)
    return rows


def _inside(column: Any) -> list[Any]:
    """A column of Arrow as values inside: times are counts."""
    kind = str(column.type)
    if kind.startswith("timestamp"):
        return list(column.cast("timestamp[ms]").cast("int64").to_pylist())
    if kind == "date32[day]":
        return list(column.cast("int32").to_pylist())
    return list(column.to_pylist())


def agrees(ours: Sequence[Row], theirs: Sequence[Row], query: Plan) -> str:
    """``yes``, or what differs: the rows, or their order in time (ties are open, S-307)."""
    wrong: list[str] = []
    if Counter(map(identity_of, ours)) != Counter(map(identity_of, theirs)):
        wrong.append("rows")
    if column_monotonicity(query, OrderOf.ROWS)[0].progresses and [r[0] for r in ours] != [
        r[0] for r in theirs
    ]:
        wrong.append("order")
    return f"NOT {', '.join(wrong)}" if wrong else "yes"
