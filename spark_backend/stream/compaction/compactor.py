"""Which OVER of a plan is compacted, to which horizon, and the tables for the rows before it.

An OVER can be compacted (`spark_backend.stream.compaction.compaction`) if its rows arrive in its
order, and each of its calls has an accumulator, reads a few earlier rows, or reads only the rows of
a known time before its row.  Before the horizon, the input rows are final, and no output row is
read any more.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from algebra.build import less
from algebra.catalog import QualifiedName, row_type_of
from algebra.constraints.column_ranges import column_ranges
from algebra.expression import (
    Call,
    Case,
    Expression,
    Literal,
    Op,
    Value,
    WindowCall,
    WindowFunction,
)
from algebra.monotonicity.columns import OrderOf, column_monotonicity
from algebra.monotonicity.deduction import monotonicity
from algebra.plan import (
    Exclude,
    FrameBound,
    GroupOffset,
    Plan,
    RangeOffset,
    RowOffset,
    Unbounded,
    Window,
    WindowGroup,
    nodes,
    row_type,
)
from algebra.rewrite import has_subquery
from algebra.types import DAY_TO_SECOND, TIMESTAMP, Kind, Type
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.order.row_order import in_order_of_arrival
from spark_backend.order.times import time_place
from spark_backend.relation import outer_references, types_of
from spark_backend.stream.compaction.accumulators import Accumulator, accumulator
from spark_backend.stream.compaction.compaction import Compaction, Part, compacted, table_name
from spark_backend.stream.compaction.partial_aggregates import PartialAggregates
from spark_backend.stream.compaction.retained_prefix import PrefixRows, RetainedPrefix, prefix_rows
from spark_backend.stream.frame_kinds import is_by_time
from spark_backend.stream.retention.retained_rows import retained_rows
from spark_backend.stream.retention.retention import (
    WINDOW,
    Retention,
    retention,
    retention_of_window,
)

#: Functions that count rows from the first row of the partition on, whatever the frame is.
_NUMBERED: Final = {WindowFunction.ROW_NUMBER, WindowFunction.RANK, WindowFunction.DENSE_RANK}
#: The functions among them that give peers the same value.
_PEERS: Final = {WindowFunction.RANK, WindowFunction.DENSE_RANK}


@dataclass(slots=True)
class Compactor:
    """The state of the compaction of ``plan``: the horizon, in milliseconds, and tables by name.

    ``time`` is the place of the ascending rowtime by which the plan's rows are emitted, or None.
    ``compaction`` is None if no OVER can be compacted, ``horizon`` if none has been compacted yet.
    ``types`` has the column types of each table. ``turns`` counts the advances of the horizon, so
    that the new tables are written elsewhere than the old ones, from which they are computed.
    """

    plan: Plan
    time: int | None
    compaction: Compaction | None = field(init=False)
    types: Mapping[QualifiedName, tuple[Type, ...]] = field(init=False)
    turns: int = 0
    horizon: int | None = None
    tables: dict[QualifiedName, RowBuffer] = field(default_factory=dict[QualifiedName, RowBuffer])

    def __post_init__(self) -> None:
        """Find the OVER that can be compacted."""
        self.compaction, _ = compaction_of(self.plan, self.time)
        tables = () if self.compaction is None else self.compaction.tables
        self.types = {each.name: types_of(row_type_of(each)) for each in tables}

    def retention(self) -> Retention:
        """The rows of its streams that the plan still reads, at the present horizon."""
        if self.compaction is None or self.horizon is None:
            return retention(self.plan, self.time)
        return retention(
            self.plan, self.time, self.compaction.from_horizon(Literal(self.horizon, TIMESTAMP))
        )

    def applied(self, plan: Plan) -> Plan:
        """``plan``, which has the same OVER, rewritten to read the tables and the retained rows."""
        if self.compaction is None or self.horizon is None:
            return plan
        return compacted(plan, self.compaction, self.horizon)

    def over(self, window: Window, wider: Window) -> Plan:
        """``wider``, rewritten to read the tables and the retained rows if ``window`` is compacted.

        ``wider`` is ``window`` with more columns and groups.
        """
        if self.compaction is None or self.horizon is None or self.compaction.window != window:
            return wider
        return self.compaction.wider(wider).over(wider.input, self.horizon)

    def store(self, name: QualifiedName) -> RowBuffer:
        """The rows of a table of the compaction; none before the first compaction."""
        return self.tables[name] if name in self.tables else RowBuffer(self.types[name])

    def next_horizon(
        self,
        compaction: Compaction,
        bound: int,
        final: int,
        value_of: Callable[[Expression], Value],
    ) -> int | None:
        """The horizon to which a compaction can advance if no row before ``bound`` will be emitted.

        ``final`` is the time before which the input rows of OVER are final. ``value_of`` computes
        an expression without columns.  None: there is no horizon yet.
        """
        since = retention_of_window(self.plan, self.time, compaction.window, compaction.time).since(
            WINDOW, bound, value_of
        )
        if since is None:
            return self.horizon
        possible = min(since - compaction.back, final)
        return possible if self.horizon is None else max(self.horizon, possible)

    def take(self, horizon: int, tables: Mapping[QualifiedName, RowBuffer]) -> None:
        """Advance the horizon, with the tables for it."""
        self.turns += 1
        self.horizon = horizon
        self.tables |= tables

    def restore(
        self, horizons: Sequence[int | None], stores: Mapping[QualifiedName, RowBuffer]
    ) -> None:
        """Continue with the ``horizons`` that `horizons` returned, and the tables in ``stores``."""
        (self.horizon,) = horizons or (None,)
        self.tables = {name: each for name, each in stores.items() if name in self.types}

    def clear(self) -> None:
        """Reset the horizon, and evict the rows of the tables."""
        for each in self.tables.values():
            each.close()
        self.tables.clear()
        self.horizon = None

    @property
    def horizons(self) -> tuple[int | None, ...]:
        """The horizon, or None before the first compaction; empty if no OVER can be compacted."""
        return () if self.compaction is None else (self.horizon,)


def compaction_of(plan: Plan, time: int | None) -> tuple[Compaction | None, Expression | None]:
    """The compaction of a plan's OVER, and the condition on the input rows that are then read.

    The condition is an expression over `NOW`, the time of the plan's bound.  Both are None if no
    OVER can be compacted, or if no stream would retain fewer rows.  ``time`` is the place of the
    plan's rowtime.
    """
    per_row = None if time is None else retained_rows(plan, time)
    compactions = (_compaction(each) for each in nodes(plan) if isinstance(each, Window))
    compaction = next((each for each in compactions if each is not None), None)
    # Per-row retention (`retained_rows`) is enough if no frame starts with its partition.
    if time is None or compaction is None or (per_row is not None and None not in per_row.back):
        return None, None
    read = retention_of_window(plan, time, compaction.window, compaction.time)
    earliest = _earliest(read.needs.get(WINDOW, ()))
    if earliest is None:
        return None, None
    if compaction.back:
        earliest = Call(
            Op.DATETIME_PLUS, (earliest, Literal(-compaction.back, DAY_TO_SECOND)), earliest.type
        )
    is_read = compaction.from_horizon(earliest)
    plain, after = retention(plan, time), retention(plan, time, is_read)
    # None among the needs of a stream: all of its rows are retained.
    saves_rows = (
        None in needs and None not in after.needs[name] for name, needs in plain.needs.items()
    )
    return (compaction, is_read) if any(saves_rows) else (None, None)


def _earliest(needs: Sequence[Expression | None]) -> Expression | None:
    """The least of some times; None if one is unknown, or if there are none."""
    if not needs or None in needs:
        return None
    earliest, *others = [each for each in dict.fromkeys(needs) if each is not None]
    for each in others:
        sooner = less(each, earliest)
        earliest = Case(((sooner, each),), earliest, TIMESTAMP)
    return earliest


def _compaction(window: Window) -> Compaction | None:
    """The compaction of a window; None if a call needs all rows."""
    input = window.input
    time = time_place(input)
    if time is None or row_type(input)[time].type.nullable:
        return None
    groups: list[tuple[Part, ...]] = []
    partials: dict[int, PartialAggregates] = {}
    prefix_needs: list[tuple[WindowGroup, PrefixRows]] = []
    back = 0
    for place, group in enumerate(window.groups):
        if not (is_by_time(group, time) or _by_number(group, input)) or not _is_of_rows(group):
            return None
        parts: list[Part] = []
        for call in group.calls:
            reach = _reach(group, call)
            # A call that reads back a known time needs no replacement of the rows before that.
            part = None if reach is not None else _part(group, call)
            if reach is None and part is None:
                return None
            back = max(back, reach or 0, _distance_of_end(group, call))
            parts.append(part)
        groups.append(tuple(parts))
        counted = tuple(each for each in parts if isinstance(each, Accumulator))
        if counted:
            partials[place] = PartialAggregates(table_name(str(place)), group, counted)
        prefixes = (each for each in parts if isinstance(each, PrefixRows))
        prefix_needs += [(group, each) for each in dict.fromkeys(prefixes)]
    nothing_to_replace = not partials and not prefix_needs
    if nothing_to_replace and all(_is_read_by_time(each, time) for each in window.groups):
        return None  # retention by rowtime retains no more rows
    prefix = None
    if prefix_needs:
        prefix = RetainedPrefix(table_name("past"), row_type(input), time, tuple(prefix_needs))
    peers = [e.order[0].expression for e in window.groups if _counts_peers(e, time)]
    return Compaction(
        window=window,
        time=time,
        parts=tuple(groups),
        back=back,
        partials=partials,
        prefix=prefix,
        peers=tuple(peers),
    )


def _part(group: WindowGroup, call: WindowCall) -> Part:
    """The replacement of the rows before the horizon in a call; None if the call needs them all."""
    end = group.frame.end
    if call.function in _NUMBERED:
        return accumulator(call)
    if isinstance(group.frame.start, Unbounded) and call.is_framed:
        if not _ends_after_horizon(end):
            return None
        found = accumulator(call)
        if found is not None:
            return found
    return prefix_rows(group, call)


def _is_read_by_time(group: WindowGroup, time: int) -> bool:
    """Whether `algebra.metadata.history` finds the time back to which the group's frames read."""
    timed = isinstance(group.frame.start, RangeOffset) and len(group.order) == 1
    return timed and is_by_time(group, time) and all(call.is_framed for call in group.calls)


