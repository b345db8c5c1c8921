"""LAG and LEAD: a value so many rows away, with and without NULLs (S-203)."""

from dataclasses import dataclass

from algebra.expression import Value, WindowCall, WindowFunction
from algebra.plan import Frame, Unbounded
from grammar.codes import Code
from reference.incremental.over.frame_partition import Part, Partition
from reference.incremental.over.frame_reading import constant, value_read
from reference.incremental.over.frame_span import NewColumn, Span
from reference.incremental.over.frame_values import Front, Recent
from reference.relation import Environment, Row
from reference.scalar.expression import Meaning, meaning_of
from reference.values import failure, integer


def neighbour_column(call: WindowCall, frame: Frame, env: Environment) -> NewColumn:
    """A LAG or LEAD."""
    if call.ignore_nulls:
        return _skipping(call, env)
    whole = isinstance(frame.start, Unbounded)
    return lambda: Neighbour(Distance.of(call, env), whole)


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
    distance, read = Distance.of(call, env), value_read(call, env)
    if not distance.back:
        return lambda: SkippingLead(distance, Span(Front, False, read, Front()))
    most = constant(call.arguments[1]) if len(call.arguments) > 1 else 1
    return lambda: SkippingLag(distance, Span(Recent, True, read, Recent(most)))
