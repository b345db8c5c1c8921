"""ASOF joins: each left row with the nearest right row of its key (S-904)."""

from collections.abc import Sequence
from dataclasses import replace

from pyspark.sql import Column, DataFrame
from pyspark.sql import Window as SparkWindow
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.expression import Expression
from algebra.parts.asof import asof_of
from algebra.plan import AsofJoin
from algebra.types import APPROXIMATE
from spark_backend.columns.expression import column_of
from spark_backend.operators.subqueries import with_names
from spark_backend.relation import Relation, column_name
from spark_backend.translator import Translator


def asof_join(node: AsofJoin, left: Relation, right: Relation, translator: Translator) -> Relation:
    """The left rows, each with its nearest right row, or padded if LEFT.

    The rows of both sides are sorted together by key and time, backward in time for ``<=`` and
    ``<``.  The nearest right row of a left row is then the last right row before it.
    """
    if left.outer is not None or right.outer is not None:
        left, right = translator.correlated(left), translator.correlated(right)
    asof = asof_of(node)
    names = [translator.fresh("k") for _ in asof.left_keys]
    time, first, own, other, nearest = (translator.fresh(each) for each in "tfabn")
    keys = [*names, *left.outer_columns]

    def side(
        rows: Relation, key: Sequence[Expression], time_of_row: Expression, name: str
    ) -> DataFrame:
        """The rows of a side as four groups of columns: key, outer values, time, and the whole row.

        The whole row is one struct, in the column ``name``.
        """
        wider, columns = with_names(rows, [*key, time_of_row], translator)
        known = [column_of(e, columns).alias(n) for e, n in zip(key, names, strict=True)]
        row = F.struct(*rows.columns, *rows.hidden).alias(name)
        outer = [F.col(each) for each in rows.outer_columns]
        return wider.frame.select(*known, *outer, column_of(time_of_row, columns).alias(time), row)

    # Among rows with the same time, those whose ``first`` is true sort first.  In a strict join
    # these are the left rows: then they do not match.  Else they are the right rows, which match.
    lefts = side(left, asof.left_keys, asof.left_time, own).withColumn(first, F.lit(asof.strict))
    rights = side(right, asof.right_keys, asof.right_time, other)
    for name, key in zip(names, asof.right_keys, strict=True):
        # A row with NULL or NaN in its key has no match.
        rights = rights.filter(F.col(name).isNotNull())
        if key.type.kind in APPROXIMATE:
            rights = rights.filter(~F.isnan(name))
    rights = rights.filter(F.col(time).isNotNull()).withColumn(first, F.lit(not asof.strict))
    both = lefts.unionByName(rights, allowMissingColumns=True)
    ordered = F.col(time).asc_nulls_first() if asof.backward else F.col(time).desc_nulls_first()
    window = (
        SparkWindow.partitionBy(*map(F.col, keys))
        .orderBy(ordered, F.col(first).desc())
        .rowsBetween(SparkWindow.unboundedPreceding, SparkWindow.currentRow)
    )
    joined = both.withColumn(nearest, F.last(other, ignorenulls=True).over(window))
    joined = joined.filter(F.col(own).isNotNull())
    if not node.kind.preserves_left:
        joined = joined.filter(F.col(nearest).isNotNull())
    columns: list[Column] = [F.col(own)[each].alias(each) for each in left.columns]
    columns += [
        F.col(nearest)[each].alias(column_name(len(left.types) + i))
        for i, each in enumerate(right.columns)
    ]
    columns += [F.col(own)[each].alias(each) for each in left.hidden]
    padded = node.kind.preserves_left
    types = tuple(each.as_nullable(each.nullable or padded) for each in right.types)
    return replace(left, frame=joined.select(*columns), types=(*left.types, *types), sorted=False)
