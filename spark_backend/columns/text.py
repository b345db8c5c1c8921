"""Text as columns: positions count characters (code points) from 1."""

from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.expression import Op
from algebra.types import VARCHAR
from grammar.codes import Code
from spark_backend.columns.datetimes import long
from spark_backend.columns.patterns import PatternError, like_regex, similar_regex
from spark_backend.runtime.failures import fails, failure_text

#: No text has more characters.
_MOST: Final = 2**31 - 1
#: From a place before this no length that a BIGINT can have reaches a character.
_FIRST: Final = 2 - 2**63


def substring(text: Column, start: Column, length: Column | None) -> Column:
    """The characters at start, start + 1, …, length of them; places before the first are empty.

    INVALID_ARGUMENT for a negative length.
    """
    first = long(start)
    begin = F.greatest(F.least(first, F.lit(_MOST)), F.lit(1)).cast("int")
    if length is None:
        return F.when(start.isNotNull(), F.substr(text, begin))
    # The end is not `first + length`, which may overflow.
    before = F.least(F.greatest(first, F.lit(_FIRST)), F.lit(1)) - F.lit(1)
    count = F.greatest(F.least(long(length) + before, F.lit(_MOST)), F.lit(0)).cast("int")
    refused = fails(Code.INVALID_ARGUMENT, "SUBSTRING of a negative length", VARCHAR)
    # An unknown operand is unknown before another is wrong: Spark's least and greatest skip NULL.
    unknown = text.isNull() | start.isNull() | length.isNull()
    found = F.substr(text, begin, count)
    return F.when(unknown, F.lit(None)).when(long(length) < 0, refused).otherwise(found)


def overlay(text: Column, new: Column, start: Column, length: Column | None) -> Column:
    """``text`` with ``new`` in place of ``length`` characters from ``start`` on.

    INVALID_ARGUMENT for a start before the first character or a negative length.
    """
    size = long(F.char_length(new)) if length is None else long(length)
    before = substring(text, F.lit(1), long(start) - F.lit(1))
    after = substring(text, long(start) + size, None)
    return F.concat(before, new, after)


def trimmed(op: Op, character: Column, text: Column) -> Column:
    """The text without that character at its ends; INVALID_ARGUMENT unless it is one character."""
    trim = {Op.TRIM_BOTH: F.btrim, Op.TRIM_LEADING: F.ltrim, Op.TRIM_TRAILING: F.rtrim}[op]
    refused = fails(Code.INVALID_ARGUMENT, "TRIM takes a single character", VARCHAR)
    wrong = (F.char_length(character) != 1) & text.isNotNull()
    return F.when(wrong, refused).otherwise(trim(text, character))


def padded(op: Op, text: Column, length: Column, characters: Column) -> Column:
    """The text at that length: filled up with the characters, or cut on the right."""
    pad = F.lpad if op is Op.LPAD else F.rpad
    return pad(text, F.greatest(length, F.lit(0)).cast("int"), characters)


def capitalised(text: Column) -> Column:
    """Every run of letters and digits with its first character in upper case, the rest in lower."""
    return F.udf(initcap, "string", useArrow=False)(text)


def initcap(text: str | None) -> str | None:
    """Python's form of `capitalised`.

    >>> initcap("o'NEIL 2nd-hand")
    "O'Neil 2nd-Hand"
    """
    if text is None:
        return None
    parts: list[str] = []
    inside = False
    for each in text:
        parts.append(each.lower() if inside else each.upper())
        inside = each.isalnum()
    return "".join(parts)


def position(needle: Column, text: Column) -> Column:
    """Where ``needle`` first is in ``text``; 0: nowhere; an empty one is at 1."""
    return F.position(needle, text)


def matches(
    op: Op, text: Column, pattern: Column, escape: Column | None, constant: tuple[str, ...] | None
) -> Column:
    """LIKE or SIMILAR TO; ``constant``: pattern and escape, where they are known beforehand.

    INVALID_ARGUMENT for a pattern that is none.
    """
    regex_of = like_regex if op is Op.LIKE else similar_regex
    if constant is not None:
        try:
            regex = regex_of(*constant)
        except PatternError as error:
            refused = fails(Code.INVALID_ARGUMENT, str(error), VARCHAR)
            return F.when(text.isNotNull(), refused.cast("boolean"))
        return F.rlike(text, F.lit(regex))

    def dynamic(pattern: str | None, escape: str | None) -> str | None:
        if pattern is None or escape is None:
            return None
        try:
            return regex_of(pattern, escape or None)
        except PatternError as error:
            raise ValueError(failure_text(Code.INVALID_ARGUMENT, str(error))) from None

    regex_column = F.udf(dynamic, "string", useArrow=False)
    # Without ESCAPE the empty text stands for none; an ESCAPE that is empty is refused.
    sign = F.lit("") if escape is None else _single(escape)
    return F.rlike(text, regex_column(pattern, sign))


def _single(escape: Column) -> Column:
    refused = fails(Code.INVALID_ARGUMENT, "ESCAPE takes a single character", VARCHAR)
    return F.when(F.char_length(escape) != 1, refused).otherwise(escape)
