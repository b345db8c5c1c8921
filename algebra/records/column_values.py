"""Fast conversion of columns of CSV fields to internal values, many at a time.

The result is that of the slow conversion: a field becomes a value on the wire (`csv_fields`), which
becomes an internal value (`algebra.wire`).  A fast reader raises `ValueError` for an unusual field,
and then the slow reader reads the whole batch.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from math import isfinite
from typing import Final, TypeAlias

from algebra.catalog import Column
from algebra.expression import Value
from algebra.outside.read_times import read_timestamp
from algebra.records.csv_fields import DEFAULT_TIMES, QUOTED, Dialect, TimeForm, field_readers
from algebra.types import INTEGER_BITS, Kind
from algebra.wire import reader

#: Converts the fields of a column to its values.  It raises `ValueError` if one is not a value.
ColumnReader: TypeAlias = Callable[[Sequence[str]], Sequence[Value]]

#: The characters of plain integers, and of plain floats.
_WHOLE: Final = b"0123456789+-"
_FLOATING: Final = b"0123456789+-.eE"
#: The part of a time after the hour: ``:17:05`` or ``:17:05.250``.
_MINUTES: Final = re.compile(r":[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,3})?", re.ASCII)
#: The lengths of ``2015-02-15`` and of ``2015-02-15 10``: the places after the day and the hour.
_DAY: Final = 10
_HOUR: Final = 13
#: The most texts whose values are remembered.
_REMEMBERED: Final = 100_000
_INFINITE: Final = (float("inf"), float("-inf"))


def column_readers(
    columns: Sequence[Column],
    dialect: Dialect,
    times: TimeForm,
    needed: frozenset[int] | None = None,
) -> list[ColumnReader]:
    """For each column, the function that converts its fields to internal values.

    ``needed`` are the places of the columns whose values are needed; None: all columns.  The fields
    of other columns, which are nullable, are only checked, and their values are NULL.
    """
    slow = field_readers(columns, dialect, times)
    readers = [
        _column_reader(column, _each(read, column), dialect, times)
        for column, read in zip(columns, slow, strict=True)
    ]
    return [
        read
        if needed is None or place in needed
        else partial(_check_only, read, _safe_digits(column))
        for place, (read, column) in enumerate(zip(readers, columns, strict=True))
    ]


def _safe_digits(column: Column) -> int:
    """The greatest number of digits with which every number fits the column.

    0 if it is not a column of integers.
    """
    bits = INTEGER_BITS.get(column.type.kind)
    return 0 if bits is None else len(str(1 << bits - 1)) - 1


def _check_only(read: ColumnReader, digits: int, texts: Sequence[str]) -> Sequence[Value]:
    """A NULL for each of ``texts``.  Raises `ValueError` if ``read`` does.

    Numbers of at most ``digits`` digits need no check by ``read``, because they always fit.
    """
    together = "".join(texts)
    are_short = digits and max(map(len, texts), default=0) <= digits
    if not (are_short and together.isascii() and together.encode().isdigit()):
        read(texts)
    return [None] * len(texts)


def _each(read: Callable[[str], object], column: Column) -> ColumnReader:
    """The slow reader: ``read`` converts a field to the wire, and `reader` to an internal value."""
    value = reader(column.type)
    return lambda texts: [value(read(text)) for text in texts]  # type: ignore[arg-type]


def _column_reader(
    column: Column, slow: ColumnReader, dialect: Dialect, times: TimeForm
) -> ColumnReader:
    """The fast reader for the type of ``column``, which calls ``slow`` for unusual fields."""
    fast: ColumnReader | None = None
    match column.type.kind:
        case kind if kind in INTEGER_BITS:
            fast = partial(_integers, 1 << INTEGER_BITS[kind] - 1)
        case Kind.DOUBLE:
            fast = _doubles
        case Kind.VARCHAR:
            fast = partial(_texts, column.type.precision)
        case Kind.TIMESTAMP if times.of(column) == DEFAULT_TIMES:
            fast = _Moments().read
        case Kind.DATE | Kind.TIME | Kind.BOOLEAN | Kind.CHAR | Kind.DECIMAL:
            fast = _Remembered(slow).read
        case _:
            pass
    if fast is None:
        return slow
    return partial(_read_fast_or_slow, fast, slow, dialect.null, column.type.nullable)


def _read_fast_or_slow(
    fast: ColumnReader, slow: ColumnReader, null: str, nullable: bool, texts: Sequence[str]
) -> Sequence[Value]:
    """The values by the fast reader, or by the slow one if a field is unusual.

    ``null`` is the text for NULL in addition to the empty text.  If the column is not ``nullable``,
    the slow reader reads all of ``texts`` if one of them is NULL.
    """
    if "" in texts or (null and null in texts):
        if not nullable:
            return slow(texts)
        present = [text for text in texts if text and text != null]
        try:
            values = iter(fast(present))
        except ValueError:
            return slow(texts)
        return [next(values) if text and text != null else None for text in texts]
    try:
        return fast(texts)
    except ValueError:
        return slow(texts)


def _integers(limit: int, texts: Sequence[str]) -> Sequence[Value]:
    """The integers of ``texts``, from ``-limit`` to below ``limit``; else `ValueError`."""
    _require("".join(texts), _WHOLE)
    values = list(map(int, texts))
    if values and not (-limit <= min(values) and max(values) < limit):
        raise ValueError("out of range")
    return values


def _doubles(texts: Sequence[str]) -> Sequence[Value]:
    """The floats of ``texts``; `ValueError` for one beyond the range."""
    _require("".join(texts), _FLOATING)
    values = list(map(float, texts))
    # A number beyond the range becomes an infinity, so the sum is not finite.
    if not isfinite(sum(values)) and any(each in values for each in _INFINITE):
        raise ValueError("out of range")
    return values


def _require(text: str, characters: bytes) -> None:
    """Raise `ValueError` if ``text`` has a character that is not in ``characters``."""
    if text.encode("ascii").translate(None, characters):
        raise ValueError("a field is not plain")


def _texts(most: int, texts: Sequence[str]) -> Sequence[Value]:
    """The texts themselves, of at most ``most`` characters each; 0: of any length."""
    # The reader of CSV puts `QUOTED` before a quoted field that would be NULL without quotes.  The
    # slow reader removes it.
    if QUOTED in "".join(texts) or (most and texts and max(map(len, texts)) > most):
        raise ValueError("a field is not plain")
    return texts


class _Remembered:
    """A reader that remembers values: ``read`` converts only texts that are not remembered."""

    def __init__(self, read: ColumnReader) -> None:
        self._read = read
        self._known: dict[str, Value] = {}

    def read(self, texts: Sequence[str]) -> Sequence[Value]:
        """The value of each text."""
        new = set(texts) - self._known.keys()
        if len(self._known) + len(new) > _REMEMBERED:
            self._known.clear()
            new = set(texts)
        ordered = list(new)
        self._known.update(zip(ordered, self._read(ordered), strict=True))
        return list(map(self._known.__getitem__, texts))


class _Moments:
    """A reader of TIMESTAMPs, which remembers the hours, and the times within an hour."""

    def __init__(self) -> None:
        self._hours = _Hours()
        self._rest = _WithinHour()

    def read(self, texts: Sequence[str]) -> Sequence[Value]:
        """The milliseconds of each text."""
        hours, rest = self._hours, self._rest
        if len(hours) > _REMEMBERED:
            hours.clear()
        return [hours[text[:_HOUR]] + rest[text[_HOUR:]] for text in texts]


class _Hours(dict[str, int]):
    """The milliseconds of texts such as ``2015-02-15 10`` and ``2015-02-15T10``.

    They are computed when they are read for the first time.
    """

    def __missing__(self, text: str) -> int:
        if len(text) != _HOUR or text[_DAY] not in " T":
            raise ValueError(f"{text} is not plain")
        value = self[text] = read_timestamp(f"{text}:00:00")
        return value


class _WithinHour(dict[str, int]):
    """The milliseconds of texts such as ``:17:05`` and ``:17:05.250``.

    They are computed when they are read for the first time; at most `_REMEMBERED` are remembered.
    """

    def __missing__(self, text: str) -> int:
        if _MINUTES.fullmatch(text) is None:
            raise ValueError(f"{text} is not plain")
        value = int(text[1:3]) * 60_000 + int(text[4:6]) * 1_000 + int(text[7:].ljust(3, "0"))
        if len(self) < _REMEMBERED:
            self[text] = value
        return value