def _by_number(group: WindowGroup, input: Plan) -> bool:
    """Whether rows arrive in the order of the window's first key, which is not the rowtime.

    It is false, too, if this key can be NULL or if the frame has EXCLUDE, because such a window is
    not compacted.  Rows with equal keys must be on the same side of the horizon (`_counts_peers`).
    """
    if not group.order or not in_order_of_arrival(input):
        return False
    key = group.order[0]
    order = monotonicity(
        key.expression, column_monotonicity(input, OrderOf.ROWS), column_ranges(input)
    )
    in_turn = order.descending if key.descending else order.ascending
    excludes_none = group.frame.exclude is Exclude.NO_OTHERS
    return in_turn and excludes_none and not key.expression.type.nullable


def _counts_peers(group: WindowGroup, time: int) -> bool:
    """Whether the first key is not the rowtime, and rows with equal first keys affect one another.

    They do if a call counts peers, or if further keys order them.
    """
    counts = len(group.order) > 1 or any(call.function in _PEERS for call in group.calls)
    return not is_by_time(group, time) and counts


def _is_of_rows(group: WindowGroup) -> bool:
    """Whether the expressions read only their row, and no sub-query or enclosing query."""
    used = [*group.partition, *(each.expression for each in group.order)]
    for call in group.calls:
        used += [*call.arguments, *([] if call.filter is None else [call.filter])]
    return not any(map(has_subquery, used)) and not outer_references(*used)


