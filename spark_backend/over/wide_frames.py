"""Wide sliding frames: a Python worker computes each sorted partition in one pass.

Spark's time for a sliding frame is proportional to the number of rows times the size of the frame.
Here the time is proportional to the number of rows alone.  Frames that Spark lacks, but whose ends
can be found in a sorted partition, are evaluated here, too: ends of two kinds, ends that cross, and
GROUPS.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false, reportUnknownLambdaType=false
# Arrow does not have type annotations.

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import reduce
from typing import Final

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]  # it has no types
from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses
from pyspark.sql import types as spark

from algebra.expression import AggregateFunction, Literal, Op, WindowCall, WindowFunction
from algebra.plan import Exclude, FrameBound, GroupOffset, RangeOffset, RowOffset, Unbounded
from algebra.types import APPROXIMATE, BIGINT, INTEGERS, INTERVAL, Kind, Type, decimal
from grammar.codes import Code
from spark_backend.columns.arithmetic import decimal_arithmetic, quotient_of_wholes
from spark_backend.exact.exact_states import is_state, value_of_state
from spark_backend.exact.exact_statistics import STATISTICS
from spark_backend.exact.wide_sums import needs_wide_sum
from spark_backend.made_once import col
from spark_backend.over.frames import whole_distance
from spark_backend.over.sliding import (
    Flags,
    FrameEnd,
    FrameRows,
    SumOverflowError,
    decimal_sums,
    double_sums,
    extremes,
    flags,
    frame_rows,
    integer_sums,
    integers,
    ranked,
    small_sums,
)
from spark_backend.over.sliding_states import states
from spark_backend.over.window_functions import PreparedGroup
from spark_backend.runtime.failures import failure_text
from spark_backend.translator import Translator
from spark_backend.types import interval_in_range, spark_type

#: The number of rows in a frame up to which Spark's own evaluation is faster.
NARROW: Final = 64


class FrameValue(Enum):
    """A value that is computed from each frame."""

    COUNT = auto()
    SUM = auto()
    AVERAGE = auto()  # of DOUBLEs; other averages are computed from SUM and COUNT
    LEAST = auto()
    GREATEST = auto()
    NTH = auto()  # the value at a place: counted from 0, or from the end if negative
    STATISTIC = auto()
    STATE = auto()  # of a sum or a statistic


@dataclass(frozen=True, slots=True)
class FrameColumn:
    """A column to compute: one value for the frame of each row.

    ``name`` and ``type`` are those of the column, ``what`` is the kind of value, and ``arguments``
    are the columns from which it is computed.  Rows with a NULL argument do not count, except for
    NTH if ``with_nulls``.  ``nth`` is the place for NTH.  ``statistic`` is the function for
    STATISTIC and STATE.
    """

    name: str
    what: FrameValue
    arguments: tuple[str, ...]
    type: spark.DataType
    nth: int = 0
    with_nulls: bool = False
    statistic: AggregateFunction = AggregateFunction.VAR_POP


@dataclass(frozen=True, slots=True)
class PartitionTask:
    """The work on one sorted partition: ``parts`` are computed and appended to ``carried``.

    ``start`` and ``end`` are those of the frames.  ``key`` is the column in which distances are
    measured, and ``descending`` its order; None if no end of the frame is a distance.
    """

    start: FrameEnd
    end: FrameEnd
    key: str | None
    descending: bool
    carried: tuple[str, ...]
    parts: tuple[FrameColumn, ...]

    def __call__(self, rows: pa.Table, requested: Flags | None = None) -> pa.Table:
        """The carried columns and the parts, for the ``requested`` rows; None: for all rows."""
        keys = None if self.key is None else whole_column(rows, self.key)
        frames = frame_rows(self.start, self.end, rows.num_rows, keys, self.descending)
        found = rows.select(list(self.carried))
        if requested is not None:
            frames = FrameRows(frames.low[requested], frames.high[requested])
            found = found.filter(pa.array(requested))
        for part in self.parts:
            found = found.append_column(part.name, _frame_values(part, rows, frames))
        return found


def whole_column(rows: pa.Table, name: str) -> pa.Array:
    """A column of a table as one array."""
    column = rows.column(name).combine_chunks()
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _frame_values(part: FrameColumn, rows: pa.Table, frames: FrameRows) -> pa.Array:
    """One value for each frame."""
    columns = [whole_column(rows, each) for each in part.arguments]
    if part.with_nulls:
        known = np.ones(rows.num_rows, np.bool_)
    else:
        known = reduce(np.logical_and, (flags(each.is_valid()) for each in columns))
    # ``of`` are the frames as positions among the rows that count, and ``where`` these rows.
    of, where = frames.among(known)
    sizes = of.high - of.low
    if part.what is FrameValue.COUNT:
        return pa.array(sizes)
    chosen = columns if known.all() else [each.take(pa.array(where)) for each in columns]
    values = chosen[0]
    if part.what in (FrameValue.STATE, FrameValue.STATISTIC):
        known_states = states(part.statistic, [each.to_pylist() for each in chosen], of)
        if part.what is FrameValue.STATE:
            return pa.array([s and s.encoded() for s in known_states], pa.binary())
        return pa.array([s and s.value for s in known_states], pa.float64())
    if part.what in (FrameValue.SUM, FrameValue.AVERAGE):
        try:
            return _sums(part, values, of)
        except SumOverflowError:
            message = failure_text(Code.OVERFLOW, "a sum is outside the range of its type")
            raise ArithmeticError(message) from None
    if part.what is FrameValue.NTH:
        places = of.low + part.nth if part.nth >= 0 else of.high + part.nth
        inside = (places >= of.low) & (places < of.high)
        return values.take(pa.array(np.where(inside, places, 0), mask=~inside))
    greatest = part.what is FrameValue.GREATEST
    if pa.types.is_integer(values.type):
        found = extremes(integers(values), of, greatest=greatest)
        return pa.array(found, mask=sizes == 0).cast(values.type)
    ranks, order = ranked(values)
    best = extremes(ranks, of, greatest=greatest)
    places = order[np.where(sizes > 0, best, 0)] if len(order) else best
    return values.take(pa.array(places, mask=sizes == 0))


def _sums(part: FrameColumn, values: pa.Array, of: FrameRows) -> pa.Array:
    """SUM of any type, or AVERAGE of DOUBLEs."""
    none = of.low == of.high
    if pa.types.is_decimal(values.type):
        return decimal_sums(values, of, none)
    if pa.types.is_floating(values.type):
        doubles = values.to_numpy(zero_copy_only=False)
        return pa.array(
            double_sums(doubles, of, average=part.what is FrameValue.AVERAGE), pa.float64()
        )
    whole = integers(values)
    sums = integer_sums if values.type == pa.int64() else small_sums
    return pa.array(sums(whole, of), mask=none)


# --- which calls, and in which parts ----------------------------------------------------------


def is_wide(prepared: PreparedGroup) -> bool:
    """Whether Spark may be slow: the start of the frame moves, and it may exceed `NARROW` rows.

    A frame with a distance counts as wide, because counting its rows would take a pass over the
    data, and for narrow frames both evaluations cost the same.
    """
    start, end = prepared.group.frame.start, prepared.group.frame.end
    if isinstance(start, RowOffset) and isinstance(end, RowOffset):
        return end.rows - start.rows >= NARROW
    return not isinstance(start, Unbounded)


@dataclass(frozen=True, slots=True)
class SlidingCall:
    """A call of a window function, evaluated in Python.

    ``columns`` has, by their names, those arguments of ``parts`` that are not yet columns of the
    rows.  ``value`` is the value of the call, an expression over the parts.
    """

    parts: tuple[FrameColumn, ...]
    columns: dict[str, Column]
    value: Column


def sliding_call(prepared: PreparedGroup, place: int, translator: Translator) -> SlidingCall | None:
    """A call as columns to compute; None if this module lacks its function or its frame."""
    call, arguments = prepared.group.calls[place], prepared.arguments[place]
    frame = prepared.group.frame
    if call.distinct or frame.exclude is not Exclude.NO_OTHERS or frame_ends(prepared) is None:
        return None
    if isinstance(call.function, WindowFunction):
        return _value_call(call, arguments, translator)
    types = [each.type for each in call.arguments]
    if is_state(call.function, call.type):
        name, binary = translator.fresh("v"), spark.BinaryType()
        part = FrameColumn(name, FrameValue.STATE, arguments, binary, statistic=call.function)
        return SlidingCall((part,), {}, col(name))
    match call.function:
        case AggregateFunction.COUNT:
            count = FrameColumn(
                translator.fresh("v"), FrameValue.COUNT, arguments, spark.LongType()
            )
            return SlidingCall((count,), {}, col(count.name))
        case AggregateFunction.SUM | AggregateFunction.AVG:
            return _sum_call(call, arguments[0], types[0], translator)
        case AggregateFunction.MIN | AggregateFunction.MAX:
            least = call.function is AggregateFunction.MIN
            return _extreme_call(arguments[0], types[0], translator, least=least)
        case AggregateFunction.EVERY | AggregateFunction.SOME:
            least = call.function is AggregateFunction.EVERY
            return _extreme_call(arguments[0], types[0], translator, least=least)
        case _ if call.function in STATISTICS:
            name = translator.fresh("v")
            part = FrameColumn(
                name, FrameValue.STATISTIC, arguments, spark.DoubleType(), statistic=call.function
            )
            return SlidingCall((part,), {}, col(name))
        case AggregateFunction.ANY_VALUE:
            kind = spark_type(types[0])
            part = FrameColumn(translator.fresh("v"), FrameValue.NTH, arguments, kind)
            return SlidingCall((part,), {}, col(part.name))
        case _:
            return None


def _value_call(
    call: WindowCall, arguments: Sequence[str], translator: Translator
) -> SlidingCall | None:
    """FIRST_VALUE, LAST_VALUE or NTH_VALUE by a positive constant; None for any other call."""
    match call.function:
        case WindowFunction.FIRST_VALUE:
            nth = 0
        case WindowFunction.LAST_VALUE:
            nth = -1
        case WindowFunction.NTH_VALUE:
            known = call.arguments[1]
            if not isinstance(known, Literal) or not isinstance(known.value, int):
                return None
            if known.value < 1:
                return None
            nth = known.value - 1
        case _:
            return None
    kind = spark_type(call.arguments[0].type)
    name, only = translator.fresh("v"), (arguments[0],)
    part = FrameColumn(name, FrameValue.NTH, only, kind, nth, with_nulls=not call.ignore_nulls)
    return SlidingCall((part,), {}, col(name))


def _extreme_call(argument: str, type: Type, translator: Translator, *, least: bool) -> SlidingCall:
    """MIN if ``least``, else MAX; EVERY and SOME are the MIN and MAX of BOOLEANs as 0 and 1."""
    name, what = translator.fresh("v"), FrameValue.LEAST if least else FrameValue.GREATEST
    if type.kind is not Kind.BOOLEAN:
        part = FrameColumn(name, what, (argument,), spark_type(type))
        return SlidingCall((part,), {}, col(name))
    number = translator.fresh("a")
    part = FrameColumn(name, what, (number,), spark.IntegerType())
    return SlidingCall((part,), {number: col(argument).cast("int")}, col(name).cast("boolean"))


def _sum_call(call: WindowCall, argument: str, type: Type, translator: Translator) -> SlidingCall:
    """SUM or AVG of values of ``type``, from a state, a sum of DOUBLEs, or a sum and a count."""
    average = call.function is AggregateFunction.AVG
    total, count = translator.fresh("v"), translator.fresh("v")
    # The sum of a frame of BIGINTs may be outside of BIGINT though the average is not.
    if average and (type.kind is Kind.BIGINT or needs_wide_sum(type)):
        state, binary = FrameValue.STATE, spark.BinaryType()
        part = FrameColumn(total, state, (argument,), binary, statistic=AggregateFunction.AVG)
        return SlidingCall((part,), {}, value_of_state(col(total), call.type))
    if type.kind in APPROXIMATE:
        double = translator.fresh("a")
        what = FrameValue.AVERAGE if average else FrameValue.SUM
        part = FrameColumn(total, what, (double,), spark.DoubleType())
        return SlidingCall((part,), {double: col(argument).cast("double")}, col(total))
    counted = FrameColumn(count, FrameValue.COUNT, (argument,), spark.LongType())
    rows = F.when(col(count) > 0, col(count))
    if type.kind is Kind.DECIMAL:
        whole = decimal(38, type.scale)
        part = FrameColumn(total, FrameValue.SUM, (argument,), spark_type(whole))
        if not average:
            return SlidingCall((part,), {}, col(total))
        value = decimal_arithmetic(Op.DIVIDE, col(total), rows, (whole, BIGINT), call.type)
        return SlidingCall((part, counted), {}, value)
    assert type.kind in INTEGERS | INTERVAL, f"no sum of {type}"
    part = FrameColumn(total, FrameValue.SUM, (argument,), spark.LongType())
    if average:
        return SlidingCall((part, counted), {}, quotient_of_wholes(col(total), rows))
    value = interval_in_range(col(total), type) if type.kind in INTERVAL else col(total)
    return SlidingCall((part,), {}, value)


# --- frames in Spark ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FrameEnds:
    """The ends of a frame.

    ``keyed``: at least one end is a distance.  ``by_peers``: distances are differences of the
    numbers of peer groups; if not, they are differences of sort keys.
    """

    start: FrameEnd
    end: FrameEnd
    by_peers: bool
    keyed: bool


def frame_ends(prepared: PreparedGroup) -> FrameEnds | None:
    """The ends of a group's frame; None if a distance is not an integer, or if both kinds occur."""
    group = prepared.group
    ends = (group.frame.start, group.frame.end)
    # An end at the peers (RANGE CURRENT ROW) is at distance 0, both by sort keys and by peer
    # groups.  So only another distance in RANGE decides that distances are measured by keys.
    by_keys = any(isinstance(each, RangeOffset) and each.distance.value for each in ends)
    has_groups = any(isinstance(each, GroupOffset) for each in ends)
    if by_keys and has_groups:
        return None
    start, end = (_frame_end(each, prepared, by_keys=by_keys) for each in ends)
    if start is None or end is None:
        return None
    keyed = any(isinstance(each, RangeOffset | GroupOffset) for each in ends)
    return FrameEnds(start, end, by_peers=keyed and not by_keys, keyed=keyed)


def _frame_end(bound: FrameBound, prepared: PreparedGroup, *, by_keys: bool) -> FrameEnd | None:
    """One end of a frame; None if its distance is not an integer.

    ``by_keys``: distances are differences of sort keys.  If not, each RANGE end is at the peers.
    """
    match bound:
        case Unbounded():
            return FrameEnd()
        case RowOffset(rows):
            return FrameEnd(rows=rows)
        case GroupOffset(groups):
            return FrameEnd(distance=groups)
        case RangeOffset() if not by_keys:
            return FrameEnd(distance=0)
        case RangeOffset():
            (key,) = prepared.group.order
            distance = whole_distance(bound, key.expression.type)
            return None if distance is None else FrameEnd(distance=distance)
