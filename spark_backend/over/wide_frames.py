"""Sliding frames of many rows: each partition is sorted and goes once to a Python worker.

Spark's cost of a sliding frame is rows times frame; here a partition goes to Python once, sorted,
in Arrow, and comes back with its values.  What Spark has no frame for but whose ends are found in a
sorted partition (ends of two kinds, frames that cross, GROUPS) comes here, too.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false, reportUnknownLambdaType=false
# Arrow has no types of its own.

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
from spark_backend.columns.arithmetic import decimal_arithmetic
from spark_backend.exact.exact_states import is_state
from spark_backend.exact.exact_statistics import STATISTICS
from spark_backend.over.frames import whole_distance
from spark_backend.over.sliding import (
    Bound,
    Flags,
    Places,
    SumOverflowError,
    decimal_sums,
    double_sums,
    extremes,
    flags,
    integer_sums,
    integers,
    places,
    ranked,
    small_sums,
)
from spark_backend.over.sliding_statistics import states, statistics
from spark_backend.over.window_functions import Prepared
from spark_backend.runtime.failures import failure_text
from spark_backend.translator import Translator
from spark_backend.types import spark_type

#: Up to so many rows of a frame Spark's own walk is the faster way.
NARROW: Final = 64


class What(Enum):
    """What is asked of each frame."""

    COUNT = auto()
    SUM = auto()
    AVERAGE = auto()  # of DOUBLEs only: of others it is made of sum and count
    LEAST = auto()
    GREATEST = auto()
    NTH = auto()  # from 0; from the end if negative
    STATISTIC = auto()
    STATE = auto()  # of a sum or a statistic


@dataclass(frozen=True, slots=True)
class Part:
    """A column to compute, from rows in which no argument is NULL; of ``NTH``: or all rows."""

    name: str
    what: What
    arguments: tuple[str, ...]
    type: spark.DataType
    nth: int = 0
    with_nulls: bool = False
    statistic: AggregateFunction = AggregateFunction.VAR_POP


@dataclass(frozen=True, slots=True)
class Task:
    """A partition's rows, sorted, with its parts behind ``kept``; ``key``: of distances."""

    start: Bound
    end: Bound
    key: str | None
    descending: bool
    kept: tuple[str, ...]
    parts: tuple[Part, ...]

    def __call__(self, rows: pa.Table, asked: Flags | None = None) -> pa.Table:
        """What a worker of Spark does with a partition; ``asked``: of which rows, None of all."""
        keys = None if self.key is None else array_of(rows, self.key)
        frames = places(self.start, self.end, rows.num_rows, keys, self.descending)
        found = rows.select(list(self.kept))
        if asked is not None:
            frames = Places(frames.low[asked], frames.high[asked])
            found = found.filter(pa.array(asked))
        for part in self.parts:
            found = found.append_column(part.name, _computed(part, rows, frames))
        return found


def array_of(rows: pa.Table, name: str) -> pa.Array:
    """A column of a table in one piece."""
    column = rows.column(name).combine_chunks()
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _computed(part: Part, rows: pa.Table, frames: Places) -> pa.Array:
    """One value for each row."""
    columns = [array_of(rows, each) for each in part.arguments]
    if part.with_nulls:
        known = np.ones(rows.num_rows, np.bool_)
    else:
        known = reduce(np.logical_and, (flags(each.is_valid()) for each in columns))
    of, where = frames.among(known)
    sizes = of.high - of.low
    if part.what is What.COUNT:
        return pa.array(sizes)
    chosen = columns if known.all() else [each.take(pa.array(where)) for each in columns]
    values = chosen[0]
    if part.what is What.STATE:
        return pa.array(states(part.statistic, [e.to_pylist() for e in chosen], of), pa.binary())
    if part.what is What.STATISTIC:
        columns_of = [each.to_pylist() for each in chosen]
        return pa.array(statistics(part.statistic, columns_of, of), pa.float64())
    if part.what in (What.SUM, What.AVERAGE):
        try:
            return _added(part, values, of)
        except SumOverflowError:
            message = failure_text(Code.OVERFLOW, "a sum is outside the range of its type")
            raise ArithmeticError(message) from None
    if part.what is What.NTH:
        at = of.low + part.nth if part.nth >= 0 else of.high + part.nth
        inside = (at >= of.low) & (at < of.high)
        return values.take(pa.array(np.where(inside, at, 0), mask=~inside))
    greatest = part.what is What.GREATEST
    if pa.types.is_integer(values.type):
        found = extremes(integers(values), of, greatest=greatest)
        return pa.array(found, mask=sizes == 0).cast(values.type)
    ranks, order = ranked(values)
    best = extremes(ranks, of, greatest=greatest)
    at = order[np.where(sizes > 0, best, 0)] if len(order) else best
    return values.take(pa.array(at, mask=sizes == 0))


