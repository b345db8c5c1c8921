"""The range of the values in each column of a plan (S-301, S-403)."""

from algebra.catalog import Stream, Table
from algebra.constraints.number_range import ANY, Range, hull
from algebra.constraints.ranges import narrowed, not_false, value_range
from algebra.facts import deduced_once
from algebra.parts.node_expressions import expressions_of
from algebra.plan import (
    Aggregate,
    Filter,
    Joining,
    Passing,
    Plan,
    Project,
    Scan,
    SetOp,
    Values,
    Widening,
    WindowJoin,
    row_type,
)
from grammar.tree import JoinKind


@deduced_once
def column_ranges(plan: Plan) -> tuple[Range, ...]:
    """The range of each column of ``plan``; `ANY` where nothing is known.

    The ranges follow from CHECKs (S-301), from conditions, and from the ranges of the columns from
    which a column is computed.

    Defines: S-301.f, S-403.h
    """
    match plan:
        case Scan(Stream(carries=carried)) if carried is not None:
            # A stream that carries a query's rows has the query's columns, and perhaps more.
            known = column_ranges(carried)
            return (*known, *(ANY for _ in row_type(plan)[len(known) :]))
        case Scan(source):
            return _declared(source)
        case Values(rows, fields):
            columns = range(len(fields))
            return tuple(hull(value_range(row[i]) for row in rows) for i in columns)
        case Filter(input, condition):
            return narrowed(column_ranges(input), condition)
        case Passing():  # its rows are unchanged rows of the input
            return column_ranges(plan.input)
        case Project(input, expressions):
            below = column_ranges(input)
            return tuple(value_range(each, below) for each in expressions)
        case Widening():  # its rows are rows of the input with further columns
            added = row_type(plan)[len(row_type(plan.input)) :]
            return (*column_ranges(plan.input), *(ANY for _ in added))
        case Aggregate(input, keys, _, measures):
            below = column_ranges(input)
            return (*(value_range(each, below) for each in keys), *(ANY for _ in measures))
        case WindowJoin(left, right):
            return (*column_ranges(left), *column_ranges(right), ANY)  # ANY: the pair's rowtime
        case Joining():
            pairs = column_ranges(plan.left) + column_ranges(plan.right)
            if plan.kind is JoinKind.INNER:  # an outer join keeps rows that match no other row
                for condition in expressions_of(plan):
                    pairs = narrowed(pairs, condition)
            return pairs
        case SetOp(inputs):
            sides = zip(*(column_ranges(each) for each in inputs), strict=True)
            return tuple(hull(each) for each in sides)
        case _:
            return tuple(ANY for _ in row_type(plan))


def _declared(source: Table | Stream) -> tuple[Range, ...]:
    """The range of each column of ``source`` that its CHECKs allow."""
    ranges = tuple(ANY for _ in source.columns)
    for check in source.checks:
        ranges = not_false(ranges, check)  # a row passes a CHECK that is unknown
    return ranges
