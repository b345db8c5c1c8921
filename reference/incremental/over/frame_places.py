"""The functions of a row's place in its partition: ranks, ROW_NUMBER, NTILE (S-203)."""

from collections.abc import Callable
from dataclasses import dataclass

from algebra.expression import Value, WindowCall, WindowFunction
from reference.incremental.over.frame_partition import Part, Partition
from reference.incremental.over.frame_span import NewColumn
from reference.incremental.over.frame_values import positive
from reference.relation import Environment, Row
from reference.scalar.expression import meaning_of


def place_column(call: WindowCall, env: Environment) -> NewColumn:
    """A rank, ROW_NUMBER or NTILE, which looks at no frame."""
    placed = _placed(call, env)
    return lambda: Placed(placed)


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
