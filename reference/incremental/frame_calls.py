"""The calls of a window, row after row (S-203, S-505).

The cost of a row does not grow with its frame for COUNT, SUM, AVG, MIN, MAX, EVERY, SOME,
ANY_VALUE, the variances, COVAR and CORR, the first, last and n-th value, LAG and LEAD, ranks and
NTILE, also with DISTINCT; that of MEDIAN grows by the logarithm.  LISTAGG looks at the whole frame,
and so do DISTINCT and MEDIAN where EXCLUDE cuts it in parts.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Final, Generic, TypeAlias

from algebra.constants import fold
from algebra.expression import (
    AggregateFunction,
    Expression,
    SortKey,
    Value,
    WindowCall,
    WindowFunction,
)
from algebra.plan import Frame, Unbounded
from grammar.codes import Code
from grammar.frozen import dataclass
from reference.aggregates import Aggregation, aggregation
from reference.expression import Meaning, meaning_of, row_of, truth_of
from reference.incremental import frame_aggregates as sliding
from reference.incremental import frame_values as values
from reference.incremental.frame_aggregates import P, Total
from reference.incremental.frame_median import Median, median
from reference.incremental.frame_partition import Column, Member, Part, Partition, Run
from reference.incremental.frame_values import Back, Front, Recent, positive
from reference.relation import Environment, Row
from reference.sums import running_sum
from reference.values import failure, integer

#: The arguments of a call on a row; None: the row does not count.
Reading: TypeAlias = Callable[[Row], Row | None]
#: A call before the first row of a partition.
NewColumn: TypeAlias = Callable[[], Column]
#: A part of an aggregate over no rows.
Fresh: TypeAlias = Callable[[], P]

#: What DISTINCT does not change.
_UNCHANGED: Final = frozenset({
    AggregateFunction.MIN, AggregateFunction.MAX, AggregateFunction.ANY_VALUE,
    AggregateFunction.EVERY, AggregateFunction.SOME,
})  # fmt: skip


def column_of(call: WindowCall, frame: Frame, grows: Sequence[bool], env: Environment) -> NewColumn:
    """The values of ``call`` over frames in parts, of which some only grow."""
    match call.function:
        case AggregateFunction():
            return _aggregate(call, grows, env)
        case WindowFunction.FIRST_VALUE:
            read = _value_read(call, env)
            return _accumulated(Front, values.first, read, grows, lambda: Front(1))
        case WindowFunction.LAST_VALUE:
            return _accumulated(Back, values.last, _value_read(call, env), grows)
        case WindowFunction.NTH_VALUE:
            total = values.nth(meaning_of(call.arguments[1], env), call.function)
            most = _constant(call.arguments[1])
            return _accumulated(Front, total, _value_read(call, env), grows, lambda: Front(most))
        case WindowFunction.LAG | WindowFunction.LEAD if call.ignore_nulls:
            return _skipping(call, env)
        case WindowFunction.LAG | WindowFunction.LEAD:
            whole = isinstance(frame.start, Unbounded)
            return lambda: Neighbour(Distance.of(call, env), whole)
        case _:
            placed = _placed(call, env)
            return lambda: Placed(placed)


def _constant(expression: Expression) -> int | None:
    """The integer that an argument always is; None if it is another on each row."""
    found = fold(expression)
    return None if found is None else integer(found.value)


def _value_read(call: WindowCall, env: Environment) -> Reading:
    """The first argument; a NULL counts if it is not ignored."""
    argument_on = meaning_of(call.arguments[0], env)
    ignored = call.ignore_nulls

    def read(row: Row) -> Row | None:
        value = argument_on(row)
        return None if ignored and value is None else (value,)

    return read


# --- accumulated --------------------------------------------------------------------------------


@dataclass(slots=True)
class Span(Generic[P]):
    """A part of the frames that slides from row to row; should it move back, it starts anew."""

    fresh: Fresh[P]
    grows: bool
    read: Reading
    held: P
    low: int = 0
    high: int = 0
    inside: deque[tuple[int, Row]] = field(default_factory=deque[tuple[int, Row]])

    def move(self, members: Run[Member], low: int, high: int) -> None:
        """Hold the rows from ``low`` until, not including, ``high``."""
        if low < self.low or high < self.high:
            self.held, self.low, self.high = self.fresh(), low, low
            self.inside.clear()
        inside, held = self.inside, self.held
        while inside and inside[0][0] < low:
            held.remove(inside.popleft()[1])
        for at in range(max(self.high, low), high):
            if held.full:
                break
            arguments = self.read(members[at].pending.row)
            if arguments is not None:
                held.add(arguments)
                if not self.grows:
                    inside.append((at, arguments))
        self.low, self.high = low, high


@dataclass(slots=True)
class Accumulated(Generic[P]):
    """A call that slides: its parts, and the value of them together."""

    spans: list[Span[P]]
    total: Total[P]

    def value(self, partition: Partition, at: int, parts: list[Part]) -> Value:
        """The value once every part is where the frame is."""
        members = partition.members
        for span, (low, high) in zip(self.spans, parts, strict=True):
            span.move(members, low, high)
        return self.total([each.held for each in self.spans], members[at].pending.row)

    def needs(self, partition: Partition) -> int:  # noqa: ARG002  # what it has not taken in
        """Rows behind those that its first part has taken in."""
        return self.spans[0].high

    def kept(self) -> list[Row]:
        """What the parts that grow keep; the rows of others are there."""
        return [row for each in self.spans if each.grows for row in each.held.kept()]


def _accumulated(
    fresh: Fresh[P],
    total: Total[P],
    read: Reading,
    grows: Sequence[bool],
    growing: Fresh[P] | None = None,
) -> NewColumn:
    """A call over frames in parts; ``growing`` makes those that rows only enter, if it differs."""

    def part(grown: bool) -> Span[P]:
        held = growing() if grown and growing is not None else fresh()
        return Span(fresh, grown, read, held)

    return lambda: Accumulated([part(each) for each in grows], total)


def _aggregate(call: WindowCall, grows: Sequence[bool], env: Environment) -> NewColumn:
    """An aggregate; over nothing COUNT is 0, the others NULL."""
    function, read = call.function, _arguments_read(call, env)
    assert isinstance(function, AggregateFunction), function
    distinct = call.distinct and function not in _UNCHANGED

    def of(fresh: Fresh[P], total: Total[P], growing: Fresh[P] | None = None) -> NewColumn:
        if not distinct:
            return _accumulated(fresh, total, read, grows, growing)
        # What differs comes and goes in any order, which all that this is asked for can bear.
        return _accumulated(
            lambda: sliding.Distinct(fresh()), sliding.distinct(fresh, total), read, grows
        )

    match function:
        case AggregateFunction.COUNT:
            return of(sliding.Counted, sliding.counted)
        case AggregateFunction.SUM | AggregateFunction.AVG:
            type = call.arguments[0].type
            total = sliding.summed(type, call.type, function is AggregateFunction.AVG)
            return of(lambda: sliding.Summed(running_sum(type)), total)
        case AggregateFunction.MIN | AggregateFunction.MAX:
            sign = 1 if function is AggregateFunction.MIN else -1
            return of(
                lambda: sliding.Extreme(sign, grows=False),
                sliding.extreme(sign),
                lambda: sliding.Extreme(sign, grows=True),
            )
        case AggregateFunction.ANY_VALUE:
            return of(Front, values.first, lambda: Front(1))
        case AggregateFunction.EVERY | AggregateFunction.SOME:
            every = function is AggregateFunction.EVERY
            truth = sliding.every_true if every else sliding.some_true
            return of(sliding.Truths, truth)
        case (
            AggregateFunction.VAR_POP
            | AggregateFunction.VAR_SAMP
            | AggregateFunction.STDDEV_POP
            | AggregateFunction.STDDEV_SAMP
            | AggregateFunction.COVAR_POP
            | AggregateFunction.COVAR_SAMP
        ):
            return of(sliding.Moments, sliding.spread(function))
        case AggregateFunction.CORR:
            return of(sliding.Moments, sliding.correlated)
        case AggregateFunction.MEDIAN:
            rising = SortKey(call.arguments[0], descending=False, nulls_first=False)
            falling = SortKey(call.arguments[0], descending=True, nulls_first=True)
            return of(lambda: Median(rising, falling), median(call.type))
        case (
            AggregateFunction.LISTAGG
            | AggregateFunction.PERCENTILE_CONT
            | AggregateFunction.PERCENTILE_DISC
            | AggregateFunction.LITERAL_AGG
        ):
            over = aggregation(call, env)
            return lambda: Whole(over)


def _arguments_read(call: WindowCall, env: Environment) -> Reading:
    """The arguments where FILTER holds and none of them is NULL."""
    chosen = None if call.filter is None else truth_of(call.filter, env)
    arguments_on = row_of(call.arguments, env)

    def read(row: Row) -> Row | None:
        if chosen is not None and not chosen(row):
            return None
        arguments = arguments_on(row)
        return None if None in arguments else arguments

    return read


@dataclass(slots=True)
class Whole:
    """An aggregate that looks at all rows of each frame."""

    over: Aggregation

    def value(self, partition: Partition, at: int, parts: list[Part]) -> Value:  # noqa: ARG002
        """The aggregate over the frame's rows; it does not matter whose frame it is."""
        members = partition.members
        return self.over(
            [members[place].pending.row for low, high in parts for place in range(low, high)]
        )

    def needs(self, partition: Partition) -> int:  # noqa: ARG002  # all of them
        """All rows."""
        return 0

    def kept(self) -> list[Row]:
        """Nothing beside them."""
        return []


