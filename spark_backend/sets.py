"""UNION, INTERSECT and EXCEPT; NULLs are equal here."""

from collections.abc import Callable, Sequence
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.plan import SetOp
from algebra.types import Type
from grammar.tree import SetOperator
from spark_backend.relation import Outer, Relation, correlated
from spark_backend.types import spark_type


def set_operation(
    node: SetOp, inputs: Sequence[Relation], types: Sequence[Type], outer: Outer | None
) -> Relation:
    """The rows of all inputs put together; their order is open.

    Where the rows depend on an enclosing row, its columns take part: each has its own operation.
    """
    if outer is not None and any(each.outer is not None for each in inputs):
        inputs = [correlated(each, outer) for each in inputs]
    per = inputs[0].per
    frames = [
        each.frame.select(
            *(
                F.col(c).cast(spark_type(t)).alias(c)
                for c, t in zip(each.columns, types, strict=True)
            ),
            *(F.col(name) for name in per),
        )
        for each in inputs
    ]
    return Relation(reduce(_operator(node), frames), tuple(types), (), inputs[0].outer)


def _operator(node: SetOp) -> Callable[[DataFrame, DataFrame], DataFrame]:
    """The operation on two frames; of more inputs the first two come first."""
    match node.operator:
        case SetOperator.UNION if node.all:
            return DataFrame.union
        case SetOperator.UNION:
            return lambda a, b: a.union(b).distinct()
        case SetOperator.INTERSECT:
            return DataFrame.intersectAll if node.all else DataFrame.intersect
        case SetOperator.EXCEPT:
            return DataFrame.exceptAll if node.all else DataFrame.subtract
