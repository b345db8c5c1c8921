"""Sub-queries in expressions, by join: each is evaluated once per combination of outer values.

The distinct combinations of the outer values that a sub-query refers to are taken from the rows;
the sub-query's plan is translated over them; its result for a combination is joined back to the
rows with that combination.  So any correlation, at any depth and through any operator, is a join.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.expression import (
    Exists,
    Expression,
    InQuery,
    Op,
    Quantified,
    ScalarQuery,
)
from algebra.plan import Plan
from algebra.rewrite import has_subquery, operands
from algebra.types import APPROXIMATE
from grammar.codes import Code
from spark_backend.columns.expression import Names, column_of, comparison
from spark_backend.columns.logic import all_of
from spark_backend.made_once import col
from spark_backend.relation import OuterRows, Relation, outer_references
from spark_backend.runtime.failures import fails
from spark_backend.translator import Translator


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows to which the answers of sub-queries are joined, one after the other.

    ``plain``: the rows without answers, from which combinations of outer values are taken. If these
    were taken from the joined rows, the plan of each answer would contain all earlier answers
    twice.
    """

    relation: Relation
    plain: DataFrame

    def with_frame(self, frame: DataFrame) -> "_Rows":
        """The rows with one more answer joined."""
        return replace(self, relation=replace(self.relation, frame=frame))


def with_names(
    relation: Relation,
    expressions: Sequence[Expression],
    translator: Translator,
) -> tuple[Relation, Names]:
    """``relation`` with the columns that ``expressions`` need, and the `Names` to translate them.

    Outer values are joined if an expression refers to one.  Each answer of a sub-query is a column
    that later operators do not carry.
    """
    if outer_references(*expressions):
        relation = translator.correlated(relation)
    rows = _Rows(relation, relation.frame)
    names = relation.names(translator.now)
    for query in _subqueries(expressions):
        if query not in names.answers:
            rows, answer = _answered(rows, query, names, translator)
            names = replace(names, answers={**names.answers, query: answer})
    return rows.relation, names


def _subqueries(expressions: Sequence[Expression]) -> list[Expression]:
    """The sub-queries in expressions; one in an operand of another comes before it."""
    found: list[Expression] = []
    for each in expressions:
        found += _subqueries(operands(each))
        if isinstance(each, ScalarQuery | Exists | InQuery | Quantified):
            found.append(each)
    return found


def _answered(
    rows: _Rows, query: Expression, names: Names, translator: Translator
) -> tuple[_Rows, Column]:
    """The rows with a sub-query's answer joined, and the answer as a column."""
    match query:
        case ScalarQuery(plan, type):
            inner, link = _inner(rows, plan, names, translator)
            count, value = translator.fresh("n"), translator.fresh("v")
            found = inner.frame.groupBy(*inner.outer_columns).agg(
                F.count(F.lit(1)).alias(count), F.first(col("c0")).alias(value)
            )
            refused = fails(
                Code.SCALAR_SUBQUERY_ROWS, "a scalar sub-query gave more than one row", type
            )
            answer = F.when(col(count) > 1, refused).otherwise(col(value))
            return _joined(rows, found, link, (count, value)), answer
        case Exists(plan):
            inner, link = _inner(rows, plan, names, translator)
            count = translator.fresh("n")
            found = inner.frame.groupBy(*inner.outer_columns).agg(F.count(F.lit(1)).alias(count))
            joined = _joined(rows, found, link, (count,))
            return joined, F.coalesce(col(count), F.lit(0)) > 0
        case InQuery((operand,), plan) if operand.type.kind not in APPROXIMATE:
            return _in_column(rows, column_of(operand, names), plan, names, translator)
        case InQuery(inner_operands, plan):
            pairs = [(Op.EQUAL, each) for each in inner_operands]
            return _compared(rows, pairs, plan, names, translator, every=False)
        case Quantified(op, every, operand, plan):
            return _compared(rows, [(op, operand)], plan, names, translator, every=every)
        case _:
            raise AssertionError("no sub-query")


def _inner(
    rows: _Rows, plan: Plan, names: Names, translator: Translator
) -> tuple[Relation, dict[str, Column]]:
    """The sub-query's rows for all combinations of outer values, and their link to ``rows``.

    The link has, for each outer column of the sub-query's rows, the column of ``rows`` that it must
    equal; it is empty if the sub-query is not correlated.
    """
    link: dict[str, Column] = {}
    places: dict[tuple[int, int], str] = {}
    for level, index in outer_references(plan):
        name = translator.fresh("x")
        places[level, index] = name
        source = names.columns[index] if level == 1 else names.outer[level - 1, index]
        link[name] = col(source)
    if not link:
        return translator.translate(plan), link
    combinations = rows.plain.select(*(c.alias(n) for n, c in link.items())).distinct()
    inner = replace(translator, outer=OuterRows(combinations, places))
    return inner.correlated(inner.translate(plan)), link