# --- by place -----------------------------------------------------------------------------------


@dataclass(slots=True)
class Placed:
    """A function of a row's place in its partition: ranks, ROW_NUMBER, NTILE."""

    of: Callable[[Partition, int], Value]

    def value(self, partition: Partition, at: int, parts: list[Part]) -> Value:  # noqa: ARG002
        """What the place says; there is no frame."""
        return self.of(partition, at)

    def needs(self, partition: Partition) -> int:
        """No row that is determined."""
        return partition.next

    def kept(self) -> list[Row]:
        """Nothing."""
        return []


def _row_number(partition: Partition, at: int) -> Value:  # noqa: ARG001  # the place says it
    return at + 1


def _rank(partition: Partition, at: int) -> Value:
    return partition.peers(at)[0] + 1


def _dense_rank(partition: Partition, at: int) -> Value:
    return partition.members[at].group + 1


def _percent_rank(partition: Partition, at: int) -> Value:
    others = partition.members.stop - 1
    return partition.peers(at)[0] / others if others else 0.0


def _cume_dist(partition: Partition, at: int) -> Value:
    return partition.peers(at)[1] / partition.members.stop


def _placed(call: WindowCall, env: Environment) -> Callable[[Partition, int], Value]:
    match call.function:
        case WindowFunction.ROW_NUMBER:
            return _row_number
        case WindowFunction.RANK:
            return _rank
        case WindowFunction.DENSE_RANK:
            return _dense_rank
        case WindowFunction.PERCENT_RANK:
            return _percent_rank
        case WindowFunction.CUME_DIST:
            return _cume_dist
        case WindowFunction.NTILE:
            buckets_on = meaning_of(call.arguments[0], env)

            def tile(partition: Partition, at: int) -> Value:
                buckets = positive(buckets_on(partition.members[at].pending.row), "NTILE")
                return None if buckets is None else _tile(at, partition.members.stop, buckets)

            return tile
        case _:
            raise AssertionError(f"{call.function} does not go by the place alone")


