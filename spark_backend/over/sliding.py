"""Aggregates of the frames of one sorted partition, in time independent of the frames' width.

A frame is the rows ``[low, high)`` of the partition; NULLs are removed first for functions that
ignore them.  Sums are differences of running sums, which are exact: integers in limbs of 32 bits,
DOUBLEs as Python integers.  MIN and MAX use a table of the extremes of 1, 2, 4, … rows.  The
functions take Arrow arrays and numpy arrays, and know nothing of Spark.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false
# Arrow does not have type annotations.

import math
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa  # type: ignore[import-untyped]  # it has no types
import pyarrow.compute as pc  # type: ignore[import-untyped]  # the same

from spark_backend.exact.exact_sums import ratio

Integers: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]

#: The bits of a limb, and a mask of the lowest limb.
_LIMB: Final = 32
_LOW: Final = (1 << _LIMB) - 1


class SumOverflowError(ArithmeticError):
    """A sum is outside the range of its type."""


@dataclass(frozen=True, slots=True)
class FrameEnd:
    """The start or end of a frame, relative to the current row; negative is before it.

    ``rows``: a number of rows.  ``distance``: a difference of sort keys, in the direction of the
    order.  Both None: the start or end of the partition.
    """

    rows: int | None = None
    distance: int | None = None


@dataclass(frozen=True, slots=True)
class FrameRows:
    """The frame of each row: the row numbers ``[low, high)``, half-open, ``low <= high``."""

    low: Integers
    high: Integers

    def among(self, counts: Flags) -> tuple["FrameRows", Integers]:
        """The frames over only the rows that count, and the numbers of these rows among all rows.

        ``counts``: for each row, whether it counts.
        """
        before = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
        return FrameRows(before[self.low], before[self.high]), np.flatnonzero(counts)


# --- where frames begin and end -----------------------------------------------------------------


def frame_rows(
    start: FrameEnd, end: FrameEnd, rows: int, keys: pa.Array | None, descending: bool
) -> FrameRows:
    """The frame of each row of a sorted partition with ``rows`` rows.

    ``keys``: the sort keys whose differences are distances; None: no end is a distance.
    ``descending``: the keys descend.  Rows with a NULL key have the same frame at every distance:
    all these rows.
    """
    low = _places(start, rows, keys, descending, first=True)
    high = _places(end, rows, keys, descending, first=False)
    return FrameRows(low, np.maximum(low, high))


def _places(
    bound: FrameEnd, rows: int, keys: pa.Array | None, descending: bool, *, first: bool
) -> Integers:
    """The first row of each frame if ``first``, else the row after its last row."""
    if bound.rows is not None:
        reached = np.arange(rows, dtype=np.int64) + max(-rows, min(rows, bound.rows))
        return np.clip(reached if first else reached + 1, 0, rows)
    if bound.distance is None:
        return np.full(rows, 0 if first else rows, np.int64)
    assert keys is not None, "distances are measured on keys"
    known = flags(keys.is_valid())
    segment = np.flatnonzero(known)
    found = np.empty(rows, np.int64)
    if len(segment) < rows:  # the NULLs, which are all first or all last
        nulls = np.flatnonzero(~known)
        found[nulls] = nulls[0] if first else nulls[-1] + 1
    if len(segment):
        values = integers(keys.filter(keys.is_valid()))
        values = ~values if descending else values  # -v - 1: the same differences, and no overflow
        found[segment] = segment[0] + np.searchsorted(
            values, _moved(values, bound.distance), "left" if first else "right"
        )
    return found


def _moved(values: Integers, distance: int) -> Integers:
    """The values plus a distance, cut to the range of 64 bits."""
    with np.errstate(over="ignore"):
        moved = values + np.int64(distance)
    if distance >= 0:
        return np.where(moved < values, np.iinfo(np.int64).max, moved)
    return np.where(moved > values, np.iinfo(np.int64).min, moved)


# --- sums ---------------------------------------------------------------------------------------


def integer_sums(values: Integers, of: FrameRows) -> Integers:
    """The sums of BIGINTs; `SumOverflowError` if one is not a BIGINT."""
    upper, lower = _two_limbs(values, of)
    if np.any((upper < -(2**31)) | (upper >= 2**31)):
        raise SumOverflowError
    return (upper << _LIMB) | lower


def small_sums(values: Integers, of: FrameRows) -> Integers:
    """The sums of values of up to 32 bits, which cannot overflow for fewer than 2^31 rows."""
    running = np.concatenate(([0], np.cumsum(values, dtype=np.int64)))
    return running[of.high] - running[of.low]


def decimal_sums(values: pa.Array, of: FrameRows, null: Flags) -> pa.Array:
    """The sums of DECIMALs as DECIMAL(38, scale); `SumOverflowError` if one has more digits.

    ``null``: the frames whose sum is NULL.
    """
    scale = values.type.scale
    # A DECIMAL of Arrow has 128 bits: a lower and an upper word of 64 bits.
    words = np.frombuffer(values.buffers()[1], np.int64)[
        2 * values.offset : 2 * (values.offset + len(values))
    ].reshape(-1, 2)
    if values.type.precision <= 18:  # the lower word has the whole value
        upper, lower = _two_limbs(words[:, 0], of)
        low, high = (upper << _LIMB) | lower, upper >> _LIMB
    else:
        limbs = [words[:, 0] & _LOW, (words[:, 0] >> _LIMB) & _LOW]
        limbs += [words[:, 1] & _LOW, words[:, 1] >> _LIMB]
        sums = [small_sums(each, of) for each in limbs]
        # The bits of a sum beyond its limb are carried into the next limb.
        for i in range(3):
            sums[i + 1] = sums[i + 1] + (sums[i] >> _LIMB)
            sums[i] = sums[i] & _LOW
        # The four limbs are put together as the two words of a DECIMAL.
        low, high = (sums[1] << _LIMB) | sums[0], (sums[3] << _LIMB) | sums[2]
        if np.any((sums[3] < -(2**31)) | (sums[3] >= 2**31)):
            raise SumOverflowError
        # Only a sum whose upper word is near that of 10^38 is computed once more, in Python.
        most = 10**38 // 2**64
        for i in np.flatnonzero((high >= most) | (high < -most)).tolist():
            total = (int(high[i]) << 64) | (int(low[i]) & (2**64 - 1))
            if abs(total) >= 10**38:
                raise SumOverflowError
    both = np.stack([low, high], axis=1)
    found = pa.Array.from_buffers(
        pa.decimal128(38, scale), len(low), [None, pa.py_buffer(both.tobytes())]
    )
    # `take` makes the masked places NULL.
    return found.take(pa.array(np.arange(len(low)), mask=null))


def _two_limbs(values: Integers, of: FrameRows) -> tuple[Integers, Integers]:
    """The sums in two limbs: the multiple of 2^32, and the rest, from 0 to 2^32 - 1."""
    upper, lower = small_sums(values >> _LIMB, of), small_sums(values & _LOW, of)
    return upper + (lower >> _LIMB), lower & _LOW


def double_sums(
    values: npt.NDArray[np.float64], of: FrameRows, *, average: bool
) -> list[float | None]:
    """The sums or averages of DOUBLEs, exact and rounded once; None for a frame without rows."""
    finite = np.isfinite(values)
    unit, whole = _as_integers(np.where(finite, values, 0.0))
    running = list(accumulate(whole, initial=0))
    special = None if finite.all() else specials(values, of)
    found: list[float | None] = []
    for i, (low, high) in enumerate(zip(of.low.tolist(), of.high.tolist(), strict=True)):
        if low == high:
            found.append(None)
        elif special is not None and not math.isfinite(special[i]):
            found.append(float(special[i]))
        else:
            total = running[high] - running[low]
            found.append(ratio(total, (high - low) << unit if average else 1 << unit))
    return found


def _as_integers(values: npt.NDArray[np.float64]) -> tuple[int, list[int]]:
    """``unit``, which is not negative, and the finite values as whole multiples of 2^-unit."""
    mantissas, exponents = np.frexp(values)
    # Each value is a whole number times 2^shift.
    wholes = (mantissas * 2.0**53).astype(np.int64)
    shifts = np.where(wholes == 0, 0, exponents.astype(np.int64) - 53)
    unit = max(0, -int(shifts.min(initial=0)))
    return unit, [
        whole << shift
        for whole, shift in zip(wholes.tolist(), (shifts + unit).tolist(), strict=True)
    ]


def specials(values: npt.NDArray[np.float64], of: FrameRows) -> npt.NDArray[np.float64]:
    """NaN or an infinity for each frame whose sum is that by IEEE 754, else 0."""
    up, down, nan = (
        small_sums(each.astype(np.int64), of) > 0
        for each in (values == np.inf, values == -np.inf, np.isnan(values))
    )
    ends = np.where(up, np.inf, np.where(down, -np.inf, 0.0))
    return np.where(nan | (up & down), np.nan, ends)


# --- extremes -----------------------------------------------------------------------------------


def extremes(values: Integers, of: FrameRows, *, greatest: bool) -> Integers:
    """The least or greatest value of each frame; undefined for a frame without rows."""
    pick = np.maximum if greatest else np.minimum
    sizes = of.high - of.low
    found = np.zeros(len(sizes), np.int64)
    # ``level`` is the binary logarithm of a frame's size, rounded down.  Two runs of 2^level rows,
    # which may overlap, cover the frame: one at its start, and one at its end.  ``table`` has the
    # extreme of each run of 2^level rows.
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
    """The rank of each value among all, from 0; and the inverse: the values' places by rank."""
    order = integers(pc.call_function("array_sort_indices", [values]))
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    return ranks, order


# --- between Arrow and numpy ----------------------------------------------------------------------


def integers(values: pa.Array) -> Integers:
    """An Arrow array of whole numbers without NULLs as numpy's."""
    found: Integers = values.to_numpy(zero_copy_only=False).astype(np.int64, copy=False)
    return found


def flags(values: pa.Array) -> Flags:
    """An Arrow array of truth values without NULLs as numpy's."""
    found: Flags = values.to_numpy(zero_copy_only=False).astype(np.bool_, copy=False)
    return found
