"""Plans: relational algebra with streams, one frozen record for each operator.

A plan stands for a relation.  Three nodes give the rows of the relation an order: Scan (the order
of arrival), Values (as written) and Sort.  Filter and Project keep the order of their input.  The
rows of any other node can be in any order.

An operator with one input inherits one of the shapes `Passing`, `Widening` and `Unary`, and a join
inherits `Joining`.  A fact that follows from a shape is stated once for all its operators.  So a
new operator needs a rule only for the facts in which it differs from its shape.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, StrEnum
from typing import TypeAlias

from algebra.catalog import Stream, Table, row_type_of
from algebra.expression import (
    AggregateCall,
    Call,
    Expression,
    InputRef,
    Literal,
    SortKey,
    WindowCall,
)
from algebra.facts import Node, deduced_once
from algebra.types import TIMESTAMP, Field, RowType
from grammar.source import Location
from grammar.tree import JoinKind, SetOperator


class Reads(StrEnum):
    """The rows that a Scan reads of its table or stream (S-302, S-308).

    Defines: S-308.c, S-308.h
    """

    TABLE = "table"  # the rows of a table
    HISTORY = "history"  # the rows of a stream so far, also those from before the session
    STREAM = "stream"  # the rows of a stream that arrive while the query runs


@dataclass(frozen=True, slots=True)
class Scan(Node):
    """The rows of a table or stream, in order of arrival."""

    source: Table | Stream
    reads: Reads
    location: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Values(Node):
    """Rows of constant expressions; ``fields`` are the columns' names and types."""

    rows: tuple[tuple[Expression, ...], ...]
    fields: RowType


# --- shapes -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Unary(Node):
    """A node with one input."""

    input: "Plan"


@dataclass(frozen=True, slots=True)
class Passing(Unary):
    """A node whose rows are rows of the input: each unchanged, at most once, and in any order."""


@dataclass(frozen=True, slots=True)
class Widening(Unary):
    """A node whose rows are rows of the input with further columns; a row may occur repeatedly."""


@dataclass(frozen=True, slots=True)
class Joining(Node):
    """Pairs of a left and a right row, and padded rows of the sides that ``kind`` preserves.

    The columns are the left's, then the right's, then perhaps more.  Each expression of the node,
    ``condition`` the first, is a condition that is true of every pair.
    """

    left: "Plan"
    right: "Plan"
    kind: JoinKind
    condition: Expression


# --- operators --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Filter(Passing):
    """The rows for which ``condition`` is true: neither false nor unknown."""

    condition: Expression


@dataclass(frozen=True, slots=True)
class Project(Unary):
    """For each row the values of ``expressions``; ``names`` has one name for each."""

    expressions: tuple[Expression, ...]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hop(Widening):
    """Each row once for every window that its ``time`` is in, with two more columns (S-504, S-901).

    The columns are ``WINDOW_START`` and ``WINDOW_END``, TIMESTAMPs, of half-open windows.  One
    window ends at each ``align`` + n * ``emit``, so its end identifies it.  It starts ``retain``
    earlier; if ``cumulative``, it starts at the last ``align`` + n * ``retain`` before its end.

    ``emit`` and ``retain`` are positive interval literals, both of milliseconds or both of months.
    ``align`` has the same unit, and counts from 1970-01-01.  TUMBLE has ``emit == retain``.  If
    ``cumulative``, ``emit`` divides ``retain`` and is less.  A row whose time is NULL is in no
    window.
    """

    time: Expression
    emit: Literal
    retain: Literal
    align: int
    cumulative: bool = False
    location: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Session(Widening):
    """Each row with two more columns, the start and the end of its session (S-902).

    A session is a longest chain of rows with equal ``keys``, in the order of ``time``, in which
    each time is less than ``gap`` after the previous one.  The columns are TIMESTAMPs:
    ``WINDOW_START``, the first time, and ``WINDOW_END``, the last time plus ``gap``.  ``gap`` is a
    positive interval literal in milliseconds.  A row whose time is NULL is in no session.  A NULL
    key equals another NULL.
    """

    keys: tuple[Expression, ...]
    time: Expression
    gap: Literal
    location: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Aggregate(Unary):
    """For each grouping set, one row for each value of the set's keys (S-503); NULLs are equal.

    Its columns are all ``keys``, then ``measures``; ``names`` names both.  A key is NULL in the
    rows of a set that lacks it.  ``sets`` are tuples of places in ``keys``; a set that is repeated
    gives its rows again.  The set ``()`` gives one row, even if the input is empty.
    """

    keys: tuple[Expression, ...]
    sets: tuple[tuple[int, ...], ...]
    measures: tuple[AggregateCall, ...]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unbounded:
    """An end of a frame: the first row of the partition as its start, the last row as its end."""


@dataclass(frozen=True, slots=True)
class RowOffset:
    """The row ``rows`` places after the current one in the window's order; negative: before it."""

    rows: int


