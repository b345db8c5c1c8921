"""Plans over the retained rows of a stream, with the place of each row as a column.

The place of a row is its number in the order of arrival.  A query returns the places of the rows
that are still needed, and all other rows are evicted.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from algebra.catalog import Column, QualifiedName, Stream
from algebra.expression import Expression, Literal
from algebra.parts.mentions import scans
from algebra.parts.node_expressions import expressions_of, with_expressions
from algebra.plan import (
    AsofJoin,
    Filter,
    Join,
    Plan,
    Project,
    Reads,
    Scan,
    SetOp,
    Sort,
    column_names,
    columns,
    is_streaming,
    row_type,
)
from algebra.rewrite import has_subquery, shifted, substituted
from algebra.types import BIGINT, Type
from grammar.tree import SetOperator
from spark_backend.made_once import col
from spark_backend.relation import Relation, column_name, from_columns
from spark_backend.runtime.arrow import ARRIVAL

#: The suffix of a stream's name for its retained rows with their places.
PLACED: Final = "WITH PLACE"
#: The suffix of a stream's name for its retained rows with all of their columns a second time.
REPEATED: Final = "WITH ROW"
#: The type of a place.
PLACE: Final = BIGINT.as_nullable(False)


def placed(rows: Relation) -> Relation:
    """The retained rows of a stream, with the place of each row as last column."""
    place = col(ARRIVAL).alias(column_name(len(rows.types)))
    return Relation(rows.frame.select("*", place), (*rows.types, PLACE), rows.order)


def repeated(rows: Relation, width: int) -> Relation:
    """The relation that a scan with the suffix `REPEATED` reads (`with_row`).

    It has the ``width`` columns of the stream, which are the first columns of the retained
    ``rows``, and then all columns of ``rows``, which can be more.
    """
    again = [col(each).alias(column_name(width + i)) for i, each in enumerate(rows.columns)]
    first = [col(each) for each in rows.columns[:width]]
    return from_columns(rows, [*first, *again], (*rows.types[:width], *rows.types))


def stream_of(plan: Plan) -> Stream | None:
    """The stream whose rows a plan filters, projects, sorts, or joins with tables.

    None if the plan does anything else with rows of streams.
    """
    match plan:
        case Scan(Stream() as stream, Reads.STREAM):
            return stream
        case Filter(input) | Project(input) | Sort(input):
            return stream_of(input)
        case Join(left, right) | AsofJoin(left, right) if is_streaming(left) != is_streaming(right):
            side = left if is_streaming(left) else right
            return None if any(map(has_subquery, expressions_of(plan))) else stream_of(side)
        case _:
            return None


def is_merged(plan: Plan) -> bool:
    """Whether the rows are those of one stream (`stream_of`), or several merged by UNION ALL."""
    match plan:
        case SetOp(inputs, SetOperator.UNION, True):
            return all(map(is_merged, inputs))
        case Filter(input) | Project(input) | Sort(input):
            return is_merged(input)
        case _:
            return stream_of(plan) is not None


def below_rows(plan: Plan, read: Expression) -> tuple[Plan, Expression]:
    """The node below the Filters and Projects at the top of ``plan``, and ``read`` over its rows.

    ``read`` is an expression over the rows of ``plan``; the returned expression has the same value.
    """
    while isinstance(plan, Filter | Project):
        if isinstance(plan, Project):
            read = substituted(read, plan.expressions)
        plan = plan.input
    return plan, read


def places(rows: Plan, column: int) -> Project:
    """A plan of one column: the places of the rows, which are in ``column``."""
    return Project(rows, (columns(rows)[column],), ("PLACE",))


def reads(plan: Plan, stream: QualifiedName) -> bool:
    """Whether a plan reads a stream."""
    return any(each.source.name == stream for each in scans(plan))


def with_place(plan: Plan, stream: QualifiedName | None = None) -> Plan:
    """The rows of ``plan``, each with the place of the stream's row from which it is made.

    The place is the last column.  It is NULL for rows of other streams than ``stream``;
    ``stream`` None: every row has its place.  `is_merged` must hold for ``plan``.
    """
    match plan:
        case Scan(source):
            more = (*source.columns, Column("PLACE", PLACE))
            # It stays a stream, because MONOTONIC drops rows only in a stream.
            rows = Scan(replace(source, name=(*source.name, PLACED), columns=more), plan.reads)
            if stream in (None, source.name):
                return rows
            unknown = Literal(None, PLACE.as_nullable())
            return Project(rows, (*columns(rows)[:-1], unknown), column_names(rows))
        case Filter(input) | Sort(input):
            return replace(plan, input=with_place(input, stream))
        case Project(input, expressions, names):
            below = with_place(input, stream)
            return Project(below, (*expressions, columns(below)[-1]), (*names, "PLACE"))
        case SetOp(inputs):
            return replace(plan, inputs=tuple(with_place(each, stream) for each in inputs))
        case Join(left, right) | AsofJoin(left, right):
            # PLACE becomes the last column of the side that streams.  So the columns after it have
            # an index greater by one, and then PLACE itself is put at the end.
            joined: Join | AsofJoin
            if is_streaming(left):
                at = len(row_type(left))
                joined = replace(plan, left=with_place(left, stream))
            else:
                at = len(row_type(left)) + len(row_type(right))
                joined = replace(plan, right=with_place(right, stream))
            wider = with_expressions(joined, lambda each: shifted(each, 1, start=at))
            own = columns(wider)
            names = (*column_names(plan), "PLACE")
            return Project(wider, (*own[:at], *own[at + 1 :], own[at]), names)
        case _:
            raise AssertionError(f"{type(plan).__name__} over more than the rows of streams")


def with_row(plan: Plan, types: Sequence[Type]) -> Plan | None:
    """The rows of ``plan``, each followed by the stream's retained row from which it is made.

    ``types`` are the types of the columns of retained rows.  None if the rows are more than
    filtered and projected, because then a retained row could occur twice.
    """
    names = tuple(f"R{i}" for i, _ in enumerate(types))
    match plan:
        case Scan(source):
            more = tuple(Column(name, type) for name, type in zip(names, types, strict=True))
            source = replace(
                source, name=(*source.name, REPEATED), columns=(*source.columns, *more)
            )
            return replace(plan, source=source)
        case Filter(input):
            below = with_row(input, types)
            return None if below is None else replace(plan, input=below)
        case Project(input, expressions):
            below = with_row(input, types)
            if below is None:
                return None
            own = columns(below)[-len(types) :]
            return Project(below, (*expressions, *own), (*plan.names, *names))
        case _:
            return None


def union(*plans: Plan) -> Plan:
    """The rows of all plans, by UNION ALL."""
    return plans[0] if len(plans) == 1 else SetOp(plans, SetOperator.UNION, all=True)
