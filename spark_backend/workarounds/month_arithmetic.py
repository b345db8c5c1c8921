"""Months that lead beyond Spark's calendar.

Spark 4.3 fails (ARITHMETIC_OVERFLOW) where `add_months` leads to a day beyond an INTEGER.  But the
callers need only know that the result is outside the years 1 to 9999.
"""

from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

#: 20,000 years: they lead from any date out of the years 1 to 9999, and stay in Spark's calendar.
_FAR: Final = 240_000


def months_in_calendar(months: Column) -> Column:
    """``months``, a BIGINT, as the INTEGER for `add_months`: cut to 20,000 years either way."""
    return F.when(months > _FAR, _FAR).when(months < -_FAR, -_FAR).otherwise(months).cast("int")
