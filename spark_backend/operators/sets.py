"""UNION, INTERSECT and EXCEPT, for which NULLs are equal."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.plan import SetOp, row_type
from grammar.tree import SetOperator
from spark_backend.made_once import col
from spark_backend.relation import Relation, SortColumn, types_of
from spark_backend.translator import Translator
from spark_backend.types import type_name


def set_operation(node: SetOp, inputs: Sequence[Relation], translator: Translator) -> Relation:
    """The rows of the set operation ``node`` over ``inputs``, in any order.

    Outer values on which an input depends are further columns.  So only rows with the same outer
    values can be equal.  If the order matters (``translator.ordered``), UNION ALL returns one input
    after the other.
    """
    if any(each.outer is not None for each in inputs):
        inputs = [translator.correlated(each) for each in inputs]
    per, types = inputs[0].outer_columns, types_of(row_type(node))
    in_turn = translator.ordered and node.all and node.operator is SetOperator.UNION
    order, places = _in_turn(inputs, translator) if in_turn else ((), [()] * len(inputs))
    frames = [
        each.frame.select(
            *(col(c).cast(type_name(t)).alias(c) for c, t in zip(each.columns, types, strict=True)),
            *own,
            *(col(name) for name in per),
        )
        for each, own in zip(inputs, places, strict=True)
    ]
    return Relation(reduce(_operator(node), frames), types, order, inputs[0].outer)


def _in_turn(
    inputs: Sequence[Relation], translator: Translator
) -> tuple[tuple[SortColumn, ...], list[tuple[Column, ...]]]:
    """The order "one input after the other", and for each input the columns that it adds for it.

    An input adds its number, and a column for each sort key of all inputs.  The columns for the
    keys of other inputs are NULL.
    """
    number = translator.fresh("o")
    keys = [[replace(key, column=translator.fresh("o")) for key in each.order] for each in inputs]
    places: list[tuple[Column, ...]] = []
    for i, each in enumerate(inputs):
        own = [
            (col(each.order[n].column) if j == i else F.lit(None)).alias(key.column)
            for j, others in enumerate(keys)
            for n, key in enumerate(others)
        ]
        places.append((F.lit(i).alias(number), *own))
    return (SortColumn(number), *(key for each in keys for key in each)), places


def _operator(node: SetOp) -> Callable[[DataFrame, DataFrame], DataFrame]:
    """The operation on two frames, to be folded over the inputs from the left."""
    match node.operator:
        case SetOperator.UNION if node.all:
            return DataFrame.union
        case SetOperator.UNION:
            return lambda a, b: a.union(b).distinct()
        case SetOperator.INTERSECT:
            return DataFrame.intersectAll if node.all else DataFrame.intersect
        case SetOperator.EXCEPT:
            return DataFrame.exceptAll if node.all else DataFrame.subtract
