"""Arrays of Arrow as internal values, many at a time: as `arrow_columns` reads each of them."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from algebra.expression import Value
from algebra.outside.read_times import PER_SECOND
from algebra.records.csv_fields import DEFAULT_TIMES, TimeForm
from algebra.types import INTEGER_BITS, MAX_TIMESTAMP, MIN_TIMESTAMP, Kind, Type


def arrow_values(
    arrow: Any, array: Any, type: Type, times: TimeForm
) -> Sequence[Value] | None:  # Any: pyarrow is not typed
    """The values of an array; None: its type is another one, or a value does not fit."""
    types = arrow.types
    if array.null_count and not type.nullable:
        return None
    if types.is_dictionary(array.type):
        array = array.dictionary_decode()
    match type.kind:
        case kind if kind in INTEGER_BITS and types.is_integer(array.type):
            limit = 1 << INTEGER_BITS[kind] - 1
            return _within(array, -limit, limit - 1)
        case Kind.DOUBLE if types.is_float64(array.type):
            values: list[Value] = array.to_pylist()
            return values
        case Kind.BOOLEAN if types.is_boolean(array.type):
            return list(array.to_pylist())
        case Kind.VARCHAR if types.is_string(array.type) or types.is_large_string(array.type):
            most = (
                import_module("pyarrow.compute")
                .max(import_module("pyarrow.compute").utf8_length(array))
                .as_py()
            )
            fits = not type.precision or most is None or most <= type.precision
            return list(array.to_pylist()) if fits else None
        case Kind.TIMESTAMP if types.is_timestamp(array.type) and times == DEFAULT_TIMES:
            return _millis(arrow, array)
        case Kind.DATE if types.is_date32(array.type):
            return list(array.cast(arrow.int32()).to_pylist())
        case _:
            return None


def _within(array: Any, least: int, greatest: int) -> Sequence[Value] | None:
    """The whole numbers of an array, if all are in a range."""
    extremes = import_module("pyarrow.compute").min_max(array).as_py()
    if extremes["min"] is not None and extremes["min"] < least:
        return None
    if extremes["max"] is not None and extremes["max"] > greatest:
        return None
    values: list[Value] = array.to_pylist()
    return values


def _millis(arrow: Any, array: Any) -> Sequence[Value] | None:
    """The milliseconds of times, to which finer ones are cut; None: one is out of the calendar."""
    compute = import_module("pyarrow.compute")
    counts, per_second = array.cast(arrow.int64()), PER_SECOND[array.type.unit]
    if per_second < 1_000:
        return None
    if per_second > 1_000:
        unit = per_second // 1_000
        whole = compute.divide(counts, unit)  # toward zero
        below = compute.less(compute.multiply(whole, unit), counts)
        past = compute.and_(compute.less(counts, 0), compute.invert(below))
        exact = compute.equal(compute.multiply(whole, unit), counts)
        less = compute.and_(past, compute.invert(exact))
        counts = compute.subtract(whole, less.cast(arrow.int64()))
    return _within(counts, MIN_TIMESTAMP, MAX_TIMESTAMP)