def _ends_after_horizon(end: FrameBound) -> bool:
    """Whether frames end after the horizon for all rows that are far enough after it."""
    match end:
        case Unbounded():
            return True
        case RowOffset(offset) | GroupOffset(offset):
            return offset >= 0
        case RangeOffset():
            return _millis_before_row(end) is not None


def _distance_of_end(group: WindowGroup, call: WindowCall) -> int:
    """The milliseconds by which a frame ends before its row.

    0 if it does not end before the row, or if its end is not a distance in milliseconds.
    """
    end = group.frame.end
    if not call.is_framed or not isinstance(end, RangeOffset):
        return 0
    return _millis_before_row(end) or 0


def _reach(group: WindowGroup, call: WindowCall) -> int | None:
    """The milliseconds by which a call reads back from its row; None if there is no limit."""
    if call.function is WindowFunction.LEAD:
        return 0
    match group.frame.start:
        case _ if not call.is_framed:
            return None
        case Unbounded():
            return None
        case RowOffset(offset) | GroupOffset(offset):
            return 0 if offset >= 0 else None
        case RangeOffset() as start:
            return _millis_before_row(start)


def _millis_before_row(bound: RangeOffset) -> int | None:
    """The milliseconds by which an end of a frame is before its row; 0 if it is not before it.

    None if the distance is not a number of milliseconds.
    """
    distance = bound.distance
    if not bound.preceding or not distance.value:
        return 0
    if distance.type.kind is Kind.MILLIS and isinstance(distance.value, int):
        return distance.value
    return None
