"""Conversion of CSV fields to values on the wire.

A quoted field that would be NULL without quotes is marked, because it can be a text.
"""

import re
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from algebra.catalog import Column
from algebra.functions.datetimes import format_timestamp
from algebra.outside.read_times import (
    PER_SECOND,
    TOO_FINE,
    count_millis,
    is_finer,
    read_timestamp,
)
from algebra.types import APPROXIMATE, INTEGERS, MAX_TIMESTAMP, MIN_TIMESTAMP, TEXT, Kind
from algebra.wire import Wire

#: More digits than a value of any integer type has; Python itself reads a few thousand.
_MOST_DIGITS: Final = 1_000
#: An integer, perhaps with zeros after a point; a float; and the words for special floats.
_INTEGER: Final = re.compile(r"\s*([+-]?[0-9]+)(?:\.0*)?\s*", re.ASCII)
_FLOAT: Final = re.compile(r"\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\s*", re.ASCII)
_FLOAT_WORDS: Final = {"nan": "NaN", "infinity": "Infinity", "-infinity": "-Infinity"}
#: The length of a TIMESTAMP without a fraction.
_PLAIN: Final = len("2015-02-15 10:17:00")
#: The first character of a field that was quoted and would be NULL without quotes. It is half of a
#: surrogate pair, which no file in UTF-8 contains.
QUOTED: Final = "\udc00"


@dataclass(frozen=True, slots=True)
class Dialect:
    """The form of a CSV file.

    ``header``: the first record has the names of the columns; without it, the fields are in the
    order of the columns.  ``delimiter`` separates fields, and ``quote`` is the sign before and
    after a quoted field.  A field that is not quoted is NULL if it is empty or equal to ``null``.
    In a column of texts or bytes a quoted field is never NULL; in other columns an empty quoted
    field is NULL, too.
    """

    header: bool = True
    delimiter: str = ","
    null: str = ""
    quote: str = '"'


@dataclass(frozen=True, slots=True)
class TimeForm:
    """How values of TIMESTAMP columns are read.

    ``unit`` is ``s``, ``ms``, ``us`` or ``ns``: a whole number is a count of this unit since 1970.
    If it is empty, a number is not a time.  ``strict``: a time with parts of a millisecond is
    refused; else the parts are cut off.
    """

    unit: str = ""
    strict: bool = False

    def of(self, column: Column) -> "TimeForm":
        """The form for ``column``, whose own unit takes precedence over that of the files."""
        return TimeForm(column.time_unit, self.strict) if column.time_unit else self


#: Times are texts only, and are cut to milliseconds.
DEFAULT_TIMES: Final = TimeForm()
#: A header, commas, and NULL as an empty field.
DEFAULT_DIALECT: Final = Dialect()


def marked_lines(lines: Iterable[str], dialect: Dialect) -> Generator[str]:
    """The lines of a file, with `QUOTED` before each quoted field that is empty or equals NULL.

    Python's `csv` does not say which fields were quoted.

    Defines: S-607.m
    """
    quote, delimiter = dialect.quote, dialect.delimiter
    marked = {f"{quote}{null}{quote}" for null in ("", dialect.null)}
    inside = False  # whether the line begins inside a quoted field
    for line in lines:
        if quote not in line:
            yield line
            continue
        if any(each in line for each in marked):
            parts = line.split(quote)
            # Every second part is between quotes.  If the line begins inside a field, these are
            # the first part, which is not a whole field, the third, and so on.
            for place in range(1 + inside, len(parts) - 1, 2):
                before, after = parts[place - 1], parts[place + 1]
                # Quotes enclose a whole field if a delimiter or an end of the line is outside.
                begins = before.endswith(delimiter) or (place == 1 and not before)
                is_last = place == len(parts) - 2
                ends = after.startswith(delimiter) or (is_last and not after.rstrip("\r\n"))
                if parts[place] in ("", dialect.null) and begins and ends:
                    parts[place] = QUOTED + parts[place]
            yield quote.join(parts)
        else:
            yield line
        inside ^= line.count(quote) % 2 == 1


def field_readers(
    columns: Sequence[Column], dialect: Dialect, times: TimeForm = DEFAULT_TIMES
) -> list[Callable[[str], Wire]]:
    """For each column, the function that converts a field to a value on the wire.

    A field that is not a value of the column's type stays a text, which the ingress refuses.
    """
    readers = [_field_reader(column, times) for column in columns]
    return readers if not dialect.null else [_with_null(each, dialect.null) for each in readers]


