"""Window functions over Spark's own frames, or over the joined rows of a frame (S-505, S-506)."""

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column, WindowSpec
from pyspark.sql import Window as SparkWindow
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.expression import (
    FRAMED,
    AggregateFunction,
    Literal,
    WindowCall,
    WindowFunction,
)
from algebra.plan import RowOffset, Unbounded, WindowGroup
from algebra.types import Type
from grammar.codes import Code
from spark_backend.columns.datetimes import long, quotient
from spark_backend.columns.sort_keys import sorted_by
from spark_backend.exact.partial_sums import Merge
from spark_backend.made_once import col
from spark_backend.operators.aggregates import aggregated, in_group, is_rounded
from spark_backend.over.frames import spark_window
from spark_backend.runtime.failures import fails
from spark_backend.types import type_name
from spark_backend.workarounds.constant_order import keys_or_constant


@dataclass(frozen=True, slots=True)
class PreparedGroup:
    """A window group whose expressions are columns of the frame.

    ``partition``, ``keys`` and ``arguments`` (of each call) are their names.  ``number`` names the
    column with the row's place in the whole order, ``rank`` that with the place of the first of its
    peers, ``peers`` that with the number of its peer group; all count from 1.  ``full``: the whole
    order, ties included.
    """

    group: WindowGroup
    partition: tuple[str, ...]
    keys: tuple[str, ...]
    arguments: tuple[tuple[str, ...], ...]
    number: str
    rank: str
    peers: str
    full: tuple[Column, ...]

    @property
    def places(self) -> tuple[str, str, str]:
        """The columns ``number``, ``rank`` and ``peers``."""
        return self.number, self.rank, self.peers


# --- Spark's own windows ----------------------------------------------------------------------


def spark_call(prepared: PreparedGroup, place: int, *, small: bool) -> Column | None:
    """The call at ``place`` in the group, as a window function of Spark.

    None if Spark has no such frame or function.  None, too, if there are many rows (not ``small``)
    and Spark would round intermediate sums, or gather the values of each frame.
    """
    group, call = prepared.group, prepared.group.calls[place]
    arguments = [col(each) for each in prepared.arguments[place]]
    partition = [col(each) for each in prepared.partition]
    by = SparkWindow.partitionBy(*partition)
    if not call.is_framed:
        return _frameless(call, arguments, prepared, by)
    keys = list(zip((col(each) for each in prepared.keys), group.order, strict=True))
    spec = spark_window(group.frame, partition, keys, prepared.full)
    if spec is None or call.distinct or call.function is AggregateFunction.MEDIAN:
        return None
    if isinstance(call.function, WindowFunction):
        in_rows = all(
            isinstance(e, Unbounded | RowOffset) for e in (group.frame.start, group.frame.end)
        )
        return _value_by_spark(call, arguments, prepared, spec, in_rows=in_rows)
    if not small and is_rounded(call):
        return None
    types = [each.type for each in call.arguments]

    def over(column: Column, merge: Merge | None = None) -> Column:
        del merge  # a frame has no parts
        return column.over(spec)

    value = aggregated(
        call.function,
        arguments,
        types,
        call.type,
        distinct=False,
        over=over,
        place=col(prepared.number),
    )
    return value.cast(type_name(call.type))


def _frameless(
    call: WindowCall, arguments: Sequence[Column], prepared: PreparedGroup, by: WindowSpec
) -> Column:
    """A call of a function without a frame: of the row's place in its partition, or LAG or LEAD.

    ``by`` is the window of the whole partition, without an order.
    """
    order = [
        sorted_by(col(name), key)
        for name, key in zip(prepared.keys, prepared.group.order, strict=True)
    ]
    peers = by.orderBy(*keys_or_constant(order))
    number = col(prepared.number)
    match call.function:
        case WindowFunction.ROW_NUMBER:
            value = number
        case WindowFunction.RANK:
            value = col(prepared.rank)
        case WindowFunction.DENSE_RANK:
            value = col(prepared.peers)
        case WindowFunction.PERCENT_RANK:
            value = F.percent_rank().over(peers)
        case WindowFunction.CUME_DIST:
            value = F.cume_dist().over(peers)
        case WindowFunction.NTILE:
            value = _ntile(number, F.count(F.lit(1)).over(by), arguments[0], call.type)
        case _:
            value = _neighbour(call, arguments, prepared, by)
    return value.cast(type_name(call.type))


def _ntile(number: Column, rows: Column, buckets: Column, to: Type) -> Column:
    """The row's bucket, from 1; sizes differ by one at most, larger buckets first."""
    buckets = long(buckets)
    # The first ``larger`` buckets have one row more than ``size``.
    size, larger = quotient(rows, buckets), rows % buckets
    in_larger = larger * (size + 1)
    of_larger = quotient(number - 1, size + 1) + 1
    of_others = larger + quotient(number - 1 - in_larger, F.greatest(size, F.lit(1))) + 1
    refused = fails(Code.INVALID_ARGUMENT, "NTILE of a number that is not positive", to)
    found = F.when(number <= in_larger, of_larger).otherwise(of_others)
    return F.when(buckets <= 0, refused).otherwise(found)


