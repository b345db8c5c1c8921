"""Expressions that Spark must not copy into the conditions above them.

Spark 4.3 pushes a filter below the projection that defines a column by putting the column's
expression into the filter, once for each mention.  A condition on the two ends of a window then
evaluates the whole arithmetic of the window many times a row: some hundred times the work.  Spark
leaves an expression where it stands if it is not deterministic.
"""

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses


def evaluated_once(value: Column) -> Column:
    """``value``, evaluated in the projection where it stands, once for each row.

    Spark treats the column as not deterministic, because its condition reads the number of the
    partition.  This number is never negative, so the column has always the value of ``value``.
    """
    return F.when(F.spark_partition_id() < F.lit(0), F.lit(None)).otherwise(value)
