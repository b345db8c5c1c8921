"""Plays: a query with the events that it is run on, one by one; reads them from a script file.

A script file is a YAML file of events (docs/traces.md).  A `Script` is a text of DDL.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from algebra.catalog import Catalog, Profile
from algebra.prepare import prepare
from algebra.records.pipeline import RunError
from grammar.source import SqlError
from rowtime.declared_columns import declared_columns
from rowtime.script import Script
from tck.corpus.case import Columns, Step
from tck.corpus.document import (
    Document,
    InvalidFilesError,
    Problem,
    YamlNode,
    read_document,
    schema_problems,
)
from tck.corpus.fixture import FixtureLibrary, kit_fixtures
from tck.corpus.rows import catalog_name, wire_rows
from tck.corpus.steps.step_file import OwnTexts, StepReader
from tck.protocol import (
    Bound,
    CloseProducer,
    Elapse,
    End,
    Event,
    Load,
    Now,
    OpenProducer,
    Rows,
)


@dataclass(frozen=True, slots=True)
class Play:
    """A query, the DDL of its inputs, and the events of its run in order, one for each row.

    ``script`` is the DDL.  ``lines`` has the line of each event in its file, from 1; 0: the event
    is not in a file.  ``steps`` are the numbers of the steps that the events belong to; empty: each
    event is a step.
    """

    title: str
    script: Script
    sql: str
    profile: Profile
    events: tuple[Event, ...]
    lines: tuple[int, ...]
    steps: tuple[int, ...] = ()


class PlayedEvent(NamedTuple):
    """An event, its line in its file (0: none), and the number of its step, from 1.

    The step of the contents of a table is 0.
    """

    event: Event
    line: int
    step: int


def play_of_events(
    title: str,
    script: Script,
    sql: str,
    profile: Profile,
    played: Sequence[PlayedEvent],
) -> Play:
    """A play of the events ``played``; the other parameters are the fields of `Play`."""
    events = tuple(each.event for each in played)
    lines = tuple(each.line for each in played)
    return Play(title, script, sql, profile, events, lines, tuple(each.step for each in played))


def play_of_file(
    path: Path, sql: str | None, profile: Profile | None, *, before: Script | None, example: Script
) -> Play:
    """The play of the script file at ``path``.

    ``sql`` is the query; None: the file has it.  ``profile`` overrides that of the file, unless it
    is None.  The DDL is that of the file's fixtures, then ``before``, then the file's own; if there
    is none of these, it is ``example``.  Raises `InvalidFilesError` if the file is not valid, and
    `RunError` if the DDL is refused, or if there is not exactly one query.
    """
    document = read_document(path)
    return play_of_document(document, path, sql, profile, before=before, example=example)


def play_of_document(
    document: Document,
    path: Path,
    sql: str | None,
    profile: Profile | None,
    *,
    before: Script | None,
    example: Script,
) -> Play:
    """The play of a script file whose contents are ``document``, for `play_of_file`."""
    if problems := schema_problems(document, "case.schema.json", "script"):
        raise InvalidFilesError(problems)
    return _ScriptReader(document, path, sql, profile, before, example).play()


@dataclass(frozen=True, slots=True)
class _ScriptReader:
    """Reads a script file that is valid by the JSON schema.

    The fields have the meaning of the parameters of `play_of_file`.
    """

    document: Document
    path: Path
    sql: str | None
    profile: Profile | None
    before: Script | None
    example: Script

    def play(self) -> Play:
        """The play of the whole file."""
        top = YamlNode(self.document, (), self.document.data)
        folder = self.path.parent
        library = FixtureLibrary((folder, folder / "fixtures", kit_fixtures()))
        fixtures = [library.fixture(name, top.place) for name in top.texts("given")]
        own = next(iter(top.texts("ddl")), None)
        files = [(f"the fixture {each.name}", each.ddl) for each in fixtures]
        files += self.before.files if self.before else ()
        files += [] if own is None else [(str(self.path), own)]
        script = Script(tuple(files)) if files else self.example
        profile = self.profile or Profile(next(iter(top.texts("profile")), "calcite"))
        columns = _columns(script, profile)
        dates = [*top.texts("date"), *(each.date for each in fixtures if each.date)]
        date = dates[0] if dates else None
        problems = list(_undeclared(top, columns))
        if problems:
            raise InvalidFilesError(problems)
        streams = tuple(rows for fixture in fixtures for rows in fixture.streams)
        loads = {load.object: load for fixture in fixtures for load in fixture.tables}
        tables = top.get("tables")
        for name, rows in tables.items if tables else ():
            wire = wire_rows(name, rows, columns, date, problems)
            loads[catalog_name(name)] = Load(catalog_name(name), wire)
        sql = self._query(top)
        texts = OwnTexts(sql, own, before=0)  # not used: they place expected errors in the texts
        reader = StepReader(columns, date, streams, texts, problems)
        # A play has only events: the expectations of a step are ignored, and may be wrong.
        steps = [replace(step, error=None) for step in reader.steps(top.get("steps"))]
        if problems:
            raise InvalidFilesError(problems)
        played = [PlayedEvent(load, self._line_of_table(top, load), 0) for load in loads.values()]
        written = top.get("steps")
        nodes = zip(written.elements if written else (), steps, strict=True)
        for number, (node, step) in enumerate(nodes, 1):
            lines = zip(one_by_one(step.events), _lines(node, step), strict=True)
            played += [PlayedEvent(event, line, number) for event, line in lines]
        return play_of_events(self.path.name, script, sql, profile, played)

    def _line_of_table(self, top: YamlNode, load: Load) -> int:
        """The line of a table's contents in the file; 0: they are those of a fixture."""
        tables = top.get("tables")
        lines = [
            rows.place.line
            for name, rows in (tables.items if tables else ())
            if catalog_name(name) == load.object
        ]
        return lines[0] if lines else 0

    def _query(self, top: YamlNode) -> str:
        """The query, of the file or as given; raises `RunError` unless there is exactly one."""
        inside = next(iter(top.texts("sql")), None)
        if (self.sql is None) == (inside is None):
            verb, count = ("is", "no query") if inside is None else ("are", "two queries")
            hint = "give one as an argument, with -f, or as `sql` in the script: one of them"
            raise RunError(f"{self.path}: there {verb} {count}; {hint}")
        return self.sql or inside or ""


