"""Frames: as a window of Spark if possible, else as a condition on pairs of rows (S-505, S-506)."""

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column, WindowSpec
from pyspark.sql import Window as SparkWindow
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.expression import Literal, SortKey
from algebra.plan import (
    Exclude,
    Frame,
    FrameBound,
    GroupOffset,
    RangeOffset,
    RowOffset,
    Unbounded,
)
from algebra.types import (
    APPROXIMATE,
    DATETIME,
    INTEGERS,
    INTERVAL,
    MILLIS_PER_DAY,
    Kind,
    Type,
)
from spark_backend.columns.datetimes import months_later
from spark_backend.columns.logic import all_of
from spark_backend.columns.sort_keys import sorted_by
from spark_backend.made_once import col
from spark_backend.types import literal
from spark_backend.workarounds.frame_offsets import range_key, rows_offset

#: The greatest distance whose sum with a key fits in a BIGINT.
_SAFE: int = 2**61


@dataclass(frozen=True, slots=True)
class PairedRow:
    """One row of a pair from the same partition, as the names of its columns.

    ``keys``: its sort keys.  ``number``: its place in the order; ``rank``: the place of the first
    of its peers; ``group``: the number of its peer group; all of them count from 1.
    """

    keys: tuple[str, ...]
    number: str
    rank: str
    group: str


def is_at_peers(bound: FrameBound) -> bool:
    """Whether the bound is at the current row's peers: CURRENT ROW in RANGE or GROUPS."""
    match bound:
        case RangeOffset(distance):
            return not distance.value
        case GroupOffset(groups):
            return groups == 0
        case Unbounded() | RowOffset():
            return False


def spark_window(
    frame: Frame,
    partition: Sequence[Column],
    keys: Sequence[tuple[Column, SortKey]],
    full: Sequence[Column],
) -> WindowSpec | None:
    """The frame as a window of Spark; None if Spark has no such frame.

    Spark lacks EXCLUDE, GROUPS, ends of two kinds, a start after the end, and distances that are
    not integers.  ``keys``: the sort keys with their values.  ``full``: the whole order, with the
    columns that order ties.
    """
    start, end = frame.start, frame.end
    ends = (start, end)
    if frame.exclude is not Exclude.NO_OTHERS:
        return None
    window = SparkWindow.partitionBy(*partition)
    first, last = SparkWindow.unboundedPreceding, SparkWindow.unboundedFollowing
    # Without sort keys all rows of the partition are peers, and Spark has no RANGE frame.
    if all(isinstance(each, Unbounded) or (not keys and is_at_peers(each)) for each in ends):
        return window.orderBy(*full).rowsBetween(first, last)
    if isinstance(start, Unbounded | RowOffset) and isinstance(end, Unbounded | RowOffset):
        low = rows_offset(start.rows) if isinstance(start, RowOffset) else first
        high = rows_offset(end.rows) if isinstance(end, RowOffset) else last
        return window.orderBy(*full).rowsBetween(low, high) if low <= high else None
    if isinstance(start, RowOffset) or isinstance(end, RowOffset):
        return None
    if all(isinstance(each, Unbounded) or is_at_peers(each) for each in ends):
        low = first if isinstance(start, Unbounded) else SparkWindow.currentRow
        high = last if isinstance(end, Unbounded) else SparkWindow.currentRow
        order = [sorted_by(column, key) for column, key in keys]
        return window.orderBy(*order).rangeBetween(low, high)
    if isinstance(start, GroupOffset) or isinstance(end, GroupOffset):
        return None
    ((column, key),) = keys
    of = key.expression.type
    begin = first if isinstance(start, Unbounded) else whole_distance(start, of)
    stop = last if isinstance(end, Unbounded) else whole_distance(end, of)
    if begin is None or stop is None or begin > stop:
        return None
    column = range_key(column, is_bigint=of.kind in (Kind.BIGINT, Kind.MILLIS, Kind.MONTHS))
    return window.orderBy(sorted_by(column, key)).rangeBetween(begin, stop)


