"""The retained prefix: rows before the horizon that window functions still read (S-505).

The *horizon* is the time before which state compaction evicts the input rows of OVER
(`spark_backend.stream.compaction.compaction`).

If a frame starts a number of rows, or of groups of peers, before its row, it reads the last rows
before the horizon.  A frame from UNBOUNDED PRECEDING contains all rows, but some calls need only a
few of them: NTH_VALUE needs the first rows, and DISTINCT needs the first row of each value.  Over
the needed rows and the rows from the horizon on, the call has the same value as over all rows.
S-408 lists the needed rows as the state of OVER.
"""

from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from algebra.build import and_, at_most, equal, is_not_null, is_not_true, less, or_
from algebra.catalog import Column, Table
from algebra.expression import (
    FRAMED,
    AggregateFunction,
    Expression,
    InputRef,
    Literal,
    SortKey,
    WindowCall,
    WindowFunction,
)
from algebra.plan import (
    Filter,
    Frame,
    GroupOffset,
    Plan,
    Project,
    Reads,
    RowOffset,
    Scan,
    SetOp,
    Sort,
    Unbounded,
    Window,
    WindowGroup,
    row_type,
)
from algebra.types import RowType
from grammar.tree import SetOperator
from spark_backend.order.times import HiddenName
from spark_backend.stream.frame_kinds import literal_offset
from spark_backend.stream.retention.pending_frames import ProgressOf, any_has_passed
from spark_backend.stream.window_columns import COUNT, with_count

#: The frame of the rows up to the current row.
_SO_FAR: Final = Frame(Unbounded(), RowOffset(0))


@dataclass(frozen=True, slots=True)
class Last:
    """The last rows of the partition: ``RowOffset(2)`` is the last two rows.

    ``GroupOffset(2)`` is the last two groups of peers.
    """

    beyond: RowOffset | GroupOffset


@dataclass(frozen=True, slots=True)
class LastKnown:
    """The last ``count`` rows of the partition in which ``value`` is not NULL."""

    count: int
    value: Expression


@dataclass(frozen=True, slots=True)
class First:
    """The first ``count`` rows of the partition in which ``known`` is not NULL.

    ``known`` None: the first ``count`` rows, whatever their values are.
    """

    count: int
    known: Expression | None


@dataclass(frozen=True, slots=True)
class Different:
    """The first row of each combination of non-NULL values, among rows where ``filter`` is true."""

    values: tuple[Expression, ...]
    filter: Expression | None


PrefixRows: TypeAlias = Last | LastKnown | First | Different


def prefix_rows(group: WindowGroup, call: WindowCall) -> PrefixRows | None:
    """The earlier rows that a call still reads; None if it reads no earlier row, or all of them."""
    match call:
        case WindowCall(WindowFunction.LAG, (value, *_), ignore_nulls=ignoring):
            rows = literal_offset(call)
            if rows is None or rows < 1:
                return None
            return LastKnown(rows, value) if ignoring else Last(RowOffset(rows))
        case WindowCall(WindowFunction() as function) if function not in FRAMED:
            return None
        case _:
            pass
    match group.frame.start:
        case RowOffset(rows) if rows < 0:
            return Last(RowOffset(-rows))
        case GroupOffset(groups) if groups < 0:
            return Last(GroupOffset(-groups))
        case Unbounded():
            return _needed_from_start(call)
        case _:
            return None


def _needed_from_start(call: WindowCall) -> First | Different | None:
    """The rows that a call needs if its frames start with the partition; None: all rows."""
    match call:
        case WindowCall(WindowFunction.NTH_VALUE, (value, Literal(int() as number))):
            return First(number, value if call.ignore_nulls else None)
        case WindowCall(AggregateFunction.LISTAGG):
            return None
        case WindowCall(AggregateFunction(), distinct=True) if call.arguments:
            return Different(call.arguments, call.filter)
        case _:
            return None