def _tile(at: int, rows: int, buckets: int) -> int:
    """The bucket, from 1: all are as large as can be, of two sizes the first ones the larger."""
    size, larger = divmod(rows, buckets)
    if at < larger * (size + 1):
        return at // (size + 1) + 1
    return larger + (at - larger * (size + 1)) // size + 1


# --- LAG and LEAD -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Distance:
    """What LAG and LEAD say: how many rows away, of what, and what if there is none."""

    back: bool
    argument_on: Meaning
    offset_on: Meaning
    default_on: Meaning

    @staticmethod
    def of(call: WindowCall, env: Environment) -> "Distance":
        """The distance of a call, 1 if it says none; the default of none is NULL."""
        argument, *options = [meaning_of(each, env) for each in call.arguments]
        return Distance(
            call.function is WindowFunction.LAG,
            argument,
            options[0] if options else lambda _: 1,
            options[1] if len(options) > 1 else lambda _: None,
        )

    def offset(self, row: Row) -> int | None:
        """How far the row at hand looks; INVALID_ARGUMENT for a negative number."""
        value = self.offset_on(row)
        if value is not None and integer(value) < 0:
            function = WindowFunction.LAG if self.back else WindowFunction.LEAD
            raise failure(Code.INVALID_ARGUMENT, f"{function} by a negative number of rows")
        return None if value is None else integer(value)