def _columns(script: Script, profile: Profile) -> Columns:
    """The columns of every table and stream that the DDL declares, by name."""
    try:
        catalog: Catalog = prepare(script.text, None, profile).catalog
    except SqlError as error:
        raise RunError(script.error_text(error)) from None
    return declared_columns(catalog)


def _undeclared(top: YamlNode, columns: Columns) -> Iterator[Problem]:
    """A problem for each object that has rows, bounds or an end, but that no DDL declares."""
    steps = top.get("steps")
    assert steps is not None, "the schema asks for them"
    parts = [top.get("tables")]
    for step in steps.elements:
        parts += [step.get("feed"), step.get("bound")]
        end = step.get("end")
        # `end: true` ends all inputs, and names none.
        for name in step.texts("end") if end and end.data is not True else ():
            if catalog_name(name) not in columns:
                yield _not_declared(end or step, name, columns)
    for part in parts:
        for name, inside in part.items if part and isinstance(part.data, dict) else ():
            if catalog_name(name) not in columns:
                yield _not_declared(inside, name, columns)


def _not_declared(part: YamlNode, name: str, columns: Columns) -> Problem:
    """The problem that the object ``name`` is not declared; ``part`` has its place."""
    known = ", ".join(sorted(columns)) or "nothing"
    return part.problem(f"{name} is not declared", f"the DDL declares: {known}")


def one_by_one(events: Sequence[Event]) -> Iterator[Event]:
    """The ``events``, with one event for each row.

    Results do not change, because the division of rows into batches has no effect (S-104).
    """
    for event in events:
        if isinstance(event, Rows):
            for i, row in enumerate(event.rows):
                yield replace(event, rows=(row,), weights=event.weights[i : i + 1])
        else:
            yield event


def _lines(node: YamlNode, step: Step) -> Iterator[int]:
    """The line of each event of a step, row by row: that of the row, or of the event's key.

    If ``all`` feeds rows of a fixture in this step, each of the step's rows has the line of the
    step, because the rows of the fixture are not in this file.  The rows are in the order in which
    they are written.
    """
    feed = node.get("feed")
    inputs = [rows for _, rows in feed.items] if feed and isinstance(feed.data, dict) else []
    all_listed = all(isinstance(rows.data, list) for rows in inputs)
    fed = iter([row.place.line for rows in inputs for row in rows.elements] if all_listed else [])
    for event in one_by_one(step.events):
        match event:
            case Rows():
                yield next(fed, step.line)
            case Bound():
                yield _line(node, "bound")
            case OpenProducer():
                yield _line(node, "open")
            case CloseProducer():
                yield _line(node, "close")
            case Now():
                yield _line(node, "now")
            case Elapse():
                yield _line(node, "elapse")
            case End():
                yield _line(node, "end")
            case Load():
                raise AssertionError("the contents of tables come before all steps")


def _line(node: YamlNode, key: str) -> int:
    """The line of a key of a mapping."""
    return node.document.place((*node.path, key)).line
