"""Truth values, and AND and OR of many columns."""

from collections.abc import Iterable

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses


def truth(value: bool | None) -> Column:
    """TRUE, FALSE or UNKNOWN."""
    return F.lit(value).cast("boolean")


def all_of(conditions: Iterable[Column]) -> Column:
    """The conjunction; TRUE without conditions."""
    whole: Column | None = None
    for each in conditions:
        whole = each if whole is None else whole & each
    return truth(True) if whole is None else whole


def any_of(conditions: Iterable[Column]) -> Column:
    """The disjunction; FALSE without conditions."""
    whole: Column | None = None
    for each in conditions:
        whole = each if whole is None else whole | each
    return truth(False) if whole is None else whole
