"""Which window is folded, and the tables that stand for the rows before its cut.

A window is folded (`spark_backend.stream.compaction.compaction`) whose calls all have accumulators,
see a few past rows, or see no further back than a time, and which is ordered by its input's time.
The cut is a time before which the input's rows are final, and before which no row of the window is
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
from algebra.types import DAY_TO_SECOND, MIN_TIMESTAMP, TIMESTAMP, Kind, Type
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.relation import outer_references, types_of
from spark_backend.stream.compaction.accumulators import Accumulator, accumulator
from spark_backend.stream.compaction.compaction import Fold, Part, table_name, with_fold
from spark_backend.stream.compaction.partial_aggregates import PartialAggregates
from spark_backend.stream.compaction.retained_prefix import Past, PrefixRows, prefix_rows
from spark_backend.stream.emission.row_order import in_order_of_arrival
from spark_backend.stream.retention.retained_rows import is_by_time, is_framed, retained_rows
from spark_backend.stream.retention.retention import (
    WINDOW,
    Retention,
    reading,
    retention,
)
from spark_backend.stream.times import time_place

#: Functions that number the rows from the first of the partition on, whatever the frame.
_NUMBERED: Final = {WindowFunction.ROW_NUMBER, WindowFunction.RANK, WindowFunction.DENSE_RANK}
_PEERS: Final = {WindowFunction.RANK, WindowFunction.DENSE_RANK}


@dataclass(slots=True)
class Folding:
    """The fold of ``plan`` at work: its cut, in milliseconds, and the tables of totals by name.

    ``time`` is the place of the plan's time, None where its rows leave by none that rises.
    ``fold`` None: no window of the plan can be folded; ``cut`` None: it is not cut yet.  ``types``
    are those of each table's rows; ``turns``: how often there were new ones.
    """

    plan: Plan
    time: int | None
    fold: Fold | None = field(init=False)
    types: Mapping[QualifiedName, tuple[Type, ...]] = field(init=False)
    turns: int = 0
    cut: int | None = None
    tables: dict[QualifiedName, RowBuffer] = field(default_factory=dict[QualifiedName, RowBuffer])

    def __post_init__(self) -> None:
        """Find the window."""
        self.fold, _ = folded(self.plan, self.time)
        tables = () if self.fold is None else self.fold.tables
        self.types = {each.name: types_of(row_type_of(each)) for each in tables}

    def retention(self) -> Retention:
        """What the plan still reads of its streams, as the window is cut."""
        if self.fold is None or self.cut is None:
            return retention(self.plan, self.time)
        return retention(self.plan, self.time, self.fold.from_cut(Literal(self.cut, TIMESTAMP)))

    def applied(self, plan: Plan) -> Plan:
        """A plan of the same window, over what is kept."""
        if self.fold is None or self.cut is None:
            return plan
        return with_fold(plan, self.fold, self.cut)

    def over(self, window: Window, wider: Window) -> Plan:
        """A window with more behind its input's columns and its calls, cut as ``window`` is."""
        if self.fold is None or self.cut is None or self.fold.window != window:
            return wider
        return self.fold.wider(wider).over(wider.input, self.cut)

    def store(self, name: QualifiedName) -> RowBuffer:
        """The rows of a table."""
        return self.tables[name] if name in self.tables else RowBuffer(self.types[name])

    def next_cut(
        self, fold: Fold, bound: int, final: int, value_of: Callable[[Expression], Value]
    ) -> int | None:
        """Where the window can be cut, if no row of the plan before ``bound`` is to come out.

        None: it is not known.  ``final``: the time before which the rows of its input are.
        """
        since = reading(self.plan, self.time, fold.window, fold.time).since(WINDOW, bound, value_of)
        if since is None:
            return self.cut
        before = MIN_TIMESTAMP if self.cut is None else self.cut
        return max(before, min(since - fold.back, final))

    def take(self, cut: int, tables: Mapping[QualifiedName, RowBuffer]) -> None:
        """Let the window be cut there, with these tables."""
        self.turns += 1
        self.cut = cut
        self.tables |= tables

    def restore(
        self, times: Sequence[int | None], stores: Mapping[QualifiedName, RowBuffer]
    ) -> None:
        """Be as `times` and the tables among what was kept tell."""
        (self.cut,) = times or (None,)
        self.tables = {name: each for name, each in stores.items() if name in self.types}

    def clear(self) -> None:
        """Be as at the beginning."""
        for each in self.tables.values():
            each.close()
        self.tables.clear()
        self.cut = None

    @property
    def times(self) -> tuple[int | None, ...]:
        """The cut of the fold, None if it is not cut; empty if there is no fold."""
        return () if self.fold is None else (self.cut,)


def folded(plan: Plan, time: int | None) -> tuple[Fold | None, Expression | None]:
    """The window of a plan, if it is folded, and by `NOW` which rows of its input are not cut off.

    None where that frees no stream of which all rows are kept else, or of one stream the last rows
    are kept anyhow.  ``time`` is the place of the plan's time.
    """
    last = None if time is None else retained_rows(plan, time)
    folds = (_fold(each) for each in nodes(plan) if isinstance(each, Window))
    fold = next((each for each in folds if each is not None), None)
    if time is None or fold is None or (last is not None and None not in last.back):
        return None, None
    read = reading(plan, time, fold.window, fold.time)
    at = _earliest(read.needs.get(WINDOW, ()))
    if at is None:
        return None, None
    if fold.back:
        at = Call(Op.DATETIME_PLUS, (at, Literal(-fold.back, DAY_TO_SECOND)), at.type)
    cut = fold.from_cut(at)
    plain, after = retention(plan, time), retention(plan, time, cut)
    evicted = (
        None in needs and None not in after.needs[name] for name, needs in plain.needs.items()
    )
    return (fold, cut) if any(evicted) else (None, None)