@dataclass(slots=True)
class Neighbour:
    """LAG and LEAD that respect NULLs; ``whole``: they may look back to the first row."""

    distance: Distance
    whole: bool

    def value(self, partition: Partition, at: int, parts: list[Part]) -> Value:  # noqa: ARG002
        """The argument on that row, which is looked for in the partition."""
        members, distance = partition.members, self.distance
        row = members[at].pending.row
        offset = distance.offset(row)
        if offset is None:
            return None
        place = at - offset if distance.back else at + offset
        if 0 <= place < members.stop:
            return distance.argument_on(members[place].pending.row)
        return distance.default_on(row)

    def needs(self, partition: Partition) -> int:
        """All rows, if it may look back to the first one."""
        return 0 if self.whole and self.distance.back else partition.next

    def kept(self) -> list[Row]:
        """Nothing beside them."""
        return []


@dataclass(slots=True)
class SkippingLag:
    """LAG … IGNORE NULLS: the last values before the row that are not NULL."""

    distance: Distance
    span: Span[Recent]

    def value(self, partition: Partition, at: int, parts: list[Part]) -> Value:  # noqa: ARG002
        """The value that many before the row; its own at 0."""
        row = partition.members[at].pending.row
        self.span.move(partition.members, 0, at)
        offset, found = self.distance.offset(row), self.span.held.values
        if offset is None:
            return None
        if offset == 0:
            return self.distance.argument_on(row)
        return found[-offset][0] if offset <= len(found) else self.distance.default_on(row)

    def needs(self, partition: Partition) -> int:  # noqa: ARG002  # what it has not taken in
        """The rows that it has not taken in."""
        return self.span.high

    def kept(self) -> list[Row]:
        """Those values."""
        return list(self.span.held.kept())


@dataclass(slots=True)
class SkippingLead:
    """LEAD … IGNORE NULLS, in a partition that is complete: the values behind the row."""

    distance: Distance
    span: Span[Front]

    def value(self, partition: Partition, at: int, parts: list[Part]) -> Value:  # noqa: ARG002
        """The value that many behind the row; its own at 0."""
        row = partition.members[at].pending.row
        self.span.move(partition.members, at + 1, partition.members.stop)
        offset, found = self.distance.offset(row), self.span.held.values
        if offset is None:
            return None
        if offset == 0:
            return self.distance.argument_on(row)
        return found[offset - 1][0] if offset <= len(found) else self.distance.default_on(row)

    def needs(self, partition: Partition) -> int:
        """No row that is determined."""
        return partition.next

    def kept(self) -> list[Row]:
        """Nothing beside the rows."""
        return []


def _skipping(call: WindowCall, env: Environment) -> NewColumn:
    distance, read = Distance.of(call, env), _value_read(call, env)
    if not distance.back:
        return lambda: SkippingLead(distance, Span(Front, False, read, Front()))
    most = _constant(call.arguments[1]) if len(call.arguments) > 1 else 1
    return lambda: SkippingLag(distance, Span(Recent, True, read, Recent(most)))