def _neighbour(
    call: WindowCall, arguments: Sequence[Column], prepared: PreparedGroup, by: WindowSpec
) -> Column:
    """LAG or LEAD: the value at an offset before or after, or the default if there is no row."""
    value = arguments[0]
    default = arguments[2] if len(arguments) > 2 else F.lit(None).cast(type_name(call.type))
    backwards = call.function is WindowFunction.LAG
    offset = call.arguments[1] if len(call.arguments) > 1 else None
    whole = by.orderBy(*prepared.full)
    constant = offset.value if isinstance(offset, Literal) else 1
    refused = fails(
        Code.INVALID_ARGUMENT, f"{call.function} by a negative number of rows", call.type
    )
    # Spark's own LEAD takes only a constant offset.
    if not call.ignore_nulls and (offset is None or isinstance(offset, Literal)):
        if not isinstance(constant, int):
            return F.lit(None)  # the offset is NULL
        if constant < 0:
            return refused
        step = -constant if backwards else constant
        row_exists = F.lead(F.lit(1), step).over(whole)
        return F.when(row_exists.isNotNull(), F.lead(value, step).over(whole)).otherwise(default)
    # For any other call the values of all rows before or after the row are gathered.
    distance = long(arguments[1]) if len(arguments) > 1 else F.lit(1).cast("bigint")
    first, last = SparkWindow.unboundedPreceding, SparkWindow.unboundedFollowing
    rows = whole.rowsBetween(first, -1) if backwards else whole.rowsBetween(1, last)
    values = F.collect_list(F.struct(value.alias("v"))).over(rows)
    if call.ignore_nulls:
        values = F.filter(values, lambda x: x["v"].isNotNull())
    steps = distance.cast("int")
    found = F.get(values, F.size(values) - steps if backwards else steps - 1)
    at_distance = F.when(found.isNotNull(), found["v"]).otherwise(default)
    own = F.when(distance.isNull(), F.lit(None)).when(distance == 0, value)
    return own.when(distance < 0, refused).otherwise(at_distance)


def _value_by_spark(
    call: WindowCall,
    arguments: Sequence[Column],
    prepared: PreparedGroup,
    spec: WindowSpec,
    *,
    in_rows: bool,
) -> Column | None:
    """FIRST_VALUE, LAST_VALUE or NTH_VALUE; ties are in order of arrival, even in RANGE frames.

    ``in_rows``: both ends of the frame are unbounded or numbers of rows; NTH_VALUE needs this.
    None: Spark cannot evaluate the call.
    """
    value = arguments[0]
    number = col(prepared.number)
    place = F.when(value.isNotNull(), number) if call.ignore_nulls else number
    match call.function:
        case WindowFunction.FIRST_VALUE:
            return F.min_by(value, place).over(spec)
        case WindowFunction.LAST_VALUE:
            return F.max_by(value, place).over(spec)
        case _:
            nth = call.arguments[1]
            known = nth.value if isinstance(nth, Literal) else None
            if not in_rows or not isinstance(known, int) or known < 1:
                return None
            return F.nth_value(value, known, call.ignore_nulls).over(spec)


# --- over joined rows -------------------------------------------------------------------------


def joined_call(
    call: WindowCall, arguments: Sequence[Column], number: Column, marker: Column
) -> Column:
    """A call over the rows of a frame, which are joined to one row and grouped.

    ``number`` is the place of a joined row in the order; ``marker`` is NULL in padding.
    """
    if isinstance(call.function, WindowFunction):
        assert call.function in FRAMED, "functions without a frame are Spark's"
        return _value_by_join(call, arguments, number, marker).cast(type_name(call.type))
    value = aggregated(
        call.function,
        arguments,
        [each.type for each in call.arguments],
        call.type,
        distinct=call.distinct,
        over=in_group,
        place=number,
    )
    return value.cast(type_name(call.type))


def _value_by_join(
    call: WindowCall, arguments: Sequence[Column], number: Column, marker: Column
) -> Column:
    """FIRST_VALUE, LAST_VALUE or NTH_VALUE; the parameters are those of `joined_call`."""
    value = arguments[0]
    counts = marker.isNotNull() & value.isNotNull() if call.ignore_nulls else marker.isNotNull()
    match call.function:
        case WindowFunction.FIRST_VALUE:
            return F.min_by(value, F.when(counts, number))
        case WindowFunction.LAST_VALUE:
            return F.max_by(value, F.when(counts, number))
        case _:
            item = F.struct(number.alias("n"), value.alias("v"))
            ordered = F.sort_array(F.collect_list(F.when(counts, item)))
            nth = long(F.max(arguments[1]))
            message = "NTH_VALUE of a number that is not positive"
            refused = fails(Code.INVALID_ARGUMENT, message, call.type)
            return F.when(nth < 1, refused).otherwise(F.get(ordered, (nth - 1).cast("int"))["v"])
