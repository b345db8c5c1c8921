"""Nexmark: how fast each query is, and whether its evaluations agree.

On the reference a query streams through the incremental operators, in trains of rows as they
arrive; the same plan is evaluated over the whole tables; and DuckDB answers a query of its own,
written by hand.  On Spark (`benchmarks.nexmark.spark`) it is a pipeline, and its rows are those of
the reference, up to as many events as that can take.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Any, Final

from rich.console import Console
from rich.table import Table as Printed

from algebra.catalog import Profile, Table
from algebra.monotonicity.columns import OrderOf, column_monotonicity
from algebra.parts.mentions import scans
from algebra.plan import Delta, Plan, row_type
from algebra.prepare import Prepared, prepare
from benchmarks.agreement import Row, connected, same
from benchmarks.nexmark.generate import Config, events, schema, streams
from reference.engine.session import Session
from reference.evaluate import Contents, World, evaluate
from reference.fast.forms import FAST
from reference.relation import identity_of
from reference.values import integer

FOLDER: Final = Path(__file__).parent
#: The queries in the order of their numbers.
NAMES: Final = sorted(
    (each.stem for each in (FOLDER / "queries").glob("*.sql")), key=lambda name: int(name[1:])
)
#: Up to how many rows arrive together.
TRAIN: Final = 1_000
#: The side input of q13.
SIDE: Final[list[Row]] = [(key, f"name {key}") for key in range(10_000)]


@dataclass(frozen=True, slots=True)
class Data:
    """The events in the order of arrival, and by stream."""

    ddl: str
    arrivals: tuple[tuple[str, Row], ...]
    rows: dict[str, list[Row]]

    @property
    def trains(self) -> Iterator[tuple[str, list[Row]]]:
        """Rows of one stream that arrive one after the other, long ones in parts of `TRAIN`.

        The events are cut into runs of `TRAIN`; the rows of each run come stream by stream.
        """
        for start in range(0, len(self.arrivals), TRAIN):
            stretch = sorted(self.arrivals[start : start + TRAIN], key=itemgetter(0))
            for name, each in groupby(stretch, key=itemgetter(0)):
                yield name, [row for _, row in each]


@dataclass(frozen=True, slots=True)
class Answer:
    """The output of a query as a stream, the rows that it read, and its seconds of CPU."""

    rows: tuple[Row, ...]
    read: int
    seconds: float


def data(config: Config) -> Data:
    """The events of a configuration."""
    arrivals = tuple(events(config))
    rows: dict[str, list[Row]] = {"PERSON": [], "AUCTION": [], "BID": []}
    for name, row in arrivals:
        rows[name].append(row)
    return Data(schema(config), arrivals, rows)


def prepared(name: str, given: Data) -> Prepared:
    """A query, bound."""
    sql = (FOLDER / "queries" / f"{name}.sql").read_text("utf-8")
    return prepare(given.ddl, sql, Profile.CALCITE)


def streamed(query: Prepared, given: Data) -> Answer:
    """The rows of a query as they come, of which none is late."""
    session = Session(query, forms=FAST)
    assert session.flow is not None, "the query streams"
    assert query.query is not None, "the script has a query"
    session.enter(("SIDE",), SIDE, passing=False)
    read = {scan.source.name[-1] for scan in scans(query.query)}
    trains = [train for train in given.trains if train[0] in read]
    rows: list[Row] = []
    start = time.process_time()
    for name, each in trains:
        dropped = session.enter((name,), each, passing=True)
        assert not dropped, dropped
        rows += session.flow.drained()
    session.end(None)
    rows += session.flow.drained()
    seconds = time.process_time() - start
    return Answer(tuple(rows), sum(len(each) for _, each in trains), seconds)


def whole(query: Prepared, given: Data) -> Sequence[Row]:
    """The rows of a query over tables that hold all events (S-303)."""
    assert isinstance(query.query, Delta), "the query streams"
    contents: Contents = {(name,): rows for name, rows in given.rows.items()}
    return evaluate(query.query, World({("SIDE",): SIDE}, contents, contents), FAST)


def duck(given: Data) -> Any:
    """DuckDB with all events and the side input."""
    catalog = prepare(given.ddl, None, Profile.CALCITE).catalog
    tables = {name: (stream.columns, given.rows[name]) for name, stream in streams(catalog).items()}
    side = catalog.objects[("SIDE",)]
    assert isinstance(side, Table), "the script declares it"
    return connected({**tables, "SIDE": (side.columns, SIDE)})


def in_order(query: Plan, rows: Sequence[Row]) -> bool:
    """Whether the rows were emitted in the order of the rowtime, the first column, if any (S-303).

    What only passes a quasi-monotonic stream on stays in its disorder (S-501).
    """
    times = [integer(row[0]) for row in rows]
    ordered = column_monotonicity(query, OrderOf.ROWS)[0].progresses
    return not ordered or times == sorted(times)


def verdict(name: str, query: Prepared, answer: Answer, given: Data, engine: Any) -> str:
    """``yes``, or who disagrees."""
    assert query.query is not None, "a query was given"
    wrong: list[str] = []
    if not in_order(query.query, answer.rows):
        wrong.append("order")
    if Counter(map(identity_of, answer.rows)) != Counter(map(identity_of, whole(query, given))):
        wrong.append("relational")
    theirs = engine.execute((FOLDER / "duckdb" / f"{name}.sql").read_text("utf-8")).fetchall()
    if not same(row_type(query.query), answer.rows, theirs):
        wrong.append("DuckDB")
    return f"NOT {', '.join(wrong)}" if wrong else "yes"


def main() -> None:
    """Print a table; exit status 1 if two ways of a query disagree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--rate", type=int, default=100, help="events a second")
    parser.add_argument("--disorder", type=int, default=0, help="milliseconds")
    parser.add_argument("--backend", choices=["reference", "spark"], default="reference")
    parser.add_argument(
        "--directory", type=Path, help="Spark's files; they stay, and are found again"
    )
    parser.add_argument("queries", nargs="*", default=NAMES)
    options = parser.parse_args()
    config = Config(options.events, rate=options.rate, disorder=options.disorder)
    if options.backend == "spark":
        with TemporaryDirectory(prefix="nexmark-") as temporary:
            folder = options.directory or Path(temporary)
            sys.exit(not on_spark(config, options.queries, folder))
    sys.exit(not on_reference(config, options.queries))