def _earliest(needs: Sequence[Expression | None]) -> Expression | None:
    """The least of times; None: there is none."""
    if not needs or None in needs:
        return None
    earliest, *others = [each for each in dict.fromkeys(needs) if each is not None]
    for each in others:
        sooner = less(each, earliest)
        earliest = Case(((sooner, each),), earliest, TIMESTAMP)
    return earliest


def _fold(window: Window) -> Fold | None:
    """A window as one that can be folded; None: it needs its rows."""
    input = window.input
    time = time_place(input, window)
    if time is None or row_type(input)[time].type.nullable:
        return None
    groups: list[tuple[Part, ...]] = []
    partials: dict[int, PartialAggregates] = {}
    seen: list[tuple[WindowGroup, PrefixRows]] = []
    back = 0
    for place, group in enumerate(window.groups):
        if not (is_by_time(group, time) or _by_number(group, input)) or not _is_of_rows(group):
            return None
        parts: list[Part] = []
        for call in group.calls:
            reached = _reaches_back(group, call)
            part = None if reached is not None else _part(group, call)
            if reached is None and part is None:
                return None
            back = max(back, reached or 0, _ends_before(group, call))
            parts.append(part)
        groups.append(tuple(parts))
        counted = tuple(each for each in parts if isinstance(each, Accumulator))
        if counted:
            partials[place] = PartialAggregates(table_name(str(place)), group, counted)
        prefixes = (each for each in parts if isinstance(each, PrefixRows))
        seen += [(group, each) for each in dict.fromkeys(prefixes)]
    if not partials and not seen and all(_is_read_by_time(each, time) for each in window.groups):
        return None
    past = Past(table_name("past"), row_type(input), time, tuple(seen)) if seen else None
    peers = [e.order[0].expression for e in window.groups if _counts_peers(e, time)]
    return Fold(window, time, tuple(groups), back, partials, past, tuple(peers))


def _part(group: WindowGroup, call: WindowCall) -> Part:
    """What stands for the rows before a cut in a call that sees any; None: nothing can."""
    end = group.frame.end
    if call.function in _NUMBERED:
        return accumulator(call)
    if isinstance(group.frame.start, Unbounded) and is_framed(call):
        if not _ends_behind_cut(end):
            return None
        found = accumulator(call)
        if found is not None:
            return found
    return prefix_rows(group, call)


def _is_read_by_time(group: WindowGroup, time: int) -> bool:
    """Whether `algebra.metadata.history` knows from which time on the group's frames read."""
    timed = isinstance(group.frame.start, RangeOffset) and len(group.order) == 1
    return timed and is_by_time(group, time) and all(map(is_framed, group.calls))


def _by_number(group: WindowGroup, input: Plan) -> bool:
    """Whether rows come in the order of the window, so that those before a time come first.

    Or in that of its first key: then peers by that are on one side of a cut.
    """
    if not group.order or not in_order_of_arrival(input):
        return False
    key = group.order[0]
    order = monotonicity(
        key.expression, column_monotonicity(input, OrderOf.ROWS), column_ranges(input)
    )
    in_turn = order.descending if key.descending else order.ascending
    alone = group.frame.exclude is Exclude.NO_OTHERS
    return in_turn and alone and not key.expression.type.nullable


def _counts_peers(group: WindowGroup, time: int) -> bool:
    """Whether rows that are equal by a number tell of one another: some may be out, others to come.

    They are counted, or more keys put them in order.
    """
    counts = len(group.order) > 1 or any(call.function in _PEERS for call in group.calls)
    return not is_by_time(group, time) and counts


def _is_of_rows(group: WindowGroup) -> bool:
    """Whether the expressions are of a row alone, not of other plans."""
    used = [*group.partition, *(each.expression for each in group.order)]
    for call in group.calls:
        used += [*call.arguments, *([] if call.filter is None else [call.filter])]
    return not any(map(has_subquery, used)) and not outer_references(used)


def _ends_behind_cut(end: FrameBound) -> bool:
    """Whether frames of rows far enough behind a cut end behind it, too."""
    match end:
        case Unbounded():
            return True
        case RowOffset(offset) | GroupOffset(offset):
            return offset >= 0
        case RangeOffset():
            return _back(end) is not None


def _ends_before(group: WindowGroup, call: WindowCall) -> int:
    """How long before a row its frame ends, in milliseconds; 0 of one that does not by a time."""
    end = group.frame.end
    return (_back(end) or 0) if isinstance(end, RangeOffset) and is_framed(call) else 0


def _reaches_back(group: WindowGroup, call: WindowCall) -> int | None:
    """How long before a row the rows are that a call sees, in milliseconds; None: any time."""
    if call.function is WindowFunction.LEAD:
        return 0
    match group.frame.start:
        case _ if not is_framed(call):
            return None
        case Unbounded():
            return None
        case RowOffset(offset) | GroupOffset(offset):
            return 0 if offset >= 0 else None
        case RangeOffset() as start:
            return _back(start)


def _back(bound: RangeOffset) -> int | None:
    distance = bound.distance
    if not bound.preceding or not distance.value:
        return 0
    if distance.type.kind is Kind.MILLIS and isinstance(distance.value, int):
        return distance.value
    return None