def _added(part: Part, values: pa.Array, of: Places) -> pa.Array:
    """Sums, or averages of DOUBLEs."""
    none = of.low == of.high
    if pa.types.is_decimal(values.type):
        return decimal_sums(values, of, none)
    if pa.types.is_floating(values.type):
        doubles = values.to_numpy(zero_copy_only=False)
        return pa.array(double_sums(doubles, of, average=part.what is What.AVERAGE), pa.float64())
    whole = integers(values)
    sums = integer_sums if values.type == pa.int64() else small_sums
    return pa.array(sums(whole, of), mask=none)


# --- which calls, and in which parts ----------------------------------------------------------


def slides(prepared: Prepared) -> bool:
    """Whether Spark might walk more than `NARROW` rows for each row.

    How many rows a distance holds is the data's to say.  They are not asked, which takes a pass of
    its own: of narrow frames the cost here is Spark's.
    """
    start, end = prepared.group.frame.start, prepared.group.frame.end
    if isinstance(start, RowOffset) and isinstance(end, RowOffset):
        return end.rows - start.rows >= NARROW
    return not isinstance(start, Unbounded)


@dataclass(frozen=True, slots=True)
class Found:
    """A call in parts; ``columns``: what they take and no argument is; ``value``: made of them."""

    parts: tuple[Part, ...]
    columns: dict[str, Column]
    value: Column


def parted(prepared: Prepared, place: int, translator: Translator) -> Found | None:
    """The parts of a call; None for what this module does not compute."""
    call, arguments = prepared.group.calls[place], prepared.arguments[place]
    frame = prepared.group.frame
    if call.distinct or frame.exclude is not Exclude.NO_OTHERS or bounds_of(prepared) is None:
        return None
    if isinstance(call.function, WindowFunction):
        return _of_value(call, arguments, translator)
    types = [each.type for each in call.arguments]
    if is_state(call.function, call.type):
        name, binary = translator.fresh("v"), spark.BinaryType()
        part = Part(name, What.STATE, arguments, binary, statistic=call.function)
        return Found((part,), {}, F.col(name))
    match call.function:
        case AggregateFunction.COUNT:
            count = Part(translator.fresh("v"), What.COUNT, arguments, spark.LongType())
            return Found((count,), {}, F.col(count.name))
        case AggregateFunction.SUM | AggregateFunction.AVG:
            return _of_sum(call, arguments[0], types[0], translator)
        case AggregateFunction.MIN | AggregateFunction.MAX:
            least = call.function is AggregateFunction.MIN
            return _of_extreme(arguments[0], types[0], translator, least=least)
        case AggregateFunction.EVERY | AggregateFunction.SOME:
            least = call.function is AggregateFunction.EVERY
            return _of_extreme(arguments[0], types[0], translator, least=least)
        case _ if call.function in STATISTICS:
            name = translator.fresh("v")
            part = Part(
                name, What.STATISTIC, arguments, spark.DoubleType(), statistic=call.function
            )
            return Found((part,), {}, F.col(name))
        case AggregateFunction.ANY_VALUE:
            kind = spark_type(types[0])
            part = Part(translator.fresh("v"), What.NTH, arguments, kind)
            return Found((part,), {}, F.col(part.name))
        case _:
            return None


