"""Numbers that are others in each micro-batch, in queries that are the same for Spark.

Spark writes Java for a query, with its constants in the text, and keeps what it has compiled by
that text.  With a bound in it, each micro-batch would have code of its own, which the JVM runs
slowly at first, and is over before it runs fast.  An element of an array is no text, but data.
"""

from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

_LEAST: Final = -(2**63)


def steady(value: int, beside: Column) -> Column:
    """A BIGINT; NULL in rows in which ``beside``, a BIGINT, is NULL.

    Its place in the array hangs on a column, so that Spark does not take it out beforehand; no
    BIGINT is less than the least one.
    """
    return F.get(F.array(F.lit(value).cast("bigint")), (beside < F.lit(_LEAST)).cast("int"))
