"""Functions of texts as columns; positions count characters (code points) from 1."""

from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.expression import Op
from algebra.patterns import PatternError
from algebra.types import MAX_CHARACTERS, VARCHAR
from grammar.codes import Code
from spark_backend.columns.datetimes import long
from spark_backend.columns.patterns import is_similar, like_regex
from spark_backend.runtime.failures import fails, failure_text

#: The greatest number of characters of a text in Spark.
_MOST: Final = 2**31 - 1
#: A substring that starts before this place ends before the first character, whatever its length.
_LEAST_START: Final = 2 - 2**63


def substring(text: Column, start: Column, length: Column | None) -> Column:
    """The ``length`` characters of ``text`` from ``start`` on; None: all characters from there on.

    Positions before 1 count in ``length``, but have no character.  Raises INVALID_ARGUMENT for a
    negative length.
    """
    first = long(start)
    begin = F.greatest(F.least(first, F.lit(_MOST)), F.lit(1)).cast("int")
    if length is None:
        return F.when(start.isNotNull(), F.substr(text, begin))
    # ``before`` is minus the number of positions before 1; 0 if there are none.  The sum `first +
    # length` is avoided, because it could overflow.
    before = F.least(F.greatest(first, F.lit(_LEAST_START)), F.lit(1)) - F.lit(1)
    count = F.greatest(F.least(long(length) + before, F.lit(_MOST)), F.lit(0)).cast("int")
    refused = fails(Code.INVALID_ARGUMENT, "SUBSTRING of a negative length", VARCHAR)
    # NULL must have precedence over an error, but Spark's least and greatest ignore NULL.
    unknown = text.isNull() | start.isNull() | length.isNull()
    found = F.substr(text, begin, count)
    return F.when(unknown, F.lit(None)).when(long(length) < 0, refused).otherwise(found)


def overlay(text: Column, new: Column, start: Column, length: Column | None) -> Column:
    """``text`` with ``new`` in place of ``length`` characters from ``start`` on.

    ``length`` None: as many as ``new`` has.  Raises INVALID_ARGUMENT for a start before the first
    character, and for a negative length.
    """
    size = long(F.char_length(new)) if length is None else long(length)
    before = substring(text, F.lit(1), long(start) - F.lit(1))
    after = substring(text, long(start) + size, None)
    return of_bounded_length(F.concat(before, new, after))


def trimmed(op: Op, character: Column, text: Column) -> Column:
    """``text`` without ``character`` at its ends, or at the one end that ``op`` names.

    Raises INVALID_ARGUMENT if ``character`` is not a single character.
    """
    trim = {Op.TRIM_BOTH: F.btrim, Op.TRIM_LEADING: F.ltrim, Op.TRIM_TRAILING: F.rtrim}[op]
    refused = fails(Code.INVALID_ARGUMENT, "TRIM takes a single character", VARCHAR)
    wrong = (F.char_length(character) != 1) & text.isNotNull()
    return F.when(wrong, refused).otherwise(trim(text, character))


def padded(op: Op, text: Column, length: Column, characters: Column) -> Column:
    """``text`` with ``length`` characters: padded with ``characters``, or cut on the right.

    Raises INVALID_ARGUMENT for a negative length, OVERFLOW for one beyond the longest text.
    """
    pad = F.lpad if op is Op.LPAD else F.rpad
    requested = long(length)
    within = F.greatest(F.least(requested, F.lit(MAX_CHARACTERS)), F.lit(0)).cast("int")
    negative = fails(Code.INVALID_ARGUMENT, "LPAD or RPAD to a negative length", VARCHAR)
    unknown = text.isNull() | length.isNull() | characters.isNull()
    return (
        F.when(unknown, F.lit(None))
        .when(requested < 0, negative)
        .when(requested > MAX_CHARACTERS, _too_long())
        .otherwise(pad(text, within, characters))
    )


