"""A program that answers the kit's requests, which it reads from standard input, by LaminarDB.

It runs in the environment of LaminarDB, and writes its answers to descriptor 3.
"""

import importlib
import re
import time
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, Final

from engines.harness.answering import hello, refused, serve, wire
from engines.harness.declarations import LackError, Relation, is_streaming, read_script
from engines.laminardb.script import plain, source, stateless, windows

HELLO: Final = Path(__file__).with_name("hello.json")
_EPOCH: Final = datetime(1970, 1, 1)
#: A watermark after all times of the calendar: 10000-01-01.
_END: Final = 253_402_300_800_000
#: A source whose only purpose is that each of its rows makes the engine run a cycle.
_TICK: Final = "cycle_tick"
_TYPES: Final = {
    "int16": "SMALLINT",
    "int32": "INTEGER",
    "int64": "BIGINT",
    "float": "REAL",
    "double": "DOUBLE",
    "string": "VARCHAR",
    "bool": "BOOLEAN",
    "date32[day]": "DATE",
}


@cache
def laminardb() -> Any:  # Any: the package has no types that this environment can read
    """The package laminardb, which only its own environment has."""
    return importlib.import_module("laminardb")


@cache
def arrow() -> Any:  # Any: as laminardb
    """The package pyarrow."""
    return importlib.import_module("pyarrow")


class Query:
    """One query: a stream that is fed step by step, or a query over inserted rows.

    ``_columns`` and ``_size`` are those of `Windows`; None: the query has no windows.  ``_rows``
    are emitted and not yet polled.  ``_due``: all inputs of a relational query have ended, and its
    rows have not been polled.
    """

    def __init__(self, ddl: str, sql: str) -> None:
        self.streaming = is_streaming(sql)
        relations, views = read_script(ddl, self.streaming)
        if views:
            raise LackError("no views in this harness")
        self._relations = {each.name.upper(): each for each in relations}
        self._times = [each.time for each in relations if each.time]
        self._connection = laminardb().open(":memory:")
        for each in relations:
            self._connection.execute(source(each))
        found = windows(plain(sql), self._times) if self.streaming else None
        self._columns = None if found is None else found.columns
        self._size = None if found is None else found.size
        self._text = stateless(plain(sql), self._times) if found is None else found.text
        self._schema = self._planned()
        self._rows: list[list[Any]] = []
        self._due = False
        if self.streaming:
            self._start(f"{self._text} EMIT ON WINDOW CLOSE" if found else self._text)

    def _planned(self) -> Any:
        """The schema of the answer.  Raises `LackError` if the query cannot be planned."""
        try:
            return self._connection.sql(self._text).arrow().schema
        except laminardb().LaminarError as error:
            raise LackError(_reason(error)) from None

    def _start(self, text: str) -> None:
        """Run the query as a stream, next to one that does nothing but count cycles."""
        self._connection.execute(f"CREATE SOURCE {_TICK} (n BIGINT)")
        try:
            self._connection.execute(f"CREATE STREAM answer AS {text}")
        except laminardb().LaminarError as error:
            raise LackError(_reason(error)) from None
        self._connection.execute(f"CREATE STREAM {_TICK}_count AS SELECT n FROM {_TICK}")
        self._connection.start()
        self._subscription = self._connection.subscribe_stream("answer")
        self._writers = {name: self._connection.writer(name.lower()) for name in self._relations}

    def columns(self) -> list[dict[str, Any]]:
        """The columns of the result, as the kit names their types."""
        if self._columns is None:
            types = [
                "TIMESTAMP(3)" if self._is_time(field) else _kit_type(str(field.type))
                for field in self._schema
            ]
        else:  # "c0", "c1", … are columns of the query, the others edges of its windows
            types = [
                _kit_type(str(self._schema.field(each).type)) if each[0] == "c" else "TIMESTAMP(3)"
                for each in self._columns
            ]
        return [
            {"name": f"C{place}", "type": kind, "nullable": True}
            for place, kind in enumerate(types)
        ]

    def load(self, name: str, rows: list[list[Any]]) -> None:
        """Take rows from before the query; a query that streams does not emit those of a stream."""
        if not (self.streaming and self._relations[name].stream):
            self.feed(name, rows)

    def feed(self, name: str, rows: list[list[Any]]) -> None:
        """Insert rows, each in a cycle of its own: in a batch, a later row makes others late."""
        relation = self._relations[name]
        schema = self._connection.schema(name.lower())
        for row in rows:
            cells = [_cell(relation, place, value) for place, value in enumerate(row)]
            table = arrow().Table.from_pylist(
                [dict(zip(schema.names, cells, strict=True))], schema=schema
            )
            if self.streaming:
                self._writers[name].insert(table)
                self._writers[name].flush()
                self._cycle()
            else:
                self._connection.insert(name.lower(), table)

    def bound(self, name: str, at: str, strict: bool) -> None:
        """Move the watermark of a source: LaminarDB's is the least time that is not late."""
        millis = _millis(at) + (1 if strict else 0)
        if self._relations[name].time:
            self._writers[name].watermark(millis)
            self._cycle()

    def end(self, name: str | None) -> None:
        """One input has ended, or all have."""
        if not self.streaming:
            self._due = name is None
            return
        for each, relation in self._relations.items():
            if relation.time and name in (None, each):
                self._writers[each].watermark(_END)
        self._cycle()

    def _cycle(self) -> None:
        """Wait until the engine has run two cycles, and take the rows that they emitted.

        A cycle begins a tenth of a second after a row or later.  The second one runs the streams
        that read what the first one emitted.
        """
        for _ in range(2):
            before = self._connection.metrics().total_cycles
            self._connection.insert(_TICK, {"n": 1})
            deadline = time.monotonic() + 6
            while self._connection.metrics().total_cycles == before:
                if time.monotonic() > deadline:
                    raise TimeoutError("no cycle for six seconds")
                time.sleep(0.005)
        while (batch := self._subscription.try_next()) is not None:
            table = batch.arrow()
            columns = [self._column(table, each) for each in self._columns or table.schema.names]
            self._rows += [list(row) for row in zip(*columns, strict=True)]

    def _column(self, table: Any, name: str) -> list[Any]:  # Any: a table of Arrow
        """A column on the wire.  Some answers lack the edges of their windows, but not `w0`."""
        if name in table.schema.names:
            time = name.startswith("window_") or self._is_time(table.schema.field(name))
            return [_wire(value, time) for value in table.column(name).to_pylist()]
        starts = table.column("w0").to_pylist()
        if name == "window_end":
            if self._size is None:
                raise KeyError(name)
            starts = [each + timedelta(milliseconds=self._size) for each in starts]
        return [_wire(value, False) for value in starts]

    def _is_time(self, field: Any) -> bool:  # Any: a field of Arrow
        """Whether a column is an event time as it is stored: ``*`` has these."""
        return str(field.type) == "int64" and field.name in [each.lower() for each in self._times]

    def poll(self) -> list[list[Any]]:
        """The rows since the last poll; those of a relational query after the end."""
        if self._due:
            self._due = False
            table = self._connection.sql(self._text).arrow()
            columns = [column.to_pylist() for column in table.columns]
            return [[_wire(v, False) for v in row] for row in zip(*columns, strict=True)]
        rows, self._rows = self._rows, []
        return rows

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def _reason(error: Exception) -> str:
    """The words of an error that are the same for all queries that lack the same thing."""
    text = str(error).splitlines()[0]
    text = re.sub(r"^.*?\(\d+\): (\[LDB-\d+\] )?", "", text)
    return re.sub(r"'[^']*'|\"[^\"]*\"|\b\d+\b", "…", text)[:100]


