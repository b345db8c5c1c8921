"""SQLite as a backend: relational queries over the tables and histories that are loaded."""

import re
import sqlite3

from rowtime.protocol import (
    Accepted,
    ColumnInfo,
    End,
    Event,
    Hello,
    Load,
    Open,
    Output,
    Refused,
    Rows,
    Unsupported,
    Wire,
    WireRow,
)

GAPS = {
    "streaming": "SQLite has no streaming queries",
    "bounds": "a table has no bounds",
    "late": "rows are never late for a table",
    "disorder": "a table has no order",
    "refusals": "refuses with codes of its own, and does not say where",
    "failures": "division by zero is NULL, other failures have codes of their own",
    "scripts": "refuses with codes of its own, and does not say where",
    "schema": "types belong to values, not to columns",
    "plan": "plans are SQLite's own",
    "monotonicity": "nothing is deduced",
    "metadata": "nothing is deduced",
    "tumble": "no group windows",
    "hop": "no group windows",
    "cumulate": "no group windows",
    "step": "no STEP",
    "grouping-sets": "GROUP BY has one set",
    "versioned-tables": "tables have no periods",
    "intervals": "no type INTERVAL",
    "datetime-literals": "times are text",
    "floor-to-unit": "FLOOR is of numbers",
    "extract": "no EXTRACT",
    "column-lists": "a derived table has no list of column names",
}


class SqliteBackend:
    """A database in memory for each query; the answer is given when the inputs have ended."""

    def __init__(self) -> None:
        self._database = sqlite3.connect(":memory:")
        self._sql: str | None = None
        self._types: tuple[str, ...] = ()
        self._due = False  # the inputs have ended, and the answer has not been polled yet

    def start(self) -> Hello:
        return Hello("SQLite", sqlite3.sqlite_version, "C", "final", ("calcite",), GAPS)

    def open(self, request: Open) -> Accepted | Refused:
        self.close()
        self._database = sqlite3.connect(":memory:", isolation_level=None)
        try:
            self._database.executescript(_as_tables(request.ddl))
            if request.sql is None:
                return Accepted(streaming=False, columns=())
            # A view shows the columns of the query, and does not run it.
            self._database.execute(f"CREATE TEMP VIEW answer AS {request.sql}")
            found = self._database.execute("PRAGMA table_xinfo(answer)").fetchall()
        except sqlite3.Error as error:
            return _refused(error)
        self._sql = request.sql
        columns = tuple(
            ColumnInfo(name.upper(), type or "ANY", True) for _, name, type, *_ in found
        )
        self._types = tuple(column.type for column in columns)
        return Accepted(streaming=False, columns=columns)

    def feed(self, event: Event) -> Unsupported | None:
        match event:
            case Load(name, rows) | Rows(name, rows, None):
                places = ", ".join("?" * len(rows[0])) if rows else ""
                self._database.executemany(f"INSERT INTO {name} VALUES ({places})", rows)
            case End(None):
                self._due = True
            case End():
                pass  # the end of one input changes nothing here
            case _:
                return Unsupported(f"no event {type(event).__name__}")
        return None

    def poll(self) -> Output:
        """The answer at the first poll after the end of all inputs; nothing at other polls."""
        if not self._due or self._sql is None:
            return Output()
        self._due = False
        try:
            found = self._database.execute(self._sql).fetchall()
        except sqlite3.Error as error:
            return Output(error=_refused(error))
        return Output(tuple(self._row(row) for row in found), bound="end")

    def explain(self, row: int | None = None) -> str:
        return ""

    def close(self) -> None:
        self._database.close()
        self._sql, self._types, self._due = None, (), False

    def stop(self) -> None:
        self.close()

    def _row(self, row: tuple[object, ...]) -> WireRow:
        """A row of the answer in the values of the protocol."""
        return tuple(_wire(value, type) for value, type in zip(row, self._types, strict=True))


def _as_tables(ddl: str) -> str:
    """The script in SQLite's dialect.

    A table takes the place of each stream, and holds its history.  The orders of columns, and WITH
    HISTORY, are removed.
    """
    ddl = re.sub(r"\bCREATE\s+STREAM\b", "CREATE TABLE", ddl, flags=re.IGNORECASE)
    orders = r"\b(ASCENDING|DESCENDING)(\s+STRICT)?|\bWITH\s+HISTORY"
    return re.sub(orders, "", ddl, flags=re.IGNORECASE)


def _wire(value: object, type: str) -> Wire:
    """A value of SQLite as a wire value, by the type of its column if that is declared."""
    match value:
        case int() if type == "BOOLEAN":
            return bool(value)
        case float() if type.startswith("DECIMAL"):
            return repr(value)
        case bytes():
            return value.hex()
        case int() | float() | str() | None:
            return value
        case _:
            raise TypeError(f"SQLite has no {value!r}")


def _refused(error: sqlite3.Error) -> Refused:
    """The answer to a query that SQLite rejects, or that fails; its code is SQLite's own."""
    return Refused(code=error.sqlite_errorname, message=str(error))
