"""A user's query and rows as a case of the kit, whose expectations are the reference's answers."""

import heapq
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import groupby, islice, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias

from algebra.catalog import Profile, Stream, Table
from algebra.functions.datetimes import parse_timestamp
from algebra.monotonicity.columns import rowtime_column
from algebra.plan import Reads, Scan
from algebra.prepare import prepare
from algebra.records.formats import input_batches
from algebra.records.pipeline import Input, RunError
from rowtime.declared_columns import declared_columns
from rowtime.inputs import DataFile, query_inputs
from rowtime.run import bad_rows
from tck.corpus.case import (
    Case,
    CellRow,
    ExpectedError,
    ExpectedLate,
    ExpectedWarning,
    Place,
    Step,
)
from tck.corpus.needs import emits_changes
from tck.protocol import (
    Backend,
    Bound,
    ColumnInfo,
    End,
    Event,
    Load,
    Now,
    Output,
    Refused,
    Rows,
    SqlWarning,
    Wire,
    WireRow,
    weighted,
)
from tck.transcript import Missing, converse

if TYPE_CHECKING:
    from algebra.records.batch import BadRow


@dataclass(frozen=True, slots=True)
class Question:
    """A query on files, and how the streams' rows arrive.

    ``now`` is the session's clock; None: no event sets it. ``rows_per_step`` None: file after file,
    with one step for each file.  If it is a number, the rows of all streams are merged by rowtime,
    and a step has at most this number of rows, all of one stream.
    """

    ddl: str
    sql: str
    profile: Profile
    data: Sequence[DataFile]
    now: str | None = None
    rows_per_step: int | None = None


#: A row that arrives: the name of its stream, and the row.
_Arrival: TypeAlias = tuple[str, WireRow]


def expected_case(question: Question, reference: Backend, id: str) -> Case:
    """The case of a question, which expects the output of ``reference``.

    So the reference passes it at the strictest tier, ``exact``.  The last step ends all inputs, or
    is the one at which the query fails.  Raises `SqlError` if the query or the DDL is refused,
    `RunError` or `FileError` if a file cannot be read.
    """
    prepared = prepare(question.ddl, question.sql, question.profile)
    catalog, files = prepared.catalog, query_inputs(prepared, question.data)
    tables = [(each.name, _rows(each)) for each in files if isinstance(each.source, Table)]
    case = Case(
        id=id,
        chapter="compare",
        subject="a query, and the rows that the reference has",
        place=Place("the query", 1),
        cites=(),
        ddl=question.ddl,
        sql=question.sql,
        profile=question.profile,
        columns=declared_columns(catalog),
        tables=tuple(Load(name, rows) for name, rows in tables if rows),
        steps=tuple(_steps(question, [f for f in files if isinstance(f.source, Stream)])),
        why="recorded from the reference",
    )
    recorded = recorded_case(case, reference)
    if isinstance(recorded, Refused):
        raise RunError(recorded.rendered or f"{recorded.code}: {recorded.message}")
    return recorded


def recorded_case(case: Case, reference: Backend) -> Case | Refused:
    """The ``case`` with the answers of ``reference`` as its expectations, or the refusal.

    ``case`` has no expectations yet.  If the query fails at run time, the steps end with the one at
    which it does.
    """
    transcript = converse(reference, case, case.sql)
    assert not isinstance(transcript, Missing), "the reference implements the whole language"
    match transcript.answer:
        case Refused() as refused:
            return refused
        case accepted:
            changing = emits_changes(case.sql)
            fed = (*case.tables, *(event for step in case.steps for event in step.events))
            return replace(
                case,
                cites=(_law(case.sql, accepted.streaming),),
                result=accepted.columns,
                order=None if changing or _by_rowtime(accepted.columns, transcript.rows) else "any",
                steps=tuple(
                    _expecting(step, output, fed, accepted.streaming, changing)
                    for step, output in zip(case.steps, transcript.outputs, strict=False)
                ),
            )