def _kit_type(kind: str) -> str:
    if kind.startswith("timestamp"):
        return "TIMESTAMP(3)"
    decimal = re.fullmatch(r"decimal128\((\d+), (\d+)\)", kind)
    return f"DECIMAL({decimal[1]}, {decimal[2]})" if decimal else _TYPES.get(kind, "ANY")


def _millis(text: str) -> int:
    return (datetime.fromisoformat(text) - _EPOCH) // timedelta(milliseconds=1)


def _cell(relation: Relation, place: int, value: Any) -> Any:
    """A value of the wire as Arrow takes it."""
    if value is None:
        return None
    kind = relation.types[place]
    if relation.columns[place] == relation.time:
        return _millis(value)
    if kind == "TIMESTAMP":
        return datetime.fromisoformat(value)
    if kind == "DATE":
        return date.fromisoformat(value)
    if kind.startswith("DECIMAL"):
        return Decimal(value)
    return float(value) if kind in ("REAL", "DOUBLE") else value


def _wire(value: Any, edge: bool) -> Any:
    """A value of Arrow on the wire; ``edge``: it is a time as milliseconds since 1970."""
    if value is None or isinstance(value, bool):
        return value
    if edge:
        value = _EPOCH + timedelta(milliseconds=value)
    if isinstance(value, datetime):
        return value.isoformat(" ", "milliseconds" if value.microsecond else "seconds")
    return wire(value)


class Conversation:
    """The answers to the requests of the kit; ``asked`` is the query that is open."""

    def __init__(self) -> None:
        self.asked: Query | None = None

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a request; raises LackError, and the exceptions of the engine."""
        asked = self.asked
        answer: dict[str, Any] = {"answer": "done"}
        match request["request"]:
            case "start":
                version = laminardb().__version__
                answer = hello(version, HELLO)
            case "open":
                asked = self.asked = Query(request["ddl"], request["sql"])
                answer = {
                    "answer": "accepted",
                    "streaming": asked.streaming,
                    "columns": asked.columns(),
                }
            case "load" if asked:
                asked.load(request["object"], request["rows"])
            case "rows" if asked:
                asked.feed(request["input"], request["rows"])
            case "bound" if asked:
                asked.bound(request["input"], request["at"], request["strict"])
            case "end" if asked:
                asked.end(request["input"])
            case "poll" if asked:
                answer = {"answer": "output"}
                try:
                    answer["rows"] = asked.poll()
                except laminardb().LaminarError as error:
                    answer["error"] = refused(error, "LAMINARDB")
            case "explain":
                answer = {"answer": "text", "text": ""}
            case "close" | "stop":
                if asked:
                    asked.close()
                self.asked = None
            case _:
                pass  # the other events are gaps
        return answer


if __name__ == "__main__":
    serve(Conversation().answer)
