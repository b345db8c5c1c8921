"""Aggregates of frames in time that does not depend on their width, over one sorted partition.

A frame is a pair of places ``low`` and ``high``: the rows ``[low, high)`` of the partition, NULLs
taken out first where a function does not see them.  Sums are differences of running sums, which
are exact: integers in limbs of 32 bits, DOUBLEs as Python's integers.  MIN and MAX look up a table
of the extremes of 1, 2, 4, … rows.  Arrow brings the rows; these functions know nothing of Spark.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false
# Arrow has no types of its own.

import math
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa  # type: ignore[import-untyped]  # it has no types
import pyarrow.compute as pc  # type: ignore[import-untyped]  # the same

Integers: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]

_LIMB: Final = 32
_LOW: Final = (1 << _LIMB) - 1


class SumOverflowError(ArithmeticError):
    """A sum is outside of the type that holds it."""


@dataclass(frozen=True, slots=True)
class Bound:
    """One end of a frame.  ``rows``: so many rows after the current one, less than 0 before it.

    ``distance``: so far behind the current row's key, in the direction of the order.  Both None:
    the partition's own end.
    """

    rows: int | None = None
    distance: int | None = None


@dataclass(frozen=True, slots=True)
class Places:
    """Of each row the first row of its frame, and the one behind its last; ``low <= high``."""

    low: Integers
    high: Integers

    def among(self, counts: Flags) -> tuple["Places", Integers]:
        """The places among the rows that count, and where these are among all."""
        before = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
        return Places(before[self.low], before[self.high]), np.flatnonzero(counts)


# --- where frames begin and end -----------------------------------------------------------------


def places(start: Bound, end: Bound, rows: int, keys: pa.Array | None, descending: bool) -> Places:
    """The frames of a partition of so many rows; ``keys`` are those that distances are between.

    Rows whose key is NULL are each other's peers, at whatever distance.
    """
    low = _places(start, rows, keys, descending, first=True)
    high = _places(end, rows, keys, descending, first=False)
    return Places(low, np.maximum(low, high))


def _places(
    bound: Bound, rows: int, keys: pa.Array | None, descending: bool, *, first: bool
) -> Integers:
    """Where frames begin, else the places behind their ends."""
    if bound.rows is not None:
        reached = np.arange(rows, dtype=np.int64) + max(-rows, min(rows, bound.rows))
        return np.clip(reached if first else reached + 1, 0, rows)
    if bound.distance is None:
        return np.full(rows, 0 if first else rows, np.int64)
    assert keys is not None, "a distance is one between keys"
    known = flags(keys.is_valid())
    segment = np.flatnonzero(known)
    found = np.empty(rows, np.int64)
    if len(segment) < rows:  # the NULLs, all before the others or all behind them
        nulls = np.flatnonzero(~known)
        found[nulls] = nulls[0] if first else nulls[-1] + 1
    if len(segment):
        values = integers(keys.filter(keys.is_valid()))
        values = ~values if descending else values  # -v - 1: as far apart, and never too great
        found[segment] = segment[0] + np.searchsorted(
            values, _moved(values, bound.distance), "left" if first else "right"
        )
    return found


def _moved(values: Integers, distance: int) -> Integers:
    """The values plus a distance; what would be outside of 64 bits is their last."""
    with np.errstate(over="ignore"):
        moved = values + np.int64(distance)
    if distance >= 0:
        return np.where(moved < values, np.iinfo(np.int64).max, moved)
    return np.where(moved > values, np.iinfo(np.int64).min, moved)


# --- sums ---------------------------------------------------------------------------------------


def integer_sums(values: Integers, of: Places) -> Integers:
    """The sums of values of 64 bits; `SumOverflowError` if one does not fit."""
    upper, lower = _two_limbs(values, of)
    if np.any((upper < -(2**31)) | (upper >= 2**31)):
        raise SumOverflowError
    return (upper << _LIMB) | lower


def small_sums(values: Integers, of: Places) -> Integers:
    """The sums of values of 32 bits, of which 2^31 rows do not overflow."""
    running = np.concatenate(([0], np.cumsum(values, dtype=np.int64)))
    return running[of.high] - running[of.low]


def decimal_sums(values: pa.Array, of: Places, null: Flags) -> pa.Array:
    """The sums of DECIMALs, of 38 digits and their scale; `SumOverflowError` beyond these."""
    scale = values.type.scale
    words = np.frombuffer(values.buffers()[1], np.int64)[
        2 * values.offset : 2 * (values.offset + len(values))
    ].reshape(-1, 2)
    if values.type.precision <= 18:
        upper, lower = _two_limbs(words[:, 0], of)
        low, high = (upper << _LIMB) | lower, upper >> _LIMB
    else:
        limbs = [words[:, 0] & _LOW, (words[:, 0] >> _LIMB) & _LOW]
        limbs += [words[:, 1] & _LOW, words[:, 1] >> _LIMB]
        sums = [small_sums(each, of) for each in limbs]
        for i in range(3):
            sums[i + 1] = sums[i + 1] + (sums[i] >> _LIMB)
            sums[i] = sums[i] & _LOW
        low, high = (sums[1] << _LIMB) | sums[0], (sums[3] << _LIMB) | sums[2]
        if np.any((sums[3] < -(2**31)) | (sums[3] >= 2**31)):
            raise SumOverflowError
        most = 10**38 // 2**64
        for i in np.flatnonzero((high >= most) | (high < -most)).tolist():
            total = (int(high[i]) << 64) | (int(low[i]) & (2**64 - 1))
            if abs(total) >= 10**38:
                raise SumOverflowError
    both = np.stack([low, high], axis=1)
    found = pa.Array.from_buffers(
        pa.decimal128(38, scale), len(low), [None, pa.py_buffer(both.tobytes())]
    )
    return found.take(pa.array(np.arange(len(low)), mask=null))


def _two_limbs(values: Integers, of: Places) -> tuple[Integers, Integers]:
    """The sums as multiples of 2^32, and what is left, from 0 to 2^32 - 1."""
    upper, lower = small_sums(values >> _LIMB, of), small_sums(values & _LOW, of)
    return upper + (lower >> _LIMB), lower & _LOW


def double_sums(
    values: npt.NDArray[np.float64], of: Places, *, average: bool
) -> list[float | None]:
    """The sums or averages of DOUBLEs, exact and rounded once; None where a frame has no rows."""
    finite = np.isfinite(values)
    unit, whole = _as_integers(np.where(finite, values, 0.0))
    running = list(accumulate(whole, initial=0))
    special = None if finite.all() else _specials(values, of)
    found: list[float | None] = []
    for i, (low, high) in enumerate(zip(of.low.tolist(), of.high.tolist(), strict=True)):
        if low == high:
            found.append(None)
        elif special is not None and not math.isfinite(special[i]):
            found.append(float(special[i]))
        else:
            total = running[high] - running[low]
            found.append(_ratio(total, (high - low) << unit if average else 1 << unit))
    return found


def _as_integers(values: npt.NDArray[np.float64]) -> tuple[int, list[int]]:
    """Finite values as multiples of 2^-unit; ``unit`` is not negative."""
    mantissas, exponents = np.frexp(values)
    wholes = (mantissas * 2.0**53).astype(np.int64)
    shifts = np.where(wholes == 0, 0, exponents.astype(np.int64) - 53)
    unit = max(0, -int(shifts.min(initial=0)))
    return unit, [
        whole << shift
        for whole, shift in zip(wholes.tolist(), (shifts + unit).tolist(), strict=True)
    ]


def _ratio(a: int, b: int) -> float:
    """``a / b``, rounded once; beyond all DOUBLEs infinite."""
    try:
        return a / b
    except OverflowError:
        return math.inf if a > 0 else -math.inf


def _specials(values: npt.NDArray[np.float64], of: Places) -> npt.NDArray[np.float64]:
    """NaN or an infinity for the frames whose sum is one, as IEEE adds; else 0."""
    up, down, none = (
        small_sums(each.astype(np.int64), of) > 0
        for each in (values == np.inf, values == -np.inf, np.isnan(values))
    )
    ends = np.where(up, np.inf, np.where(down, -np.inf, 0.0))
    return np.where(none | (up & down), np.nan, ends)


# --- extremes -----------------------------------------------------------------------------------


def extremes(values: Integers, of: Places, *, greatest: bool) -> Integers:
    """The least or greatest value of each frame; anything where it has no rows."""
    pick = np.maximum if greatest else np.minimum
    sizes = of.high - of.low
    found = np.zeros(len(sizes), np.int64)
    # Two spans of 2^level rows, which may overlap, cover a frame of 2^level to 2^(level + 1) - 1.
    levels = np.frexp(sizes.astype(np.float64))[1] - 1
    table = values
    for level in range(int(levels.max(initial=-1)) + 1):
        if level:
            half = 1 << (level - 1)
            table = pick(table[:-half], table[half:])
        rows = np.flatnonzero((levels == level) & (sizes > 0))
        found[rows] = pick(table[of.low[rows]], table[of.high[rows] - (1 << level)])
    return found


def ranked(values: pa.Array) -> tuple[Integers, Integers]:
    """Each value's place in the order of all, and the values' places in that order."""
    order = integers(pc.call_function("array_sort_indices", [values]))
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    return ranks, order


# --- between Arrow and numpy ----------------------------------------------------------------------


def integers(values: pa.Array) -> Integers:
    """Whole numbers without NULLs."""
    found: Integers = values.to_numpy(zero_copy_only=False).astype(np.int64, copy=False)
    return found


def flags(values: pa.Array) -> Flags:
    """Truth values without NULLs."""
    found: Flags = values.to_numpy(zero_copy_only=False).astype(np.bool_, copy=False)
    return found
