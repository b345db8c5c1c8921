"""Per-batch constants that Spark does not inline into the Java code it generates for a query.

Spark 4.3 generates Java for a query with its constants in the text, compiles it, and caches the
compiled code by that text.  With the bounds of a micro-batch in the text, every micro-batch would
compile again, and run code that the JVM has not optimised yet.  An element of an array is not part
of the text, but data that is passed to the code: so all micro-batches share the compiled code.
"""

from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

_LEAST: Final = -(2**63)


def non_inlined(value: int, column: Column) -> Column:
    """The BIGINT ``value``, read from an array; NULL in rows where ``column``, a BIGINT, is NULL.

    The array's index is computed from ``column``, so that the optimizer cannot fold the element to
    a constant: it is always 0, because no BIGINT is below the least one.
    """
    return F.get(F.array(F.lit(value).cast("bigint")), (column < F.lit(_LEAST)).cast("int"))
