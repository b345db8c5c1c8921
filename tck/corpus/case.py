"""A case: one query, what it is given, and what must come of it.

The records here are what `tck.corpus.load` makes of a case file, with everything looked up: the
fixtures' DDL and rows are in the case, names are as catalogued, times without a date are on the
case's date, and the rows that are fed are wire values.  Only rows that are *expected* of the
backend keep the cells of the file, since their types are known when the backend has declared its
columns.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal, TypeAlias

from tck.protocol import ColumnInfo, End, Event, Load, Rows, WireRow

#: A value as it stands in a file; a number that is not whole is exact.
Cell: TypeAlias = bool | int | Decimal | str | None
CellRow: TypeAlias = tuple[Cell, ...]

#: Columns by the name of their object.
Columns: TypeAlias = Mapping[str, tuple[ColumnInfo, ...]]

#: How rows must be ordered: by the result's rowtime with ties free, exactly as listed, or not.
RowOrder: TypeAlias = Literal["rowtime", "exact", "any"]


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file, from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        """``file:line``."""
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Fixture:
    """What several cases are given: DDL, and the rows that are in it.

    ``tables`` are contents before the first event, of a stream its history; ``streams`` are rows
    that a step feeds with ``all``.  ``date`` completes times that have none; None: none do.
    """

    name: str
    about: str
    place: Place
    date: str | None
    ddl: str
    columns: Columns
    tables: tuple[Load, ...] = ()
    streams: tuple[Rows, ...] = ()


@dataclass(frozen=True, slots=True)
class ExpectedError:
    """A refusal, or a failure at run time.

    ``text`` stands first at ``span``, a half-open range of code points of the query, or
    (``in_ddl``) of the case's whole DDL; the backend's own range must overlap it.  Both are None
    where only the code is asked for.
    """

    code: str
    text: str | None = None
    span: tuple[int, int] | None = None
    in_ddl: bool = False


@dataclass(frozen=True, slots=True)
class ExpectedLate:
    """A row that is dropped at the entry of ``input``, with ``code`` LATE or BAD_ROW."""

    input: str
    row: WireRow
    code: str = "LATE"


@dataclass(frozen=True, slots=True)
class ProducerChange:
    """A producer of a named stream that opens, or closes."""

    input: str
    producer: str
    opens: bool


@dataclass(frozen=True, slots=True)
class Step:
    """Events, and what is true when they have been taken, before the next step.

    ``emit`` are the rows that this step permits (`tck.judging.schedule`).  One that may come at one
    of several steps is in ``may_emit`` of the first and in ``emit_by`` of the last (in none: by the
    end).  ``clock`` is the output's bound: a timestamp, ``end``, or None where the case does not
    ask.  ``state`` is the greatest number of rows and groups that may be held.  ``producer`` is
    whose the events are, in a case with several producers of one stream.
    """

    line: int
    events: tuple[Event, ...] = ()
    emit: tuple[CellRow, ...] = ()
    may_emit: tuple[CellRow, ...] = ()
    emit_by: tuple[CellRow, ...] = ()
    output_bound: str | None = None
    late: tuple[ExpectedLate, ...] = ()
    error: ExpectedError | None = None
    state: int | None = None
    producer: str | None = None
    producers: tuple[ProducerChange, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """One query on a catalog of its own, and what must come of it.

    ``ddl`` is the whole script: the fixtures' in the order of ``fixtures``, then the case's own.
    ``columns`` are those of what can be fed; ``tables`` are loaded before the first step;
    ``streams`` are the fixtures' rows, which a streaming query without ``steps`` is fed with,
    before all inputs end.  ``rows`` is the whole result; None: the steps say it, or it is not
    looked at.  ``order`` None: by rowtime where a streaming result has a column ROWTIME, else free.
    """

    id: str
    chapter: str
    subject: str
    place: Place
    cites: tuple[str, ...]
    ddl: str
    sql: str | None
    profile: str = "calcite"
    date: str | None = None
    fixtures: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    columns: Columns = field(default_factory=dict[str, tuple[ColumnInfo, ...]])
    tables: tuple[Load, ...] = ()
    streams: tuple[Rows, ...] = ()
    steps: tuple[Step, ...] = ()
    order: RowOrder | None = None
    rows: tuple[CellRow, ...] | None = None
    accepted: bool = False
    error: ExpectedError | None = None
    may_accept: bool = False
    schema: tuple[ColumnInfo, ...] | None = None
    monotonicity: Mapping[str, str] = field(default_factory=dict[str, str])
    also_sound: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    plan: str | None = None
    equal_to: str | None = None
    why: str = ""

    @property
    def runs(self) -> bool:
        """Whether rows are asked for, so that the query must be run, not only judged."""
        return bool(self.steps) or self.rows is not None or self.equal_to is not None

    @property
    def ended(self) -> bool:
        """Whether the case says what is true after the end of all input."""
        return self.rows is not None or not self.steps or any(End() in s.events for s in self.steps)

    @property
    def lists_rows(self) -> bool:
        """Whether the rows are listed: by steps also if there are none, unless a query gives them.

        Steps that list none leave the rows to ``equal_to``, where there is one.
        """
        return self.rows is not None or bool(
            self.all_rows if self.equal_to is not None else self.steps
        )

    @property
    def all_rows(self) -> tuple[CellRow, ...]:
        """All rows that come, in the order of their listing."""
        if self.rows is not None:
            return self.rows
        return tuple(row for step in self.steps for row in (*step.emit, *step.may_emit))

    @property
    def failure(self) -> ExpectedError | None:
        """The error at run time, if one is expected."""
        return next((step.error for step in self.steps if step.error), None)
