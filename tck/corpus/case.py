"""A case: one query, its catalog and input, and the expected answers of a backend.

`tck.corpus.load` makes these records from case files.  They are complete: they contain the
fixtures' DDL and rows, names are as in the catalog, fed times have dates, and fed rows are wire
values.  Only *expected* rows stay as the file writes them, as cells; they are read by the types of
``result`` when they are judged.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal, TypeAlias

from tck.protocol import Bound, ColumnInfo, End, Event, Load, OpenProducer, Rows, WireRow

#: A value as a file writes it; a number that is not whole is a `Decimal`, and so exact.
Cell: TypeAlias = bool | int | Decimal | str | None
CellRow: TypeAlias = tuple[Cell, ...]

#: The columns of each table and stream, by its name in the catalog.
Columns: TypeAlias = Mapping[str, tuple[ColumnInfo, ...]]

#: The order that the rows must have.  ``rowtime``: they are ordered by the result's rowtime, with
#: ties in any order; ``exact``: the order in which the case lists them; ``any``: any order.
RowOrder: TypeAlias = Literal["rowtime", "exact", "any"]


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file, counted from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        """``file:line``."""
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Fixture:
    """The DDL and rows that several cases share.

    ``tables`` are the contents of tables, and the histories of streams, before the first event.
    ``streams`` are rows that a step feeds with ``all``.  ``date`` is the date of times without a
    date; None: every time must have a date.
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
    """An expected refusal, or an expected failure at run time.

    ``text`` is the piece of the query at fault; if ``in_ddl``, it is a piece of the case's whole
    DDL.  ``span`` is its first occurrence, as a half-open range of code points; the backend's range
    must overlap it.  Both are None if the case expects only the code.
    """

    code: str
    text: str | None = None
    span: tuple[int, int] | None = None
    in_ddl: bool = False


@dataclass(frozen=True, slots=True)
class ExpectedLate:
    """A row that must be dropped at the ingress of ``input``, with ``code`` LATE or BAD_ROW.

    ``place`` is the place of the row among all rows fed to ``input``, from 0; None: any place.
    """

    input: str
    row: WireRow
    code: str = "LATE"
    place: int | None = None


@dataclass(frozen=True, slots=True)
class ExpectedWarning:
    """A bound of ``input`` in a step that must be refused with the warning ``code``."""

    input: str
    code: str


@dataclass(frozen=True, slots=True)
class Step:
    """Events, and the expectations about the poll that follows them.

    - ``line`` is that of the step in the case's file, from 1; 0: the step is not from a file.
    - ``emit`` are the rows that are due at this step.  A row that may be emitted at several
      steps is in ``may_emit`` of the first step, and in ``emit_by`` of the last; if it is in no
      ``emit_by``, the last step is the end (`tck.corpus.permitted`).
    - ``output_bound`` (``clock`` in the file) is the output's bound after the step: a timestamp, or
      ``end``.  ``state`` is the greatest number of rows and groups that may be retained.  Each is
      None if the case does not expect it.
    - ``late`` are the rows that must be dropped, ``warnings`` are the bounds that must be refused,
      and ``error`` is the failure with which the query must end at this step.
    - ``changes`` are the rows that the fold of a changelog gains (1) or loses (-1) at the step.
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
    warnings: tuple[ExpectedWarning, ...] = ()
    changes: tuple[tuple[CellRow, int], ...] = ()


@dataclass(frozen=True, slots=True)
class FieldReport:
    """A public report of a defect in an engine, on which a case is built.

    ``version`` is that of the engine, as the report names it, or else the report's year and month.
    ``symptom`` describes the wrong behaviour of the engine, in our words.
    """

    engine: str
    version: str
    link: str
    symptom: str


@dataclass(frozen=True, slots=True)
class Heading:
    """The names of a case: its id, its place in the files, and the statements that it cites."""

    id: str
    chapter: str
    subject: str
    place: Place
    cites: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Case(Heading):
    """One query on a catalog of its own, its input, and the expectations about its answers.

    The query:

    - ``ddl`` is the whole script: that of the ``fixtures`` in their order (``given`` in the file),
      then the case's own.  ``sql`` None: the script alone is judged.  ``profile`` is the dialect.
    - ``needs`` are the capabilities that the case lists; a backend without them skips the case.

    The input:

    - ``columns`` are those of the objects that can be fed.  ``tables`` are loaded before the first
      step.  ``streams`` are the fixtures' rows; if the case has no ``steps``, all of them are fed
      to a streaming query, and then all inputs end.

    The expected rows:

    - ``rows`` is the whole result; None: the steps list it, or it is not compared.  ``equal_to`` is
      a second query, which must give the same rows; None: there is none.
    - ``order`` None: ``rowtime`` if a streaming result has a column ROWTIME, else ``any``.
    - ``result`` has the names and types of the result's columns, by which rows are read; None: they
      are not known.  ``date`` is the date of expected times without a date; None: each has one.

    Other expectations:

    - ``error`` is the expected refusal; None: the query must be accepted.  ``may_accept``: with
      ``error``, a backend that deduces more may accept the query.  ``accepted``: the case expects
      only that the query is accepted.
    - ``schema``, ``plan``, ``monotonicity`` (by column) and ``metadata`` are expected answers about
      the query; None or empty: they are not judged.  ``also_sound`` are other answers about
      monotonicity that pass.

    About the case:

    - ``why`` is its intent.  ``series`` is the id of its series; None: it has none.  ``report`` is
      the defect of an engine on which the case is built; None: there is none.
    - ``required``: a failure fails the run (`tck.corpus.selected.requirements`).
    """

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
    result: tuple[ColumnInfo, ...] | None = None
    required: bool = True
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
    series: str | None = None
    report: FieldReport | None = None

    @property
    def runs(self) -> bool:
        """Whether the case has expectations about rows, so that the query must be run."""
        return bool(self.steps) or self.rows is not None or self.equal_to is not None

    @property
    def ended(self) -> bool:
        """Whether the expectations cover the time until the end of all input."""
        return self.rows is not None or not self.steps or any(End() in s.events for s in self.steps)

    @property
    def has_producers(self) -> bool:
        """Whether producers of streams open, or send rows and bounds."""
        events = [event for step in self.steps for event in step.events]
        opening = any(isinstance(event, OpenProducer) for event in events)
        sent = (event for event in events if isinstance(event, Rows | Bound))
        return opening or any(event.producer is not None for event in sent)

    @property
    def lists_rows(self) -> bool:
        """Whether the case lists expected rows; a case can also only compare with ``equal_to``.

        Steps without rows list the empty result, unless the case has ``equal_to``.
        """
        return self.rows is not None or bool(
            self.all_rows if self.equal_to is not None else self.steps
        )

    @property
    def all_rows(self) -> tuple[CellRow, ...]:
        """All expected rows, in the order in which the case lists them.

        For a changelog, these are the changed rows.
        """
        if self.rows is not None:
            return self.rows
        return tuple(
            row
            for step in self.steps
            for row in (*step.emit, *step.may_emit, *(changed for changed, _ in step.changes))
        )

    @property
    def failure(self) -> ExpectedError | None:
        """The expected error at run time; None: the query must not fail."""
        return next((step.error for step in self.steps if step.error), None)