# --- the table of these rows ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RetainedPrefix:
    """The table of the retained earlier rows of ``input``, the input of OVER.

    ``time`` is the place of the input's rowtime.  The table has the columns of the input, and the
    column PLACE, by which it is ordered.  ``needed`` has the rows that calls still read, each in
    the partitions and the order of a group of calls.
    """

    name: HiddenName
    input: RowType
    time: int
    needed: tuple[tuple[WindowGroup, PrefixRows], ...]

    @property
    def table(self) -> Table:
        """The declaration of the table."""
        columns = (Column(f"C{i}", each.type) for i, each in enumerate(self.input))
        return Table((self.name,), (*columns, Column("PLACE", COUNT)))

    def followed_by(self, rows: Plan) -> SetOp:
        """The retained earlier rows in their order, padded with NULLs, followed by ``rows``."""
        table, width = self.table, len(self.input)
        place = SortKey(InputRef(width, COUNT), descending=False, nulls_first=False)
        fields = row_type(rows)
        more = (Literal(None, each.type.as_nullable()) for each in fields[width:])
        columns = (InputRef(i, each.type) for i, each in enumerate(self.input))
        names = tuple(each.name for each in fields)
        prefix = Project(Sort(Scan(table, Reads.TABLE), (place,)), (*columns, *more), names)
        return SetOp((prefix, rows), SetOperator.UNION, all=True)

    def after(self, rows: Plan, progress_of: ProgressOf) -> Project:
        """A plan of the table's contents after the horizon has passed these rows of the input.

        ``progress_of`` returns the bounds of expressions over the later rows.  A partition is
        complete when such a bound has passed one of its keys; its rows are then not in the
        contents.
        """
        all_: Plan = self.followed_by(rows)
        conditions: list[Expression] = []
        for group, prefix in self.needed:
            complete = any_has_passed(group.partition, progress_of)
            is_needed, all_ = _is_needed(all_, group, prefix)
            conditions.append(and_(is_needed, is_not_true(complete)))
        time = SortKey(
            InputRef(self.time, self.input[self.time].type), descending=False, nulls_first=False
        )
        number = WindowCall(WindowFunction.ROW_NUMBER, (), COUNT)
        in_order = WindowGroup((), (time,), _SO_FAR, (number,))
        placed = Window(Filter(all_, or_(*conditions)), (in_order,), ("PLACE",))
        columns = (InputRef(i, each.type) for i, each in enumerate(self.input))
        place = InputRef(len(row_type(placed)) - 1, COUNT)
        names = tuple(each.name for each in self.table.columns)
        return Project(placed, (*columns, place), names)


def _is_needed(rows: Plan, group: WindowGroup, prefix: PrefixRows) -> tuple[Expression, Plan]:
    """The condition that a row is needed, and ``rows`` with the columns that the condition reads.

    Each row gets a count of the rows of its partition after it, or up to it.
    """
    match prefix:
        case Last(beyond):
            # The frame begins ``beyond`` rows or groups after the row: it is empty for the last
            # ones.
            after, rows = with_count(rows, group, Frame(beyond, Unbounded()))
            return equal(after, _number(0)), rows
        case LastKnown(count, value):
            after, rows = with_count(rows, group, Frame(RowOffset(1), Unbounded()), value)
            return and_(is_not_null(value), less(after, _number(count))), rows
        case First(count, known):
            chosen = () if known is None else (known,)
            so_far, rows = with_count(rows, group, _SO_FAR, *chosen)
            return and_(at_most(so_far, _number(count)), *map(is_not_null, chosen)), rows
        case Different(values, filter):
            chosen = () if filter is None else (filter,)
            by_values = replace(group, partition=(*group.partition, *values, *chosen))
            so_far, rows = with_count(rows, by_values, _SO_FAR)
            return and_(equal(so_far, _number(1)), *map(is_not_null, values), *chosen), rows


def _number(value: int) -> Literal:
    """A constant of the type of a count."""
    return Literal(value, COUNT)