@dataclass(frozen=True, slots=True)
class RangeOffset:
    """All rows whose sort key is up to ``distance`` away from the current row's; 0: its peers.

    ``distance`` is never negative.  ``preceding``: toward the start of the partition, which has the
    greater values if the key descends.  Adding months clamps to the end of a shorter month (S-207).
    The peers of a row with a NULL key are the rows with NULL keys.
    """

    distance: Literal
    preceding: bool


@dataclass(frozen=True, slots=True)
class GroupOffset:
    """The group of peers ``groups`` groups after the current row's own; negative: before it."""

    groups: int


FrameBound: TypeAlias = Unbounded | RowOffset | RangeOffset | GroupOffset


class Exclude(StrEnum):
    """The rows that EXCLUDE removes from a frame.

    Defines: S-505.n, S-505.t
    """

    NO_OTHERS = "NO OTHERS"
    CURRENT_ROW = "CURRENT ROW"
    GROUP = "GROUP"  # the current row and its peers
    TIES = "TIES"  # the peers of the current row, but not this row


@dataclass(frozen=True, slots=True)
class Frame:
    """The rows from ``start`` to ``end``, both included; none if the end is before the start.

    The two ends need not be of one kind: the running frame of profile sqlstream is from an
    `Unbounded` to ``RowOffset(0)`` (S-505, S-506).

    Defines: S-506.d
    """

    start: FrameBound
    end: FrameBound
    exclude: Exclude = Exclude.NO_OTHERS


@dataclass(frozen=True, slots=True)
class WindowGroup:
    """Window calls with the same partition, order and frame."""

    partition: tuple[Expression, ...]
    order: tuple[SortKey, ...]
    frame: Frame
    calls: tuple[WindowCall, ...]


@dataclass(frozen=True, slots=True)
class Window(Widening):
    """Each row with the values of all calls appended, group by group; ``names`` are their names.

    Rows that are equal in a group's order are ordered as they are in the input.
    """

    groups: tuple[WindowGroup, ...]
    names: tuple[str, ...]


class Side(Enum):
    """A side of a join."""

    LEFT = "left"
    RIGHT = "right"


@dataclass(frozen=True, slots=True)
class Join(Joining):
    """Pairs of rows for which ``condition`` is true, and padded rows of the preserved sides.

    ``kind`` is never CROSS, which is INNER with the condition TRUE.  Columns: the left's, then the
    right's.  The pairs of an inner join of two streams have the rowtime of the side ``base``.  The
    base of any other join follows from its kind and sides (`base_side` in
    `algebra.monotonicity.columns`).
    """

    base: Side = Side.LEFT


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """A row at r is in its window for r - ``following`` <= u <= r + ``preceding`` (S-509).

    Both are in milliseconds and never negative.  For CURRENT ROW, both are 0.

    Defines: S-509.b
    """

    preceding: int
    following: int


@dataclass(frozen=True, slots=True)
class RowsWindow:
    """A row is in its window from its rowtime until the rowtime of the n-th later row, exclusive.

    Defines: S-509.c
    """

    rows: int


SideWindow: TypeAlias = TimeWindow | RowsWindow


@dataclass(frozen=True, slots=True)
class WindowJoin(Joining):
    """Pairs for which ``condition`` is true, and whose rows are in their windows at some time u.

    Columns: the left's, the right's, then ROWTIME: the least such u, or, for an unmatched row of a
    preserved side, the last time at which it was in its window (S-509).  ``left_rowtime`` and
    ``right_rowtime`` are places of columns, each in its own side's row.
    """

    left_window: SideWindow
    right_window: SideWindow
    left_rowtime: int
    right_rowtime: int


@dataclass(frozen=True, slots=True)
class AsofJoin(Joining):
    """Each left row with the nearest right row of its key; if LEFT, others are padded (S-904).

    Columns: the left's, then the right's.  ``condition`` equates an expression of the left row with
    one of the right row, once for each key; without keys it is TRUE.  ``match`` compares a time of
    the left row with one of the right row, in this order, by ``>=``, ``>``, ``<=`` or ``<``.  Of
    the right rows for which both are true, the nearest has the greatest time for ``>=`` and ``>``,
    and the least time for ``<=`` and ``<``.
    """

    match: Call


@dataclass(frozen=True, slots=True)
class SetOp(Node):
    """UNION, INTERSECT or EXCEPT of the inputs' rows, as multisets if ``all``, else as sets.

    Binding has cast the inputs to columns of the same types; their names are those of the first
    one.  Two NULLs count as equal.
    """

    inputs: tuple["Plan", ...]
    operator: SetOperator
    all: bool


@dataclass(frozen=True, slots=True)
class Sort(Passing):
    """The rows in the order of ``keys``; rows with equal keys keep their order.

    ``offset`` rows are skipped, then ``limit`` rows are returned; with ``with_ties`` also the peers
    of the last one.  None: no row is skipped, or all rows are returned.  ``within`` is the slack
    that WITHIN declares (S-507), or None; it has no effect on the order.
    """

    keys: tuple[SortKey, ...]
    offset: Expression | None = None
    limit: Expression | None = None
    with_ties: bool = False
    within: Literal | None = None