def _with_null(reader: Callable[[str], Wire], null: str) -> Callable[[str], Wire]:
    """``reader``, with the text ``null`` as NULL, too."""
    if reader is text_field:
        return lambda text: None if text == null else text_field(text)
    return lambda text: None if text == null else reader(text.removeprefix(QUOTED))


def _field_reader(column: Column, times: TimeForm) -> Callable[[str], Wire]:
    """The function that converts a CSV field of ``column`` to a value on the wire."""
    kind, times = column.type.kind, times.of(column)
    if kind in TEXT or kind is Kind.VARBINARY:
        return text_field
    if kind in INTEGERS:
        return integer_field
    if kind in APPROXIMATE:
        return float_field
    if kind is Kind.TIMESTAMP:
        return moment_field if times == DEFAULT_TIMES else partial(time_value, times)
    if kind is Kind.TIME and times.strict:
        return _strict_time
    return _boolean if kind is Kind.BOOLEAN else _other


def text_field(text: str) -> Wire:
    """The text; NULL for an empty field that was not quoted."""
    return text.removeprefix(QUOTED) if text else None


def _other(text: str) -> Wire:
    """The text without blanks around it; NULL if nothing remains."""
    return text.removeprefix(QUOTED).strip() or None


def moment_field(text: str) -> Wire:
    """The time of a text, in its form on the wire; a text that is not a time stays as it is."""
    if len(text) == _PLAIN and text[_PLAIN - 9] == " ":  # 9 is the length of " 10:17:00"
        return text  # it has the form on the wire already, or the ingress refuses it
    stripped = _other(text)
    if not isinstance(stripped, str):
        return stripped
    try:
        return format_timestamp(read_timestamp(stripped))
    except ValueError:
        return stripped


def time_value(times: TimeForm, value: str | int) -> Wire:
    """The time of a text or a count, in its form on the wire; another value stays as it is.

    A time that strict ``times`` refuse becomes a text that is not a time.

    Defines: S-613.h
    """
    text = str(value).strip()
    if times.unit and _INTEGER.fullmatch(text):
        count = int(text.partition(".")[0])
        if times.strict and count * 1_000 % PER_SECOND[times.unit]:
            return f"{text}{TOO_FINE}"
        millis = count_millis(count, times.unit)
        return format_timestamp(millis) if MIN_TIMESTAMP <= millis <= MAX_TIMESTAMP else text
    if times.strict and is_finer(text):
        return f"{text}{TOO_FINE}"
    return moment_field(text) if isinstance(value, str) else value


def _strict_time(text: str) -> Wire:
    """As `_other`; a TIME with parts of a millisecond becomes a text that is not a TIME."""
    return f"{text}{TOO_FINE}" if is_finer(text) else _other(text)


def integer_field(text: str) -> Wire:
    """The integer that ``text`` is, perhaps with blanks around it, or zeros after a point.

    Another text stays as it is, without the blanks.

    Defines: S-613.d
    """
    if text.isdecimal() and text.isascii() and len(text) <= _MOST_DIGITS:
        return int(text)
    found = _INTEGER.fullmatch(text)
    return int(found[1]) if found and len(found[1]) <= _MOST_DIGITS else _other(text)


def float_field(text: str) -> Wire:
    """The number that ``text`` is, perhaps with blanks around it.

    A number beyond the range of DOUBLE stays a text, as does a text that is not a number.  The
    words NaN, Infinity and -Infinity, in any letter case, become texts in their form on the wire.
    """
    # Only these texts are converted, because Python's `float` also accepts 1_5 and inf.
    if _FLOAT.fullmatch(text):
        value = float(text)
        return value if abs(value) != float("inf") else text.strip()  # infinite: beyond the range
    return _FLOAT_WORDS.get(text.strip().lower(), _other(text))


def _boolean(text: str) -> Wire:
    """TRUE or FALSE in any letter case; another text as by `_other`."""
    return {"true": True, "false": False}.get(text.strip().lower(), _other(text))


def read_fields(reader: Callable[[str], Wire], texts: Sequence[str]) -> Iterable[Wire]:
    """``reader`` applied to each text, or a faster conversion if all texts have one simple form."""
    if reader is integer_field and all(texts) and max(map(len, texts)) <= _MOST_DIGITS:
        together = "".join(texts)
        if together.isdecimal() and together.isascii():
            return map(int, texts)
    if reader is moment_field and set(map(len, texts)) == {_PLAIN} and "T" not in "".join(texts):
        return texts
    if reader is text_field and all(texts) and QUOTED not in "".join(texts):
        return texts
    return map(reader, texts)
