"""Columns of texts as internal values, many at a time; `algebra.wire` is the definition."""

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

#: The values of a column of fields.  Raises `ValueError` if a field is not a value of its type.
ColumnReader: TypeAlias = Callable[[Sequence[str]], Sequence[Value]]

_WHOLE: Final = b"0123456789+-"
_FLOATING: Final = b"0123456789+-.eE"
_MINUTES: Final = re.compile(r":[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,3})?", re.ASCII)
#: The lengths of ``2015-02-15`` and of ``2015-02-15 10``, and so the places after day and hour.
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
    """For each column the function that converts its fields of a batch to internal values.

    The places of ``needed`` are those of the columns whose values are needed; None: all are.  The
    fields of another column, which is nullable, are checked, and its values are NULL.
    """
    slow = field_readers(columns, dialect, times)
    readers = [
        _column_reader(column, _each(read, column), dialect, times)
        for column, read in zip(columns, slow, strict=True)
    ]
    return [
        read if needed is None or place in needed else partial(_check, read, _safe_digits(column))
        for place, (read, column) in enumerate(zip(readers, columns, strict=True))
    ]


def _safe_digits(column: Column) -> int:
    """The number of digits with which every number fits an integer column; 0 for other columns."""
    bits = INTEGER_BITS.get(column.type.kind)
    return 0 if bits is None else len(str(1 << bits - 1)) - 1


def _check(read: ColumnReader, digits: int, texts: Sequence[str]) -> Sequence[Value]:
    """NULLs, if all fields are values.  Raises `ValueError` like ``read``."""
    together = "".join(texts)
    # A number of few digits fits without a conversion.
    short = digits and max(map(len, texts), default=0) <= digits
    if not (short and together.isascii() and together.encode().isdigit()):
        read(texts)
    return [None] * len(texts)


def _each(read: Callable[[str], object], column: Column) -> ColumnReader:
    """The definition: a field becomes a value on the wire, which becomes an internal value."""
    value = reader(column.type)
    return lambda texts: [value(read(text)) for text in texts]  # type: ignore[arg-type]


def _column_reader(
    column: Column, slow: ColumnReader, dialect: Dialect, times: TimeForm
) -> ColumnReader:
    """The fast reader of a type, which leaves unusual fields to the slow one."""
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
    return partial(_first, fast, slow, dialect.null, column.type.nullable)


def _first(
    fast: ColumnReader, slow: ColumnReader, null: str, nullable: bool, texts: Sequence[str]
) -> Sequence[Value]:
    """The values by the fast reader, or by the slow one if a field is unusual.

    ``null`` is the text for NULL in addition to the empty text.
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
    """Whole numbers from ``-limit`` to below ``limit``."""
    _require("".join(texts), _WHOLE)
    values = list(map(int, texts))
    if values and not (-limit <= min(values) and max(values) < limit):
        raise ValueError("out of range")
    return values


def _doubles(texts: Sequence[str]) -> Sequence[Value]:
    _require("".join(texts), _FLOATING)
    values = list(map(float, texts))
    # A number beyond the range has become an infinity, and then the sum is not finite.
    if not isfinite(sum(values)) and any(each in values for each in _INFINITE):
        raise ValueError("out of range")
    return values


def _require(text: str, characters: bytes) -> None:
    """Raise `ValueError` if a text has another character."""
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
    """A reader that remembers the values of the texts that it has read."""

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
    """A reader of times, which remembers the hours, and the times within an hour."""

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
    """The milliseconds of ``2015-02-15 10`` and ``2015-02-15T10``, computed when asked for."""

    def __missing__(self, text: str) -> int:
        if len(text) != _HOUR or text[_DAY] not in " T":
            raise ValueError(f"{text} is not plain")
        value = self[text] = read_timestamp(f"{text}:00:00")
        return value


class _WithinHour(dict[str, int]):
    """The milliseconds of ``:17:05`` and ``:17:05.250``, computed when they are asked for.

    At most `_REMEMBERED` of them are remembered.
    """

    def __missing__(self, text: str) -> int:
        if _MINUTES.fullmatch(text) is None:
            raise ValueError(f"{text} is not plain")
        value = int(text[1:3]) * 60_000 + int(text[4:6]) * 1_000 + int(text[7:].ljust(3, "0"))
        if len(self) < _REMEMBERED:
            self[text] = value
        return value
