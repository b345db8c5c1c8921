"""A program that answers the kit's requests, which it reads from standard input, by clink.

It runs in the environment of clink, and writes its answers to descriptor 3.
"""

import importlib
import json
import re
import shutil
import tempfile
from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, Final

from engines.clink.script import edges, query, statement
from engines.harness.answering import hello, refused, serve, wire
from engines.harness.declarations import LackError, Relation, is_streaming, read_script

HELLO: Final = Path(__file__).with_name("hello.json")
_EPOCH: Final = datetime(1970, 1, 1)
_EXPECTS: Final = re.compile(r"column (\d+) \(\w+\) expects .*?, SELECT projects (.*)")
_COUNT: Final = re.compile(r"(\d+) columns?, (?:but )?(?:the )?SELECT projects (\d+)")
#: A type that no query projects, in the place of one that is not known yet.
_UNKNOWN: Final = "MULTISET<BOOLEAN>"


@cache
def clink() -> Any:  # Any: the package has no types
    """The package pyclink, which only the environment of clink has."""
    return importlib.import_module("pyclink")


class Query:
    """One query, which is run when its inputs have ended: clink reads files to their end."""

    def __init__(self, ddl: str, sql: str | None) -> None:
        self.streaming = sql is not None and is_streaming(sql)
        relations, views = read_script(ddl, self.streaming)
        self._views = [query(each) for each in views]
        self._relations = {each.name.upper(): each for each in relations}
        self._sql = None if sql is None else query(sql)
        self._folder = Path(tempfile.mkdtemp())
        for each in self._relations:
            self._path(each).touch()
        self.types = self._projected() if self._sql is not None else []
        # The places of the columns that are an edge (the start or end) of a window.  clink returns
        # an edge as a number of milliseconds, so only the query's text shows that it is a time.
        self._edges = edges(self._sql or "")
        self._due = False

    def _path(self, name: str) -> Path:
        return self._folder / name

    def _script(self, types: list[str]) -> str:
        columns = ", ".join(f"c{place} {kind}" for place, kind in enumerate(types))
        tables = [statement(each, str(self._path(name))) for name, each in self._relations.items()]
        sink = f"CREATE TABLE found_rows ({columns}) WITH (connector='collect', format='json')"
        return ";\n".join([*tables, *self._views, sink, f"INSERT INTO found_rows {self._sql}"])

    def _projected(self) -> list[str]:
        """The types of the query's columns: clink names one of them as it rejects another type."""
        types = [_UNKNOWN]
        while True:
            try:
                with clink().Engine() as engine:
                    engine.execute(self._script(types))
                    return types
            except clink().ClinkError as error:
                count = _COUNT.search(str(error))
                wrong = _EXPECTS.search(str(error))
                if count and len(types) != int(count[2]):
                    types = [_UNKNOWN] * int(count[2])
                elif wrong and types[int(wrong[1])] == _UNKNOWN:
                    types[int(wrong[1])] = wrong[2].strip()
                else:
                    raise LackError(_reason(error)) from None

    def columns(self) -> list[dict[str, Any]]:
        """The columns of the result, as the kit names their types; a window's edge is a time."""
        return [
            {
                "name": f"C{place}",
                "type": "TIMESTAMP(3)" if place in self._edges else _kit_type(kind),
            }
            | {"nullable": True}
            for place, kind in enumerate(self.types)
        ]

    def load(self, name: str, rows: list[list[Any]]) -> None:
        """Take rows from before the query; a query that streams does not emit those of a stream."""
        if not (self.streaming and self._relations[name].stream):
            self.feed(name, rows)

    def feed(self, name: str, rows: list[list[Any]]) -> None:
        """Append rows to the file of an input."""
        relation = self._relations[name]
        with self._path(name).open("a", encoding="utf-8") as file:
            file.writelines(f"{_line(relation, row)}\n" for row in rows)

    def end(self) -> None:
        """All inputs have ended."""
        self._due = self._sql is not None

    def poll(self) -> list[list[Any]]:
        """All rows at the first poll after the end, and none before.  Raises ``ClinkError``."""
        if not self._due:
            return []
        self._due = False
        with clink().Engine() as engine:
            engine.execute(self._script(self.types))
            found = engine.collect("found_rows").read_all()
            engine.await_all()
        columns = [column.to_pylist() for column in found.columns]
        # The kind EDGE stands for the type of an edge of a window.
        kinds = ["EDGE" if place in self._edges else kind for place, kind in enumerate(self.types)]
        return [
            [_wire(value, kind) for value, kind in zip(row, kinds, strict=True)]
            for row in zip(*columns, strict=True)
        ]

    def close(self) -> None:
        """Remove the files."""
        shutil.rmtree(self._folder)


def _reason(error: Exception) -> str:
    """The words of an error that are the same for all queries that lack the same thing."""
    text = str(error).splitlines()[0]
    near = re.search(r'syntax error at or near "(.*)"', text)
    if near:
        return f"does not parse {near[1].upper()}"
    text = re.sub(r"^\w+ error at position \d+: ", "", text)
    return re.sub(r"'[^']*'|\"[^\"]*\"|\b\d+\b", "…", text)[:100]


def _kit_type(kind: str) -> str:
    if kind.startswith("TIMESTAMP"):
        return "TIMESTAMP(3)"
    if kind.startswith(("DECIMAL", "NUMERIC")):
        return kind.replace("NUMERIC", "DECIMAL")
    known = {"BOOLEAN", "SMALLINT", "INTEGER", "BIGINT", "REAL", "DATE", "TIME", "VARCHAR"}
    return (
        kind
        if kind in known
        else {"DOUBLE PRECISION": "DOUBLE", "DOUBLE": "DOUBLE"}.get(kind, "ANY")
    )


def _line(relation: Relation, row: list[Any]) -> str:
    """A row as JSON: a timestamp is in milliseconds, and a DECIMAL has all its digits."""
    if len(row) != len(relation.columns):
        raise ValueError(f"{relation.name} has {len(relation.columns)} columns")
    cells: list[str] = []
    for name, kind, value in zip(relation.columns, relation.types, row, strict=True):
        if value is None:
            text = "null"
        elif kind == "TIMESTAMP":
            text = str((datetime.fromisoformat(value) - _EPOCH) // timedelta(milliseconds=1))
        elif kind.startswith("DECIMAL"):
            text = str(Decimal(value))
        else:
            text = json.dumps(value, ensure_ascii=False)
        cells.append(f'"{name.lower()}": {text}')
    return "{" + ", ".join(cells) + "}"


def _wire(value: Any, kind: str) -> Any:
    """A value as the kit reads it; ``kind`` is the type that clink gives its column, or EDGE."""
    if value is None or isinstance(value, bool):
        return value
    if kind == "EDGE" or kind.startswith("TIMESTAMP"):
        text = str(value)
        if re.fullmatch(r"-?\d+", text):
            time = _EPOCH + timedelta(milliseconds=int(text))
            return time.isoformat(" ", "milliseconds" if time.microsecond else "seconds")
        return text
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
                with clink().Engine() as engine:
                    version = engine.version
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
            case "end" if asked and request["input"] is None:
                asked.end()
            case "poll" if asked:
                answer = {"answer": "output"}
                try:
                    answer["rows"] = asked.poll()
                except clink().ClinkError as error:
                    answer["error"] = refused(error, "CLINK")
            case "explain":
                answer = {"answer": "text", "text": ""}
            case "close" | "stop":
                if asked:
                    asked.close()
                self.asked = None
            case _:
                pass  # the end of one input; the other events are gaps
        return answer


if __name__ == "__main__":
    serve(Conversation().answer)
