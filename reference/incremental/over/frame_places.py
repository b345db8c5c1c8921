"""Ranks, ROW_NUMBER and NTILE: functions that depend on a row's place in its partition (S-203)."""

from collections.abc import Callable
from dataclasses import dataclass

from algebra.expression import Value, WindowCall, WindowFunction
from reference.environment import Environment
from reference.incremental.over.frame_partition import FramePart, Partition
from reference.incremental.over.frame_span import NewColumn
from reference.incremental.over.frame_values import positive
from reference.relation import Row
from reference.scalar.expression import meaning_of


def place_column(call: WindowCall, env: Environment) -> NewColumn:
    """The function that makes the column of a rank, ROW_NUMBER or NTILE for a partition.

    These functions ignore the frame.
    """
    placed = _placed(call, env)
    return lambda: Placed(placed)


@dataclass(frozen=True, slots=True)
class Placed:
    """The column of a rank, ROW_NUMBER or NTILE.

    ``of`` computes the function from the partition and a row's place.
    """

    of: Callable[[Partition, int], Value]

    def value(self, partition: Partition, at: int, _parts: list[FramePart]) -> Value:
        """The function's value for the row at the place ``at``."""
        return self.of(partition, at)

    def needs(self, partition: Partition) -> int:
        """The place of the first undetermined row."""
        return partition.next

    def retained(self) -> list[Row]:
        """No values besides the rows of the partition."""
        return []


# The following functions take the place of a row, counted from 0.  ``partition.peers(at)`` is the
# half-open range of the places of its peers, and ``partition.members.stop`` the number of rows.


def _row_number(_partition: Partition, at: int) -> Value:
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
    """The function that computes ``call`` from a partition and the place of a row."""
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
    """The bucket, from 1, of the row at ``at``, if ``rows`` rows are divided into ``buckets``.

    The sizes of buckets differ by at most one, and the larger buckets are first.
    """
    size, larger = divmod(rows, buckets)
    if at < larger * (size + 1):
        return at // (size + 1) + 1
    return larger + (at - larger * (size + 1)) // size + 1
