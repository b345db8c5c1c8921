"""The events that a query is run on, one by one, and those of a script file."""

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
    """A query on a catalog, and its events in order, with every row as an event of its own.

    ``lines`` has the line of each event in its file, from 1; 0: the event is not in a file.
    ``steps`` are the numbers of the steps that the events belong to; empty: each event is a step.
    """

    title: str
    script: Script
    sql: str
    profile: Profile
    events: tuple[Event, ...]
    lines: tuple[int, ...]
    steps: tuple[int, ...] = ()


class PlayedEvent(NamedTuple):
    """An event, its line in its file, and the number of its step; 0 for contents of a table."""

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
    """A play of events."""
    events = tuple(each.event for each in played)
    lines = tuple(each.line for each in played)
    return Play(title, script, sql, profile, events, lines, tuple(each.step for each in played))


def play_of_file(
    path: Path, sql: str | None, before: Script | None, profile: Profile | None, example: Script
) -> Play:
    """The script of events in a file.

    ``sql`` is the query; None: the script has it.  The DDL is that of the script's fixtures, then
    ``before``, then the script's own; ``example`` where there is none of these.  ``profile``
    overrides the script's.  Raises `InvalidFilesError` if the file is not valid, and `RunError` if
    its DDL is refused, or there are no query or two.
    """
    return play_of_document(read_document(path), path, sql, before, profile, example)


def play_of_document(
    document: Document,
    path: Path,
    sql: str | None,
    before: Script | None,
    profile: Profile | None,
    example: Script,
) -> Play:
    """The script of events in a document, which `play_of_file` has read from ``path``."""
    if problems := schema_problems(document, "case.schema.json", "script"):
        raise InvalidFilesError(problems)
    return _ScriptReader(document, path, sql, before, profile, example).play()


@dataclass(frozen=True, slots=True)
class _ScriptReader:
    """Reads a script file that the schema has found valid.

    ``sql`` is the query; None: the file has it.  ``before`` is DDL that precedes the file's own;
    None: there is none.  ``profile`` overrides that of the file, unless it is None.  ``example`` is
    the script if there is no DDL at all.
    """

    document: Document
    path: Path
    sql: str | None
    before: Script | None
    profile: Profile | None
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
        problems = list(_unknown(top, columns))
        if problems:
            raise InvalidFilesError(problems)
        streams = tuple(rows for fixture in fixtures for rows in fixture.streams)
        loads = {load.object: load for fixture in fixtures for load in fixture.tables}
        tables = top.get("tables")
        for name, rows in tables.items if tables else ():
            wire = wire_rows(name, rows, columns, date, problems)
            loads[catalog_name(name)] = Load(catalog_name(name), wire)
        sql = self._query(top)
        texts = OwnTexts(sql, own, before=0)  # a script has no expected errors to place in them
        reader = StepReader(columns, date, streams, texts, problems)
        # A script only has events: the expectations of a step are ignored, and need not be right.
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
        """The line of a table's name; 0: its contents are a fixture's."""
        tables = top.get("tables")
        lines = [
            rows.place.line
            for name, rows in (tables.items if tables else ())
            if catalog_name(name) == load.object
        ]
        return lines[0] if lines else 0

    def _query(self, top: YamlNode) -> str:
        inside = next(iter(top.texts("sql")), None)
        if (self.sql is None) == (inside is None):
            count = "no query" if inside is None else "two queries"
            hint = "give one as an argument, with -f, or as `sql` in the script: one of them"
            raise RunError(f"{self.path}: there {_are(count)}; {hint}")
        return self.sql or inside or ""


def _are(count: str) -> str:
    return f"is {count}" if count.startswith("no") else f"are {count}"


def _columns(script: Script, profile: Profile) -> Columns:
    """The columns of every table and stream that the DDL declares, by name."""
    try:
        catalog: Catalog = prepare(script.text, None, profile).catalog
    except SqlError as error:
        raise RunError(script.error_text(error)) from None
    return declared_columns(catalog)


def _unknown(top: YamlNode, columns: Columns) -> Iterator[Problem]:
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
    known = ", ".join(sorted(columns)) or "nothing"
    return part.problem(f"{name} is not declared", f"the DDL declares: {known}")


def one_by_one(events: Sequence[Event]) -> Iterator[Event]:
    """Events, with rows one by one: the division of rows into batches changes nothing (S-104)."""
    for event in events:
        if isinstance(event, Rows):
            for place, row in enumerate(event.rows):
                yield replace(event, rows=(row,), weights=event.weights[place : place + 1])
        else:
            yield event


def _lines(node: YamlNode, step: Step) -> Iterator[int]:
    """The line of each event of a step: that of its key, or the row's own.

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
    return node.document.place((*node.path, key)).line
