"""Run-time errors: raised inside Spark, and translated to `SqlError` on the way out."""

import re
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from py4j.protocol import (  # type: ignore[import-untyped]  # it has no types
    Py4JError,  # pyright: ignore[reportUnknownVariableType]  the same
)
from pyspark.errors import PySparkException
from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.types import Type
from grammar.codes import Code
from grammar.source import Span, SqlError
from spark_backend.types import type_name

#: Our codes for Spark's error conditions; a sub-condition counts as its condition.
CONDITIONS: Final = {
    "ARITHMETIC_OVERFLOW": Code.OVERFLOW,
    "BINARY_ARITHMETIC_OVERFLOW": Code.OVERFLOW,
    "CAST_OVERFLOW": Code.OVERFLOW,
    "NUMERIC_VALUE_OUT_OF_RANGE": Code.OVERFLOW,
    "NUMERIC_OUT_OF_SUPPORTED_RANGE": Code.OVERFLOW,
    "DATETIME_OVERFLOW": Code.OVERFLOW,
    "INTERVAL_ARITHMETIC_OVERFLOW": Code.OVERFLOW,
    "DIVIDE_BY_ZERO": Code.DIVISION_BY_ZERO,
    "REMAINDER_BY_ZERO": Code.DIVISION_BY_ZERO,
    "CAST_INVALID_INPUT": Code.INVALID_CAST,
    "SCALAR_SUBQUERY_TOO_MANY_ROWS": Code.SCALAR_SUBQUERY_ROWS,
}
_MESSAGES: Final = {
    Code.OVERFLOW: "a result is outside the range of its type",
    Code.DIVISION_BY_ZERO: "division by zero",
    Code.INVALID_CAST: "a text is not a value of the type it is cast to",
    Code.SCALAR_SUBQUERY_ROWS: "a scalar sub-query gave more than one row",
}
#: The text that `failure_text` makes, in a message of Spark: the code, and our own message.
_OURS: Final = re.compile(r"rowtime:([A-Z_]+):([^\n]*?)(?: SQLSTATE|$)", re.MULTILINE)
#: The lines of a Java stack trace that name an exception; the last one is the root cause.
_CAUSE: Final = re.compile(r"^(?:Caused by: )?([\w.]*(?:Error|Exception): [^\n]+)", re.MULTILINE)
#: The line that Py4J writes above the error of a call.
_CALLING: Final = re.compile(r"An error occurred while calling [\w.]+\.?$")
#: An error condition in a message of Spark: ``[CONDITION]``, or ``[CONDITION.SUB_CONDITION]``.
_CONDITION: Final = re.compile(r"\[([A-Z_]+)(?:\.[A-Z_]+)?\]")


class SparkFailure(RuntimeError):  # noqa: N818  it names what failed, as Spark's own words do
    """A failure of Spark that is not a run-time error of the language."""


def fails(code: Code, message: str, type: Type) -> Column:
    """A column of ``type`` whose evaluation for a row raises ``code``, with this message."""
    return F.raise_error(F.lit(failure_text(code, message))).cast(type_name(type))


def failure_text(code: Code, message: str) -> str:
    """The text of an exception in a Python function of a query, from which `failures` reads it."""
    return f"rowtime:{code}:{message}"


@contextmanager
def failures() -> Generator[None]:
    """A context in which Spark's exceptions become a `SqlError` or a `SparkFailure`."""
    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise translated(error) from None


def translated(error: Exception) -> SqlError | SparkFailure:
    """The `SqlError` or `SparkFailure` for an exception of Spark's."""
    text = str(error)
    if (ours := _OURS.search(text)) and ours[1] in Code.__members__:
        return SqlError(Code(ours[1]), ours[2].strip(), "", Span(0, 0))
    condition = error.getCondition() if isinstance(error, PySparkException) else None
    named = [condition.partition(".")[0]] if condition else []
    for each in [*named, *_CONDITION.findall(text)]:
        if each in CONDITIONS:
            code = CONDITIONS[each]
            return SqlError(code, _MESSAGES[code], "", Span(0, 0))
    # Any other exception: its first line, or the second line if the first is Py4J's.
    first, *others = [each for each in text.splitlines() if each.strip()] or [type(error).__name__]
    if others and _CALLING.match(first):
        first = others[0].removeprefix(": ")
    causes = [each for each in _CAUSE.findall(text) if each not in first]
    cause = f"\n  caused by: {causes[-1].strip()[:300]}" if causes else ""
    return SparkFailure(f"Spark failed: {first.strip()[:500]}{cause}")