def _joined(rows: _Rows, found: DataFrame, link: dict[str, Column], added: Sequence[str]) -> _Rows:
    """The rows, each with the columns ``added`` of the row of ``found`` that it is linked to.

    The columns are NULL if there is no such row.  Without links, ``found`` has exactly one row.
    """
    if not link:
        return rows.with_frame(rows.relation.frame.crossJoin(F.broadcast(found)))
    same = [column.eqNullSafe(col(name)) for name, column in link.items()]
    frame = rows.relation.frame
    joined = frame.join(found, all_of(same), "left")
    return rows.with_frame(joined.select(*(col(each) for each in [*frame.columns, *added])))


def _in_column(
    rows: _Rows,
    operand: Column,
    plan: Plan,
    names: Names,
    translator: Translator,
) -> tuple[_Rows, Column]:
    """``operand IN (plan)``: the rows with the columns for the answer, and the answer.

    A hash join finds the items that are equal.  For other operands, counts of the items decide
    between FALSE and UNKNOWN.
    """
    inner, link = _inner(rows, plan, names, translator)
    item, hit = translator.fresh("i"), translator.fresh("h")
    items = inner.frame.select(col("c0").alias(item), *inner.outer_columns)
    hits = items.filter(col(item).isNotNull()).distinct().withColumn(hit, F.lit(True))
    same = [column.eqNullSafe(col(name)) for name, column in link.items()]
    frame = rows.relation.frame
    joined = frame.join(hits, all_of([operand == col(item), *same]), "left")
    rows = rows.with_frame(joined.select(*(col(each) for each in [*frame.columns, hit])))
    count, known = translator.fresh("n"), translator.fresh("n")
    counts = items.groupBy(*inner.outer_columns).agg(
        F.count(F.lit(1)).alias(count), F.count(col(item)).alias(known)
    )
    rows = _joined(rows, counts, link, (count, known))
    some = F.coalesce(col(count), F.lit(0)) > 0
    unknown = some & (operand.isNull() | (col(known) < col(count)))
    answer = F.when(col(hit), F.lit(True)).when(unknown, F.lit(None)).otherwise(F.lit(False))
    return rows, answer


def _compared(
    rows: _Rows,
    pairs: Sequence[tuple[Op, Expression]],
    plan: Plan,
    names: Names,
    translator: Translator,
    *,
    every: bool,
) -> tuple[_Rows, Column]:
    """ANY, or ALL if ``every``, of a three-valued condition between operands and rows of ``plan``.

    ``pairs`` has an operand for each column of ``plan``, with the comparison.  Each combination of
    operands is compared with every row.  The usual case, equality of a single operand, is
    `_in_column`, which is faster.
    """
    inner, link = _inner(rows, plan, names, translator)
    compared = {translator.fresh("o"): column_of(each, names) for _, each in pairs}
    # The outer values again, under other names than those that they have in ``inner``.
    linked = {translator.fresh("y"): column for column in link.values()}
    # An operand that is itself a sub-query's answer is not in the plain rows.
    nested = any(has_subquery(each) for _, each in pairs)
    source = rows.relation.frame if nested else rows.plain
    distinct = source.select(
        *(column.alias(name) for name, column in (compared | linked).items())
    ).distinct()
    links = [col(y).eqNullSafe(col(x)) for y, x in zip(linked, link, strict=True)]
    truths = [
        comparison(op, col(name), col(f"c{i}"), each.type)
        for i, (name, (op, each)) in enumerate(zip(compared, pairs, strict=True))
    ]
    truth = all_of(truths)
    crossed = (
        distinct.join(inner.frame, all_of(links)) if links else distinct.crossJoin(inner.frame)
    )
    # A TRUE decides ANY, and a FALSE decides ALL.  If no row decides, an unknown row makes the
    # answer unknown.
    decided, unknown = translator.fresh("t"), translator.fresh("u")
    found = crossed.groupBy(*compared, *linked).agg(
        F.max(~truth if every else truth).alias(decided), F.max(truth.isNull()).alias(unknown)
    )
    answer = (
        F.when(col(decided), F.lit(not every))
        .when(col(unknown), F.lit(None))
        .otherwise(F.lit(every))
    )
    return _joined(rows, found, compared | linked, (decided, unknown)), answer
