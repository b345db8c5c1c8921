"""The columns of a table or stream whose values can have an effect on a run (S-613).

A reader of files need not read the other columns.
"""

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from algebra.catalog import Stream, Table
from algebra.expression import Expression, InputRef, Subquery
from algebra.modify import Insert
from algebra.monotonicity.columns import rowtime_column
from algebra.parts.mentions import references
from algebra.parts.node_expressions import expressions_of
from algebra.plan import (
    Aggregate,
    Joining,
    Passing,
    Plan,
    Project,
    Reads,
    Scan,
    SetOp,
    Values,
    Widening,
    WindowJoin,
    inputs_of,
    row_type,
)
from algebra.rewrite import subexpressions
from grammar.tree import SetOperator

#: The places of some columns.
_Places: TypeAlias = frozenset[int]


def needed_columns(
    source: Table | Stream, standing: Iterable[Insert], query: Plan | None
) -> frozenset[int]:
    """The places of the columns of ``source`` whose values are needed.

    ``standing`` are the standing statements of the run, and ``query`` is its query, if any.  The
    columns are those that a statement or the query reads, and those whose declaration has more than
    a type: NOT NULL, a CHECK, an order, a KEY, a period.  A run gives the same answer if the other
    columns are NULL in all rows.  All columns of a stream WITH CHANGES and of a statement's target
    are needed, because their rows are compared or written as a whole.

    Defines: S-613.k
    """
    standing = tuple(standing)
    every = frozenset(range(len(source.columns)))
    plans = [each.input for each in standing] + ([] if query is None else [query])
    if any(each.target.name == source.name for each in standing) or (
        isinstance(source, Table) and source.changing
    ):
        return every
    needed = _declared(source)
    for plan in plans:
        for scan, places in columns_read(plan):
            call = scan.source.call if isinstance(scan.source, Stream) else None
            if call is not None and call.input.name == source.name:
                needed |= every  # a table function may read any column of its input
            elif scan.source.name == source.name:
                needed |= places
    return needed


def columns_read(plan: Plan) -> Iterator[tuple[Scan, frozenset[int]]]:
    """The scans in ``plan``, each with the places of its columns that are read.

    All columns of ``plan`` count as read.  An expression that is not only a column reads its
    columns even if no node reads its value, because it may raise an error.
    """
    yield from _reads(plan, _all(plan))


def _all(plan: Plan) -> _Places:
    """The places of all columns of ``plan``."""
    return frozenset(range(len(row_type(plan))))


def _declared(source: Table | Stream) -> _Places:
    """The columns whose declaration has more than a type."""
    needed = frozenset(
        place
        for place, column in enumerate(source.columns)
        if column.ordering is not None or not column.type.nullable
    ).union(*map(_own, source.checks))
    if isinstance(source, Table):
        return needed.union(source.primary_key, source.period or ())
    rowtime = rowtime_column(Scan(source, Reads.STREAM))
    return needed if rowtime is None else needed | {rowtime}


def _reads(plan: Plan, requested: _Places) -> Iterator[tuple[Scan, _Places]]:
    """The scans in ``plan``, each with the places of its columns that are read.

    ``requested`` are the places of the columns of ``plan`` that the nodes above it read.
    """
    expressions = expressions_of(plan)
    for expression in expressions:
        for each in subexpressions(expression):
            if isinstance(each, Subquery):
                yield from _reads(each.plan, _all(each.plan))
    if isinstance(plan, Project):
        expressions = tuple(
            each
            for place, each in enumerate(expressions)
            if place in requested or not isinstance(each, InputRef)
        )
    own = frozenset[int]().union(*map(_own, expressions))
    match plan:
        case Scan():
            yield plan, requested
        case Values():
            return
        case Project(input) | Aggregate(input):
            yield from _reads(input, own)
        case Passing() | Widening():
            yield from _reads(plan.input, (requested | own) & _all(plan.input))
        case Joining():
            left, right = plan.left, plan.right
            width = len(row_type(left))
            if isinstance(plan, WindowJoin):
                own |= {plan.left_rowtime, width + plan.right_rowtime}
            read = requested | own  # places in the joined row
            yield from _reads(left, read & _all(left))
            yield from _reads(right, frozenset(at - width for at in read) & _all(right))
        case SetOp(inputs, SetOperator.UNION, True):
            for input in inputs:
                yield from _reads(input, requested)
        case _:  # the other set operations compare rows by all of their columns
            for input in inputs_of(plan):
                yield from _reads(input, _all(input))


def _own(expression: Expression) -> _Places:
    """The columns of its row that an expression reads, also in its sub-queries."""
    return frozenset(each.index for level, each in references(expression) if level == 0)