def whole_distance(bound: FrameBound, key: Type) -> int | None:
    """The signed distance of a RANGE bound from the key, in the key's unit; negative if PRECEDING.

    None if the key or the distance is not an integer, or if the distance has months or exceeds
    `_SAFE`.
    """
    assert isinstance(bound, RangeOffset), "callers pass RANGE bounds"
    value = bound.distance.value
    whole = key.kind in INTEGERS | DATETIME | INTERVAL and isinstance(value, int)
    months = bound.distance.type.kind is Kind.MONTHS and key.kind is not Kind.MONTHS
    if not whole or months or not isinstance(value, int) or value > _SAFE:
        return None
    if key.kind is Kind.DATE and bound.distance.type.kind is Kind.MILLIS:
        value //= MILLIS_PER_DAY
    return -value if bound.preceding else value


# --- as a condition ---------------------------------------------------------------------------


def in_frame(frame: Frame, order: Sequence[SortKey], row: PairedRow, other: PairedRow) -> Column:
    """Whether ``other``, a row of the same partition, is in the frame of ``row``."""
    after = _within_bound(frame.start, order, row, other, start=True)
    before = _within_bound(frame.end, order, row, other, start=False)
    included = _not_excluded(frame.exclude, row, other)
    return all_of(each for each in (after, before, included) if each is not None)


def _not_excluded(exclude: Exclude, row: PairedRow, other: PairedRow) -> Column | None:
    """The condition that EXCLUDE leaves ``other`` in the frame; None if it excludes no row."""
    is_other_row = col(other.number) != col(row.number)
    is_not_peer = col(other.rank) != col(row.rank)
    match exclude:
        case Exclude.NO_OTHERS:
            return None
        case Exclude.CURRENT_ROW:
            return is_other_row
        case Exclude.GROUP:
            return is_not_peer
        case Exclude.TIES:
            return is_not_peer | ~is_other_row


def _within_bound(
    bound: FrameBound, order: Sequence[SortKey], row: PairedRow, other: PairedRow, *, start: bool
) -> Column | None:
    """The condition that ``other`` is inside one bound of the frame; None if it is unbounded.

    The bound is the start of the frame if ``start``, else its end.
    """

    def on_side(a: Column, b: Column) -> Column:
        """Whether ``a`` is at or after ``b`` if the bound is the start; at or before if the end."""
        return a >= b if start else a <= b

    match bound:
        case Unbounded():
            return None
        case RowOffset(rows):
            return on_side(col(other.number), col(row.number) + F.lit(rows))
        case GroupOffset(groups):
            return on_side(col(other.group), col(row.group) + F.lit(groups))
        case RangeOffset() if is_at_peers(bound):
            return on_side(col(other.rank), col(row.rank))
        case RangeOffset(distance, preceding):
            (key,) = order
            mine, theirs = col(row.keys[0]), col(other.keys[0])
            # PRECEDING is toward the partition's start, where a descending key is greater.
            target = _moved(mine, key.expression.type, distance, back=preceding != key.descending)
            reached = on_side(target, theirs) if key.descending else on_side(theirs, target)
            # At any distance, a NULL is after the start if NULLs are last, and before the end if
            # they are first.
            at_nulls = F.lit(key.nulls_first != start)
            by_place = on_side(col(other.rank), col(row.rank))
            return (
                F.when(mine.isNull(), by_place).when(theirs.isNull(), at_nulls).otherwise(reached)
            )


def _moved(column: Column, key: Type, distance: Literal, *, back: bool) -> Column:
    """The value at a distance from the sort key ``column``, in a type that does not overflow.

    ``back``: the distance is subtracted.
    """
    value = literal(distance.value, distance.type)
    if key.kind in DATETIME and distance.type.kind is Kind.MONTHS:
        return months_later(column, -value if back else value, key.kind)
    if key.kind is Kind.DATE:
        value = (value / F.lit(MILLIS_PER_DAY)).cast("bigint")
    if key.kind in APPROXIMATE or distance.type.kind in APPROXIMATE:
        column, value = column.cast("double"), value.cast("double")
    elif key.kind is Kind.DECIMAL or distance.type.kind is Kind.DECIMAL:
        pass  # Spark's sum of DECIMALs does not overflow
    else:
        column, value = column.cast("decimal(20,0)"), value.cast("decimal(20,0)")
    return column - value if back else column + value
