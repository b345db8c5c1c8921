"""Plans over the retained rows of a stream, each with its place among them.

With the places, a query can name the rows that are still needed, and the others are evicted.
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
#: The suffix of a stream's name for its retained rows with all of their columns once more.
REPEATED: Final = "WITH ROW"
#: The type of a place.
PLACE: Final = BIGINT.as_nullable(False)


def placed(rows: Relation) -> Relation:
    """The retained rows of a stream, with the place of each row as last column."""
    place = col(ARRIVAL).alias(column_name(len(rows.types)))
    return Relation(rows.frame.select("*", place), (*rows.types, PLACE), rows.order)


def repeated(rows: Relation, width: int) -> Relation:
    """The first ``width`` columns of retained rows, and after them all columns of these rows."""
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
    """The node below the Filters and Projects at the top of ``plan``; ``read`` over its rows.

    ``read`` is an expression over the rows of ``plan``.
    """
    while isinstance(plan, Filter | Project):
        if isinstance(plan, Project):
            read = substituted(read, plan.expressions)
        plan = plan.input
    return plan, read


def places(rows: Plan, place: int) -> Project:
    """The places of the rows, which are their column at ``place``."""
    return Project(rows, (columns(rows)[place],), ("PLACE",))


def reads(plan: Plan, stream: QualifiedName) -> bool:
    """Whether a plan reads a stream."""
    return any(each.source.name == stream for each in scans(plan))


def with_place(plan: Plan, stream: QualifiedName | None = None) -> Plan:
    """The rows, with the place of the stream's row from which each is computed as last column.

    The place is NULL for rows of another stream than ``stream``. `is_merged` must hold.
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
            # PLACE becomes the last column of the side that streams.  The columns after it move by
            # one place, and PLACE itself is put at the end.
            place, width = len(row_type(left)), len(row_type(left)) + len(row_type(right))
            if is_streaming(left):
                joined = replace(plan, left=with_place(left, stream))
            else:
                joined, place = replace(plan, right=with_place(right, stream)), width
            wider = with_expressions(joined, lambda each: shifted(each, 1, start=place))
            own = columns(wider)
            names = (*column_names(plan), "PLACE")
            return Project(wider, (*own[:place], *own[place + 1 :], own[place]), names)
        case _:
            raise AssertionError(f"{type(plan).__name__} over more than the rows of streams")


def with_row(plan: Plan, types: Sequence[Type]) -> Plan | None:
    """The rows, with all columns of the stream's retained row from which each is computed.

    ``types`` are those of the retained rows' columns, which are the last ones of the result.  None
    if rows are more than filtered and projected, because then a row could occur twice.
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