def _law(sql: str | None, streaming: bool) -> str:
    """The rule that the case cites: it defines the rows of this kind of query."""
    if emits_changes(sql):
        return "S-1001"
    return "S-303" if streaming else "S-302"


def _rows(file: Input) -> tuple[WireRow, ...]:
    """All rows of a file.  Raises `RunError` if a record of it is malformed."""
    rows: list[WireRow] = []
    bad: list[BadRow] = []
    with closing(input_batches(file)) as found:
        for _, batch in found:
            rows.extend(batch.rows)
            bad.extend(batch.bad)
    if bad:
        raise RunError(bad_rows(list(map(str, bad))))
    return tuple(rows)


def _steps(question: Question, files: Sequence[Input]) -> Iterator[Step]:
    """The steps of the case, without expectations: the clock, the rows of ``files``, the end."""
    if question.now is not None:
        yield Step(0, (Now(question.now),))
    if question.rows_per_step is None:
        for file in files:
            yield Step(0, (Rows(file.name, _rows(file)),))
    else:
        arrivals = heapq.merge(*map(_arrivals, files), key=itemgetter(0))
        pairs = (pair for _, pair in arrivals)
        for name, group in groupby(pairs, itemgetter(0)):
            while rows := tuple(row for _, row in islice(group, question.rows_per_step)):
                yield Step(0, (Rows(name, rows),))
    yield Step(0, (End(),))


def _arrivals(file: Input) -> list[tuple[str, _Arrival]]:
    """The rows of a stream, each after the text by which streams are merged: its rowtime.

    The text is empty, and so comes first, if the stream has no rowtime column, or the rowtime is
    NULL.
    """
    assert isinstance(file.source, Stream), "tables are loaded"
    place = rowtime_column(Scan(file.source, Reads.STREAM))
    return [
        ("" if place is None or row[place] is None else str(row[place]), (file.name, row))
        for row in _rows(file)
    ]


def _by_rowtime(columns: Sequence[ColumnInfo], rows: Sequence[WireRow]) -> bool:
    """Whether the ``rows`` of an answer are in the order of the column ROWTIME.

    If they are, the case requires this order.  They need not be: a filter emits the rows of a
    stream that is declared out of order (t-sorted, k-sorted or punctuated) as they arrive.
    """
    place = next((i for i, each in enumerate(columns) if each.name == "ROWTIME"), None)
    times = [] if place is None else [row[place] for row in rows]
    seen = [parse_timestamp(time) for time in times if isinstance(time, str)]
    return all(before <= after for before, after in pairwise(seen))


def _expecting(
    step: Step, output: Output, fed: Sequence[Event], streaming: bool, changing: bool
) -> Step:
    """The step with the ``output`` of the reference as its expectations.

    ``fed`` has all events of the case. ``changing``: the output is a changelog.
    """
    changes = weighted(output.rows, output.weights) if changing else ()
    return replace(
        step,
        emit=() if changing else tuple(map(_cells, output.rows)),
        changes=tuple((_cells(row), weight) for row, weight in changes),
        output_bound=output.bound if streaming and not changing else None,
        late=tuple(
            ExpectedLate(each.input, each.row, each.code, each.place) for each in output.late
        ),
        error=ExpectedError(output.error.code) if output.error else None,
        warnings=tuple(_expected_warning(each, fed[each.event]) for each in output.warnings),
    )


def _expected_warning(warning: SqlWarning, event: Event) -> ExpectedWarning:
    """The expectation of a warning about ``event``, which is a bound."""
    assert isinstance(event, Bound), f"a warning about {event}"
    return ExpectedWarning(event.input, warning.code)


def _cells(row: WireRow) -> CellRow:
    return tuple(map(_cell, row))


def _cell(value: Wire) -> bool | int | Decimal | str | None:
    """A value as a case file has it, where every number is exact."""
    return Decimal(repr(value)) if isinstance(value, float) else value