def _of_value(call: WindowCall, arguments: Sequence[str], translator: Translator) -> Found | None:
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
    part = Part(name, What.NTH, only, kind, nth, with_nulls=not call.ignore_nulls)
    return Found((part,), {}, F.col(name))


def _of_extreme(argument: str, type: Type, translator: Translator, *, least: bool) -> Found:
    name, what = translator.fresh("v"), What.LEAST if least else What.GREATEST
    if type.kind is not Kind.BOOLEAN:
        part = Part(name, what, (argument,), spark_type(type))
        return Found((part,), {}, F.col(name))
    number = translator.fresh("a")
    part = Part(name, what, (number,), spark.IntegerType())
    return Found((part,), {number: F.col(argument).cast("int")}, F.col(name).cast("boolean"))


def _of_sum(call: WindowCall, argument: str, type: Type, translator: Translator) -> Found:
    average = call.function is AggregateFunction.AVG
    total, count = translator.fresh("v"), translator.fresh("v")
    if type.kind in APPROXIMATE:
        double = translator.fresh("a")
        what = What.AVERAGE if average else What.SUM
        part = Part(total, what, (double,), spark.DoubleType())
        return Found((part,), {double: F.col(argument).cast("double")}, F.col(total))
    counted = Part(count, What.COUNT, (argument,), spark.LongType())
    rows = F.when(F.col(count) > 0, F.col(count))
    if type.kind is Kind.DECIMAL:
        whole = decimal(38, type.scale)
        part = Part(total, What.SUM, (argument,), spark_type(whole))
        if not average:
            return Found((part,), {}, F.col(total))
        value = decimal_arithmetic(Op.DIVIDE, F.col(total), rows, (whole, BIGINT), call.type)
        return Found((part, counted), {}, value)
    mean = F.col(total).cast("double") / rows.cast("double")
    if average and (type.kind is Kind.BIGINT or type.kind in INTERVAL):
        # The sum may be no BIGINT where the average is.
        wide = translator.fresh("a")
        part = Part(total, What.SUM, (wide,), spark.DecimalType(38, 0))
        return Found((part, counted), {wide: F.col(argument).cast("decimal(19,0)")}, mean)
    assert type.kind in INTEGERS | INTERVAL, f"no sum of {type}"
    part = Part(total, What.SUM, (argument,), spark.LongType())
    return Found((part, counted) if average else (part,), {}, mean if average else F.col(total))


# --- frames in Spark ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Bounds:
    """The frame's ends, and between the values of which column they count distances.

    ``by_peers``: between the numbers of groups of peers, else of the sort key, if of any.
    """

    start: Bound
    end: Bound
    by_peers: bool
    keyed: bool


def bounds_of(prepared: Prepared) -> Bounds | None:
    """The frame as places are found by it; None for distances that are no whole numbers."""
    group = prepared.group
    ends = (group.frame.start, group.frame.end)
    far = any(isinstance(each, RangeOffset) and each.distance.value for each in ends)
    groups = any(isinstance(each, GroupOffset) for each in ends)
    if far and groups:
        return None
    found = [_bound(each, prepared, far=far) for each in ends]
    if found[0] is None or found[1] is None:
        return None
    keyed = any(isinstance(each, RangeOffset | GroupOffset) for each in ends)
    return Bounds(found[0], found[1], keyed and not far, keyed)


def _bound(bound: FrameBound, prepared: Prepared, *, far: bool) -> Bound | None:
    match bound:
        case Unbounded():
            return Bound()
        case RowOffset(rows):
            return Bound(rows=rows)
        case GroupOffset(groups):
            return Bound(distance=groups)
        case RangeOffset() if not far:
            return Bound(distance=0)
        case RangeOffset():
            (key,) = prepared.group.order
            distance = whole_distance(bound, key.expression.type)
            return None if distance is None else Bound(distance=distance)
