"""The transcripts in docs/engines/: what is asked after a prompt, and what is answered."""

import re
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

import duckdb

from reference.backend import ReferenceBackend
from tck.protocol import Accepted, End, Open

_PROMPT: Final = re.compile(r"^(rowtime|duckdb|sqlite|spark)> (.*)$")


@dataclass(frozen=True, slots=True)
class Exchange:
    """A line after a prompt, and the line below it."""

    engine: str
    asked: str
    answered: str


def exchanges(page: Path) -> Iterator[Exchange]:
    """All of a page, in order; what is asked is a query, or an expression."""
    lines = page.read_text(encoding="utf-8").splitlines()
    for line, below in pairwise(lines):
        match = _PROMPT.match(line)
        if match is not None:
            yield Exchange(match[1], match[2], below)


def answer(engine: str, asked: str) -> str:
    """The answer in one line: the value of an expression, the rows of a query, or the error."""
    query = asked.startswith(("SELECT", "VALUES"))
    sql = asked if query else f"SELECT {asked} AS x"
    if engine == "rowtime" and not query:
        sql += " FROM (VALUES (1)) AS t (a)"
    try:
        rows = _ASKED[engine](sql)
    except (duckdb.Error, sqlite3.Error, RefusedError) as error:
        return f"error: {str(error).splitlines()[0]}"
    return "; ".join(", ".join(map(_shown, row)) for row in rows) if rows else "(no rows)"


class RefusedError(Exception):
    """The reference refuses a query, or fails; the text is the code."""


def _shown(value: object) -> str:
    """A value: NULL by its name, a text in quotes."""
    match value:
        case None:
            return "NULL"
        case str():
            return f"'{value}'"
        case bool():
            return str(value).upper()
        case _:
            return str(value)


def _rowtime(sql: str) -> list[tuple[object, ...]]:
    backend = ReferenceBackend()
    reply = backend.open(Open("", sql))
    if not isinstance(reply, Accepted):
        raise RefusedError(reply.code)
    backend.feed(End())
    output = backend.poll()
    if output.error is not None:
        raise RefusedError(output.error.code)
    return list(output.rows)


def _duckdb(sql: str) -> list[tuple[object, ...]]:
    return duckdb.connect().execute(sql).fetchall()


def _sqlite(sql: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(":memory:")
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def _spark(sql: str) -> list[tuple[object, ...]]:
    # Tests of the other engines need no PySpark.
    from engines.sparknative.session import spark_session

    return [tuple(row) for row in spark_session().sql(sql).collect()]


_ASKED: Final[dict[str, Callable[[str], list[tuple[object, ...]]]]] = {
    "rowtime": _rowtime,
    "duckdb": _duckdb,
    "sqlite": _sqlite,
    "spark": _spark,
}