def on_spark(config: Config, queries: Sequence[str], folder: Path) -> bool:
    """Print a line for each query as a pipeline on Spark; whether all agree with the reference."""
    from benchmarks.nexmark import spark  # here: without Spark the rest runs, too

    if not (folder / "side.csv").exists():
        spark.write(config, folder)
    given = data(config) if config.events <= spark.CHECKED else None
    table = Printed("query", title=f"Nexmark, {config.events:,} events, Spark")
    for head in ("rows in", "rows out", "seconds", "rows/s"):
        table.add_column(head, justify="right")
    table.add_column("the reference agrees")
    failed = False
    for name in queries:
        sql = (FOLDER / "queries" / f"{name}.sql").read_text("utf-8")
        done = spark.run(name, sql, config, folder)
        agreed = "not asked"
        if given is not None:
            query = prepared(name, given)
            assert query.query is not None, "a query was given"
            ours, theirs = spark.answer(query, folder, name), streamed(query, given).rows
            agreed = spark.agrees(ours, theirs, query.query)
        rmtree(folder / name)
        failed = failed or agreed.startswith("NOT")
        speed = f"{done.read / done.seconds:,.0f}"
        row = (f"{done.read:,}", f"{done.written:,}", f"{done.seconds:.1f}", speed, agreed)
        table.add_row(name, *row)
        print(name, *row, flush=True)
    Console(width=100).print(table)
    return not failed


def on_reference(config: Config, queries: Sequence[str]) -> bool:
    """Print a line for each query on the reference; whether all its ways agree."""
    given = data(config)
    engine = duck(given)
    table = Printed("query", title=f"Nexmark, {config.events:,} events, reference")
    for head in ("rows in", "rows out", "rows/s of CPU"):
        table.add_column(head, justify="right")
    table.add_column("relational and DuckDB agree")
    failed = False
    for name in queries:
        query = prepared(name, given)
        answer = streamed(query, given)
        agreed = verdict(name, query, answer, given, engine)
        failed = failed or agreed != "yes"
        speed = answer.read / answer.seconds if answer.seconds else 0.0
        table.add_row(name, f"{answer.read:,}", f"{len(answer.rows):,}", f"{speed:,.0f}", agreed)
    Console(width=100).print(table)
    return not failed


if __name__ == "__main__":
    main()