def replaced(text: Column, what: Column, by: Column) -> Column:
    """REPLACE: ``text`` with ``by`` in place of each ``what``; OVERFLOW for too long a result."""
    removed = long(F.char_length(text)) - long(F.char_length(F.replace(text, what, F.lit(""))))
    # An empty text does not occur in any text, so nothing is replaced.
    count = F.floor(removed / F.greatest(F.char_length(what), F.lit(1)))
    length = F.char_length(text) - removed + count * F.char_length(by)
    return F.when(length > MAX_CHARACTERS, _too_long()).otherwise(F.replace(text, what, by))


def of_bounded_length(text: Column) -> Column:
    """``text``, or OVERFLOW if it has too many characters.

    The result mentions ``text`` only once.  If it mentioned ``text`` twice, a chain of ``||`` would
    double in size with each operator.
    """
    checked = F.transform(
        F.array(text),
        lambda each: F.when(F.char_length(each) > MAX_CHARACTERS, _too_long()).otherwise(each),
    )
    return F.get(checked, F.lit(0))


def _too_long() -> Column:
    """A column that fails with OVERFLOW in each row that evaluates it."""
    return fails(Code.OVERFLOW, f"a text has at most {MAX_CHARACTERS:,} characters", VARCHAR)


def capitalised(text: Column) -> Column:
    """INITCAP: each run of letters and digits with its first character in upper case."""
    return F.udf(initcap, "string", useArrow=False)(text)


def initcap(text: str | None) -> str | None:
    """The function in Python that `capitalised` calls.

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
    """The first position of ``needle`` in ``text``; 0 if it is absent; 1 if it is empty."""
    return F.position(needle, text)


def like(
    text: Column, pattern: Column, escape: Column | None, constant: tuple[str, ...] | None
) -> Column:
    """``text`` LIKE ``pattern``; NULL if one of the columns is NULL.

    ``escape`` None: the query has no ESCAPE.  ``constant`` has the texts of pattern and escape;
    None if they are not constant.  Raises INVALID_ARGUMENT for a malformed pattern.
    """
    if constant is not None:
        try:
            regex = like_regex(*constant)
        except PatternError as error:
            refused = fails(Code.INVALID_ARGUMENT, str(error), VARCHAR)
            return F.when(text.isNotNull(), refused.cast("boolean"))
        return F.rlike(text, F.lit(regex))

    def regex_or_null(pattern: str | None, escape: str | None) -> str | None:
        if pattern is None or escape is None:
            return None
        try:
            return like_regex(pattern, escape or None)
        except PatternError as error:
            raise ValueError(failure_text(Code.INVALID_ARGUMENT, str(error))) from None

    regex_column = F.udf(regex_or_null, "string", useArrow=False)
    return F.rlike(text, regex_column(pattern, _escape_or_empty(escape)))


def similar(text: Column, pattern: Column, escape: Column | None) -> Column:
    """``text`` SIMILAR TO ``pattern``; INVALID_ARGUMENT for a malformed pattern.

    ``escape`` None: the query has no ESCAPE.
    """

    def is_similar_or_null(
        text: str | None, pattern: str | None, escape: str | None
    ) -> bool | None:
        if text is None or pattern is None or escape is None:
            return None
        try:
            return is_similar(text, pattern, escape or None)
        except PatternError as error:
            raise ValueError(failure_text(Code.INVALID_ARGUMENT, str(error))) from None

    matches = F.udf(is_similar_or_null, "boolean", useArrow=False)
    return matches(text, pattern, _escape_or_empty(escape))


def _escape_or_empty(escape: Column | None) -> Column:
    """The escape character; the empty text if the query has no ESCAPE.

    INVALID_ARGUMENT if the query's ESCAPE is not a single character.
    """
    if escape is None:
        return F.lit("")
    refused = fails(Code.INVALID_ARGUMENT, "ESCAPE takes a single character", VARCHAR)
    return F.when(F.char_length(escape) != 1, refused).otherwise(escape)
