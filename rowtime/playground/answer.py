"""Answers the questions of the playground, a web page that runs the reference in the browser.

A question has a schema, a query and a script of rows and bounds.  The answer has their faults, or
the plan of the query and its output.  `answer_json` is the entry for the page.
"""

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

from algebra.catalog import Profile, Stream, Table
from algebra.explain import explain
from algebra.metadata.plan_metadata import Summary
from algebra.plan import Changes, Delta, row_type
from algebra.prepare import Prepared, prepare
from algebra.types import Type
from algebra.wire import shown
from grammar.source import SqlError
from reference.backend import ReferenceBackend
from rowtime.playground.faults import Fault, refused_fault, script_faults, sql_fault, sql_faults
from rowtime.script import Script
from rowtime.timeline.changelog import changelog_run
from rowtime.timeline.entry_text import event_line, faults_of
from rowtime.timeline.events import Play, play_of_document
from rowtime.timeline.timeline import timeline_of
from tck.corpus.document import InvalidFilesError, YamlNode, parse_document
from tck.drawing.changelog_picture import changelog_picture
from tck.drawing.draw import inset_of
from tck.drawing.layout import picture
from tck.drawing.picture import Form
from tck.drawing.timeline import Timeline
from tck.protocol import End, Open, Output, Refused, WireRow, weighted

#: The name of the question's script in messages.
_NAME: Final = "script"
#: The height of a picture, unless its content needs more, and its least width; in pixels.
_HEIGHT: Final = 330
_LEAST_WIDTH: Final = 300


@dataclass(frozen=True, slots=True)
class Question:
    """The texts that a user of the playground has entered.

    If ``query`` is blank, only the schema is checked.  If ``script`` is blank, its only event is
    the end of all inputs.  ``width`` is the width of the picture, in pixels.
    """

    schema: str
    query: str
    script: str
    profile: str = "calcite"
    width: int = 1080


@dataclass(frozen=True, slots=True)
class Moment:
    """An event of a run in words, with the rows that are emitted after it.

    ``line`` is the line of the event in the script; 0 if it is not in the script.  ``end`` is the y
    coordinate in the picture at which the event's lines end.  ``faults`` are dropped rows, an
    ignored bound, or a failure.  ``rows`` are the emitted rows.  ``bound`` describes the bound of
    all later rows.
    """

    event: str
    line: int
    end: float
    faults: tuple[str, ...]
    rows: tuple[str, ...]
    bound: str


