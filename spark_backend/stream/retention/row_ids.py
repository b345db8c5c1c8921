"""The rows that are kept of a stream, each with its place among them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.catalog import Column, QualifiedName, Stream
from algebra.expression import Literal
from algebra.mentions import scans
from algebra.plan import (
    Aggregate,
    Filter,
    Join,
    Plan,
    Project,
    Reads,
    RowsWindow,
    Scan,
    SetOp,
    Sort,
    WindowJoin,
    column_names,
    columns,
    is_streaming,
    row_type,
)
from algebra.rewrite import shifted
from algebra.types import BIGINT
from grammar.tree import JoinKind, SetOperator
from spark_backend.relation import Relation, column_name
from spark_backend.runtime.arrow import ARRIVAL
from spark_backend.stream.retention.pending_frames import alike

#: The name of a stream's rows, each with its place among them.
PLACED: Final = "WITH PLACE"
#: The type of a place.
PLACE: Final = BIGINT.as_nullable(False)


def placed(rows: Relation) -> Relation:
    """The rows that are kept of a stream, with the place of each behind."""
    place = F.col(ARRIVAL).alias(column_name(len(rows.types)))
    return Relation(rows.frame.select("*", place), (*rows.types, PLACE), rows.order)


def stream_of(plan: Plan) -> Stream | None:
    """The one stream whose rows a plan only filters, projects and sorts; None: there is none."""
    match plan:
        case Scan(Stream() as stream, Reads.STREAM):
            return stream
        case Filter(input) | Project(input) | Sort(input):
            return stream_of(input)
        case _:
            return None


def is_merged(plan: Plan) -> bool:
    """Whether a plan filters, projects and sorts rows of streams, and UNION ALL of such, only."""
    match plan:
        case SetOp(inputs, SetOperator.UNION, True):
            return all(map(is_merged, inputs))
        case Filter(input) | Project(input) | Sort(input):
            return is_merged(input)
        case _:
            return stream_of(plan) is not None


def is_traced(plan: Plan) -> bool:
    """Whether a plan only filters, projects and joins the rows of streams, and groups the result.

    From fewer input rows such a plan makes fewer rows, and no others.  Three operators are not so:
    a join that pads rows, a window of ROWS, and a group below a join.  Each of their rows needs all
    of the input rows that made it; they are allowed if nothing else reads the same streams.
    """
    match plan:
        case Filter(input) | Project(input) | Aggregate(input, _, (_,)):
            return is_traced(input)
        case _:
            return _is_joined(plan, [each.source.name for each in scans(plan)])


def _is_joined(plan: Plan, read: Sequence[QualifiedName]) -> bool:
    """Whether the input rows that a plan's rows need are known; ``read``: all streams it reads."""
    match plan:
        case _ if stream_of(plan) is not None:
            return True
        case Filter(input) | Project(input):
            return _is_joined(input, read)
        case Aggregate(input, _, (_,)):
            stream = stream_of(input)
            return stream is not None and read.count(stream.name) == 1
        case Join(left, right) if not (is_streaming(left) and is_streaming(right)):
            return _is_joined(left if is_streaming(left) else right, read)
        case Join(left, right, kind) | WindowJoin(left, right, kind):
            sides = [_is_joined(each, read) for each in (left, right)]
            if kind is JoinKind.INNER and not _counts_rows(plan):
                return all(sides)
            own = [each.source.name for side in (left, right) for each in scans(side)]
            return all(sides) and len(own) == 2 and all(read.count(each) == 1 for each in own)
        case _:
            return False


def _counts_rows(plan: Join | WindowJoin) -> bool:
    if isinstance(plan, Join):
        return False
    return any(isinstance(each, RowsWindow) for each in (plan.left_window, plan.right_window))


def reads(plan: Plan, stream: QualifiedName) -> bool:
    """Whether a plan reads a stream."""
    return any(each.source.name == stream for each in scans(plan))


def with_place(plan: Plan, stream: QualifiedName | None = None) -> Plan:
    """The rows with the place of the stream's row that each is made of, behind.

    ``stream``: of others it is NULL.  A group is there once for each of its rows, and a pair once
    for each of its sides that read the stream.
    """
    match plan:
        case Scan(source):
            more = (*source.columns, Column("PLACE", PLACE))
            # Still a stream: what is late in one is not in a relation.
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
        case Aggregate(input, keys):
            below = with_place(input, stream)
            names = (*(f"K{i}" for i in range(len(keys))), "PLACE")
            members = Project(below, (*keys, columns(below)[-1]), names)
            return _with_members(plan, members)
        case Join(left, right) | WindowJoin(left, right):
            read = [i for i, side in enumerate((left, right)) if stream and reads(side, stream)]
            return union(*(_with_place_of(plan, i, stream) for i in read or (0,)))
        case _:
            raise AssertionError(f"{type(plan).__name__} below a window right over a stream")


def union(*plans: Plan) -> Plan:
    """The rows of all."""
    return plans[0] if len(plans) == 1 else SetOp(plans, SetOperator.UNION, all=True)


def _with_place_of(plan: Join | WindowJoin, port: int, stream: QualifiedName | None) -> Project:
    """The rows of a join with the place of one side's, behind."""
    at = len(row_type(plan.left))
    if port == 0:
        joined = replace(plan, left=with_place(plan.left, stream))
    else:
        joined = replace(plan, right=with_place(plan.right, stream))
        at += len(row_type(plan.right))
    joined = replace(joined, condition=shifted(plan.condition, 1, start=at))
    own = columns(joined)
    return Project(joined, (*own[:at], *own[at + 1 :], own[at]), (*column_names(plan), "PLACE"))


def _with_members(groups: Aggregate, rows: Project) -> Project:
    """Each group once for each of its rows, which have its keys and their place."""
    width = len(row_type(groups))
    *theirs, place = (shifted(each, width) for each in columns(rows))
    same = alike(columns(groups)[: len(theirs)], theirs)
    both = Join(groups, rows, JoinKind.INNER, same)
    return Project(both, (*columns(groups), place), (*column_names(groups), "PLACE"))
