r"""An engine for the program ``sqllogictest``: SQLite or DuckDB, asked by JSON on standard input.

.. code-block:: sh

    sqllogictest --engine external --external-engine-command-template \
      "python -m engines.harness.sqllogictest duckdb" 'build/slt/**/*.slt'

The program starts it once for each file, so that each file has an empty database.  A request is
``{"sql": "…"}``; the answer is ``{"result": [["1", "a"]]}``, or ``{"err": "…"}``.
docs/sqllogictest.md defines the texts of values.
"""

import json
import sqlite3
import sys
from collections.abc import Callable, Iterable
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Final, TextIO

#: Digits of a number that is not exact.
_DIGITS: Final = 9

#: A function that carries out a statement, and returns its rows.
Execute = Callable[[str], Iterable[tuple[Any, ...]]]


def sqlite() -> Execute:
    """An empty database of SQLite."""
    return sqlite3.connect(":memory:", isolation_level=None).execute


def duckdb() -> Execute:
    """An empty database of DuckDB, in one thread."""
    import duckdb as library  # only this engine needs it

    connection = library.connect(config={"threads": 1})
    return lambda sql: connection.execute(sql).fetchall()


ENGINES: Final = {"sqlite": sqlite, "duckdb": duckdb}


def text(value: object) -> str:
    """A value as a line of a result has it.

    >>> [text(each) for each in (None, True, 1.50, Decimal("2.500"), "")]
    ['NULL', '1', '1.5', '2.5', '(empty)']
    >>> text(datetime(2015, 2, 15, 10, 17, 0, 500000)), text(time(10, 17))
    ('2015-02-15 10:17:00.500', '10:17:00')
    """
    match value:
        case None:
            return "NULL"
        case bool():
            return str(int(value))
        case float():
            return f"{value:.{_DIGITS}g}"
        case Decimal():
            digits = f"{value:f}"
            digits = digits.rstrip("0").rstrip(".") if "." in digits else digits
            return "0" if digits == "-0" else digits
        case datetime():
            return f"{value.date().isoformat()} {_time(value.time())}"
        case date():
            return value.isoformat()
        case time():
            return _time(value)
        case bytes() | bytearray():
            return value.hex()
        case _:
            return str(value) or "(empty)"


def _time(value: time) -> str:
    milliseconds = value.microsecond // 1000
    return f"{value:%H:%M:%S}" + (f".{milliseconds:03}" if milliseconds else "")


def serve(execute: Execute, requests: TextIO, answers: TextIO) -> None:
    """Answer requests, which follow one another without anything between them, up to the end."""
    decoder, pending = json.JSONDecoder(), ""
    while character := requests.read(1):
        pending += character
        if character != "}":
            continue
        try:
            request, _ = decoder.raw_decode(pending)
        except ValueError:  # a brace inside the statement
            continue
        pending = ""
        print(json.dumps(_answer(execute, request["sql"])), file=answers, flush=True)


def _answer(execute: Execute, sql: str) -> dict[str, object]:
    try:
        return {"result": [[text(value) for value in row] for row in execute(sql)]}
    except Exception as error:  # any exception of the engine is an answer
        return {"err": " ".join(str(error).split())}


if __name__ == "__main__":
    serve(ENGINES[sys.argv[1]](), sys.stdin, sys.stdout)