@dataclass(frozen=True, slots=True)
class Description:
    """The properties of a query that are known before it runs.

    ``columns`` are its output columns with their types.
    """

    columns: tuple[str, ...]
    plan: str
    metadata: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question.  The fields depend on the kind of query; the others are empty.

    - ``faults``: why the question is refused, or why the query has failed at run time.
    - ``query``: the properties of the query, if it is not refused.
    - ``svg`` and ``moments``: the picture and the events of a streaming query or a changelog; if
      the query has failed, those before the failure.
    - ``rows``: the rows of a relational query, as texts; for a changelog, those that are valid at
      the end.  None if the query has failed.
    - ``dropped``: with ``rows``, the input rows that were dropped as late or bad.
    - ``objects``: the tables and streams of the schema, if there is no query.
    """

    faults: tuple[Fault, ...] = ()
    query: Description | None = None
    svg: str = ""
    moments: tuple[Moment, ...] = ()
    rows: tuple[tuple[str, ...], ...] | None = None
    dropped: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()


def answer_json(question: str) -> str:
    """The answer to a question, both as JSON; the page in the browser calls this function."""
    return json.dumps(asdict(answer(Question(**json.loads(question)))), ensure_ascii=False)


def answer(question: Question) -> Answer:
    """The answer to a question: its faults, or the output of the query."""
    profile, query = Profile(question.profile), question.query
    try:
        prepared = prepare(question.schema, query if query.strip() else None, profile)
    except SqlError as error:
        return Answer(sql_faults(error, question.schema, query, profile))
    try:
        if prepared.query is None:
            return Answer(objects=tuple(_object_texts(prepared)))
        play = _play(question, profile)
        if isinstance(prepared.query, Delta):
            return _streaming_answer(question, play, prepared)
        if isinstance(prepared.query, Changes):
            return _changelog_answer(question, play, prepared)
        return _relational_answer(question, play, prepared)
    except InvalidFilesError as invalid:
        return Answer(tuple(script_faults(invalid.problems, question.script)))
    except SqlError as error:  # run-time errors of the schema's statements
        return Answer((sql_fault(error, question.schema, query),))


def _play(question: Question, profile: Profile) -> Play:
    """The query of a question, and the events of its script.

    Raises `InvalidFilesError` if the script is not valid.
    """
    schema = Script((("schema", question.schema),))
    if not question.script.strip():
        return Play(_NAME, schema, question.query, profile, (End(),), (0,))
    document = parse_document(question.script, _NAME)
    top = YamlNode(document, (), document.data)
    elsewhere = [
        part.problem(f"{key}: the schema, the query and the profile have fields of their own")
        for key in ("ddl", "given", "sql", "profile")
        if isinstance(document.data, dict) and (part := top.get(key))
    ]
    if elsewhere:
        raise InvalidFilesError(elsewhere)
    return play_of_document(
        document, Path(_NAME), question.query, profile, before=schema, example=schema
    )


def _streaming_answer(question: Question, play: Play, prepared: Prepared) -> Answer:
    """The answer for a streaming query: its rows and bounds, event by event."""
    timeline = timeline_of(play, prepared)
    width = max(question.width, _LEAST_WIDTH)
    drawing = picture(timeline, Form(width, _HEIGHT, headed=False))
    moments = tuple(
        Moment(
            event_line(each),
            line=line,
            end=end,
            faults=tuple(text.splitlines()[0] for text in faults_of(each)),
            rows=tuple(row.text for row in each.emitted),
            bound=_bound_text(timeline, each.output_bound),
        )
        # A failure ends the run: then there are fewer entries than events in the script.
        for each, line, end in zip(timeline.entries, play.lines, drawing.ends, strict=False)
    )
    # A timeline has only the text of a failure.  Another run finds its place in the query.
    failed = _run_faults(question, _run_query(question, play, prepared)) if timeline.failure else ()
    return Answer(
        tuple(failed),
        query=_description(prepared),
        svg=str(inset_of(drawing)),
        moments=moments,
    )


def _changelog_answer(question: Question, play: Play, prepared: Prepared) -> Answer:
    """The answer for a changelog: its changes by event, and the rows that are valid at the end."""
    run = changelog_run(play, prepared)
    width = max(question.width, _LEAST_WIDTH)
    drawing = changelog_picture(run, Form(width, _HEIGHT, headed=False))
    moments = tuple(
        Moment(
            "; ".join(each.lines),
            line=each.place,
            end=end,
            faults=each.faults,
            rows=tuple(
                f"{'+' if change.inserts else '-'} {change.text}" for change in each.changes
            ),
            bound="any row can change again",
        )
        for each, end in zip(run.events, drawing.ends, strict=True)
    )
    return replace(
        _relational_answer(question, play, prepared), svg=str(inset_of(drawing)), moments=moments
    )


def _bound_text(timeline: Timeline, bound: float) -> str:
    """The bound of the output in words."""
    if bound == -math.inf:
        return "any row may still come"
    if bound == math.inf:
        return "no later row is emitted"
    return f"no later row is below {timeline.time_text(bound)}"


def _relational_answer(question: Question, play: Play, prepared: Prepared) -> Answer:
    """The answer for a relational query: its rows after all events."""
    output = _run_query(question, play, prepared)
    return Answer(
        tuple(_run_faults(question, output)),
        query=_description(prepared),
        rows=None if output.error else tuple(tuple(map(shown, row)) for row in _fold(output)),
        dropped=tuple(
            f"{late.input} drops {', '.join(map(shown, late.row))}: {late.reason}"
            for late in output.late
        ),
    )


def _fold(output: Output) -> list[WireRow]:
    """The rows of a relational query; for a changelog, the rows that are valid at the end."""
    if not output.weights:
        return list(output.rows)
    number = Counter[WireRow]()
    for row, weight in weighted(output.rows, output.weights):
        number[row] += weight
    return list(number.elements())


def _run_query(question: Question, play: Play, prepared: Prepared) -> Output:
    """Run the query on all events and the end of all inputs; return all of its output.

    If the query is refused, the refusal is the `error` of the output.
    """
    backend = ReferenceBackend(prepare=lambda _ddl, _sql, _profile: prepared)
    opened = backend.open(Open(question.schema, question.query, question.profile))
    if isinstance(opened, Refused):
        return Output(error=opened)
    for event in (*play.events, End()):
        backend.feed(event)
    return backend.poll()


def _run_faults(question: Question, output: Output) -> Iterator[Fault]:
    """The fault for the failure of a run; nothing if the run has not failed."""
    if output.error:
        yield refused_fault(output.error, question.schema, question.query)


def _description(prepared: Prepared) -> Description:
    """The properties of a bound query."""
    plan = prepared.query
    assert plan is not None, "a question without a query has an answer of its own"
    columns = tuple(_column_text(each.name, each.type) for each in row_type(plan))
    return Description(columns, explain(plan), dict(Summary(plan)))


def _object_texts(prepared: Prepared) -> Iterator[str]:
    """The tables and streams of a schema, each with its columns."""
    for each in prepared.catalog.objects.values():
        if isinstance(each, Table | Stream):
            columns = ", ".join(
                _column_text(c.name, c.type) for c in each.columns if not c.implicit
            )
            kind = "table" if isinstance(each, Table) else "stream"
            yield f"{kind} {'.'.join(each.name)} ({columns})"


def _column_text(name: str, type: Type) -> str:
    """A column as in its declaration, such as ``ID INTEGER NOT NULL``."""
    return f"{name} {type}" + ("" if type.nullable else " NOT NULL")
