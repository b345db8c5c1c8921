"""LAG and LEAD, with and without IGNORE NULLS (S-203)."""

from dataclasses import dataclass

from algebra.expression import Value, WindowCall, WindowFunction
from grammar.codes import Code
from reference.environment import Environment
from reference.incremental.over.frame_partition import FramePart, Partition
from reference.incremental.over.frame_reading import constant, value_read
from reference.incremental.over.frame_span import NewColumn, SlidingRange
from reference.incremental.over.frame_values import FirstValues, LastValues
from reference.relation import Row
from reference.scalar.expression import Meaning, meaning_of
from reference.snapshot import stateful
from reference.values import failure, integer


def neighbour_column(call: WindowCall, env: Environment) -> NewColumn:
    """The function that makes the column of a LAG or LEAD for a partition."""
    if call.ignore_nulls:
        return _skipping(call, env)
    return lambda: Neighbour(Distance.of(call, env))


@dataclass(frozen=True, slots=True)
class Distance:
    """The arguments of LAG (``back``) or LEAD as functions of a row: value, offset, default."""

    back: bool
    argument_on: Meaning
    offset_on: Meaning
    default_on: Meaning

    @staticmethod
    def of(call: WindowCall, env: Environment) -> "Distance":
        """The arguments of ``call``: the offset is 1 unless given, the default NULL."""
        argument, *options = [meaning_of(each, env) for each in call.arguments]
        return Distance(
            call.function is WindowFunction.LAG,
            argument,
            options[0] if options else lambda _: 1,
            options[1] if len(options) > 1 else lambda _: None,
        )

    def offset(self, row: Row) -> int | None:
        """The offset on ``row``; None if it is NULL.  Raises INVALID_ARGUMENT if it is negative."""
        value = self.offset_on(row)
        if value is not None and integer(value) < 0:
            function = WindowFunction.LAG if self.back else WindowFunction.LEAD
            raise failure(Code.INVALID_ARGUMENT, f"{function} by a negative number of rows")
        return None if value is None else integer(value)


@dataclass(frozen=True, slots=True)
class Neighbour:
    """LAG and LEAD that respect NULLs."""

    distance: Distance

    def value(self, partition: Partition, at: int, _parts: list[FramePart]) -> Value:
        """The argument on the row at the offset from the row at ``at``.

        The default if there is no such row; NULL if the offset is NULL.
        """
        members, distance = partition.members, self.distance
        row = members[at].pending.row
        offset = distance.offset(row)
        if offset is None:
            return None
        place = at - offset if distance.back else at + offset
        if 0 <= place < members.stop:
            return distance.argument_on(members[place].pending.row)
        return distance.default_on(row)

    def needs(self, _partition: Partition) -> int:
        """The place 0, because the offset may reach any row."""
        return 0

    def retained(self) -> list[Row]:
        """No values besides the rows of the partition."""
        return []


@stateful
@dataclass(slots=True)
class SkippingLag:
    """LAG … IGNORE NULLS; ``span`` retains the last values before the row that are not NULL."""

    distance: Distance
    span: SlidingRange[LastValues]

    def value(self, partition: Partition, at: int, _parts: list[FramePart]) -> Value:
        """The value that is the offset-th before the row, counting values that are not NULL.

        At offset 0 the row's own value; the default if there are fewer values; NULL if the offset
        is NULL.
        """
        row = partition.members[at].pending.row
        self.span.move(partition.members, 0, at)
        offset, found = self.distance.offset(row), self.span.aggregate.values
        if offset is None:
            return None
        if offset == 0:
            return self.distance.argument_on(row)
        return found[-offset][0] if offset <= len(found) else self.distance.default_on(row)

    def needs(self, _partition: Partition) -> int:
        """The place after the rows that it has accumulated."""
        return self.span.high

    def retained(self) -> list[Row]:
        """The values that it retains."""
        return list(self.span.aggregate.retained())


@stateful
@dataclass(slots=True)
class SkippingLead:
    """LEAD … IGNORE NULLS in a complete partition; ``span`` has the later values, without NULL."""

    distance: Distance
    span: SlidingRange[FirstValues]

    def value(self, partition: Partition, at: int, _parts: list[FramePart]) -> Value:
        """The value that is the offset-th after the row, counting values that are not NULL.

        At offset 0 the row's own value; the default if there are fewer values; NULL if the offset
        is NULL.
        """
        row = partition.members[at].pending.row
        self.span.move(partition.members, at + 1, partition.members.stop)
        offset, found = self.distance.offset(row), self.span.aggregate.values
        if offset is None:
            return None
        if offset == 0:
            return self.distance.argument_on(row)
        return found[offset - 1][0] if offset <= len(found) else self.distance.default_on(row)

    def needs(self, partition: Partition) -> int:
        """The first undetermined row."""
        return partition.next

    def retained(self) -> list[Row]:
        """No values besides the rows of the partition."""
        return []


def _skipping(call: WindowCall, env: Environment) -> NewColumn:
    """The function that makes the column of a LAG or LEAD with IGNORE NULLS for a partition."""
    distance, read = Distance.of(call, env), value_read(call, env)
    if not distance.back:
        return lambda: SkippingLead(distance, SlidingRange(FirstValues, False, read, FirstValues()))
    # LAG retains at most as many values as a constant offset needs; all (None) for another offset.
    most = constant(call.arguments[1]) if len(call.arguments) > 1 else 1
    return lambda: SkippingLag(distance, SlidingRange(LastValues, True, read, LastValues(most)))