@dataclass(frozen=True, slots=True)
class Delta(Passing):
    """The rows of ``input`` as a stream; it is always the top of a streaming query (S-302)."""


@dataclass(frozen=True, slots=True)
class Changes(Passing):
    """The changes of ``input``, event by event; always the top of EMIT CHANGES (S-1001)."""


Plan: TypeAlias = (
    Scan
    | Values
    | Filter
    | Project
    | Hop
    | Session
    | Aggregate
    | Window
    | Join
    | WindowJoin
    | AsofJoin
    | SetOp
    | Sort
    | Delta
    | Changes
)


@deduced_once
def row_type(plan: Plan) -> RowType:
    """The columns of ``plan``'s rows, in order."""
    match plan:
        case Scan(source):
            return row_type_of(source)
        case Values(_, fields):
            return fields
        case Passing():
            return row_type(plan.input)
        case Project(_, expressions, names):
            return tuple(Field(n, e.type) for n, e in zip(names, expressions, strict=True))
        case Hop(input) | Session(input):
            times = TIMESTAMP.as_nullable(False)
            ends = (Field("WINDOW_START", times), Field("WINDOW_END", times))
            return row_type(input) + ends
        case Aggregate(_, keys, sets, measures, names):
            types = [
                key.type.as_nullable(key.type.nullable or any(i not in each for each in sets))
                for i, key in enumerate(keys)
            ]
            types += [each.type for each in measures]
            return tuple(Field(n, t) for n, t in zip(names, types, strict=True))
        case Window(input, groups, names):
            calls = (call for group in groups for call in group.calls)
            added = tuple(Field(n, c.type) for n, c in zip(names, calls, strict=True))
            return row_type(input) + added
        case WindowJoin():
            return (*_sides(plan), Field("ROWTIME", TIMESTAMP.as_nullable(False)))
        case Joining():
            return _sides(plan)
        case SetOp(inputs):
            sides = zip(*(row_type(each) for each in inputs), strict=True)
            return tuple(
                Field(s[0].name, s[0].type.as_nullable(any(f.type.nullable for f in s)))
                for s in sides
            )


def _sides(plan: Joining) -> RowType:
    """The columns of both sides; those of a side are nullable if the other side is preserved."""
    padded_left, padded_right = plan.kind.preserves_right, plan.kind.preserves_left
    return tuple(
        Field(each.name, each.type.as_nullable(each.type.nullable or padded))
        for side, padded in ((plan.left, padded_left), (plan.right, padded_right))
        for each in row_type(side)
    )


def columns(plan: Plan) -> tuple[InputRef, ...]:
    """All columns of ``plan``'s rows, as expressions on them."""
    return tuple(InputRef(i, each.type) for i, each in enumerate(row_type(plan)))


def window_sizes(plan: Hop) -> tuple[int, int]:
    """``emit`` and ``retain`` as numbers: both of months or both of milliseconds.

    Defines: S-504.c
    """
    emit, retain = plan.emit.value, plan.retain.value
    assert isinstance(emit, int), "binding lets only interval literals through"
    assert isinstance(retain, int), "binding lets only interval literals through"
    return emit, retain


def gap_of(plan: Session) -> int:
    """The gap of the sessions, in milliseconds."""
    assert isinstance(plan.gap.value, int), "binding lets only interval literals through"
    return plan.gap.value


def column_names(plan: Plan) -> tuple[str, ...]:
    """The names of all columns of ``plan``'s rows."""
    return tuple(each.name for each in row_type(plan))


def inputs_of(plan: Plan) -> tuple[Plan, ...]:
    """The direct inputs of ``plan``, left to right."""
    match plan:
        case Scan() | Values():
            return ()
        case Unary():
            return (plan.input,)
        case Joining():
            return plan.left, plan.right
        case SetOp(inputs):
            return inputs


def with_inputs(plan: Plan, inputs: Sequence[Plan]) -> Plan:
    """``plan`` over other inputs, with the number and the columns of its present inputs."""
    match plan:
        case Scan() | Values():
            return plan
        case Unary():
            (input,) = inputs
            return replace(plan, input=input)
        case Joining():
            left, right = inputs
            return replace(plan, left=left, right=right)
        case SetOp():
            return replace(plan, inputs=tuple(inputs))


def nodes(plan: Plan) -> Iterator[Plan]:
    """All nodes of ``plan``, root first, inputs left to right; not those of sub-queries."""
    yield plan
    for each in inputs_of(plan):
        yield from nodes(each)


@deduced_once
def is_streaming(plan: Plan, reads: Reads = Reads.STREAM) -> bool:
    """Whether a Scan in ``plan``, but not in its sub-queries, has the mode ``reads``."""
    if isinstance(plan, Scan):
        return plan.reads is reads
    return any(is_streaming(each, reads) for each in inputs_of(plan))
