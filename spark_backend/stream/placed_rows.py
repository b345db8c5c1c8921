"""The rows that are kept of a stream, each with its place among them."""

from dataclasses import replace
from typing import Final

from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.catalog import Column, QualifiedName, Stream
from algebra.expression import Literal
from algebra.plan import (
    Aggregate,
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
    row_type,
)
from algebra.rewrite import moved
from algebra.types import BIGINT
from grammar.tree import JoinKind
from spark_backend.arrow import ARRIVAL
from spark_backend.relation import Relation, column_name
from spark_backend.stream.open_rows import alike

#: The name of a stream's rows, each with its place among them.
PLACED: Final = "WITH PLACE"
#: The type of a place.
PLACE: Final = BIGINT.as_nullable(False)


def placed(rows: Relation) -> Relation:
    """The rows that are kept of a stream, with the place of each behind."""
    place = F.col(ARRIVAL).alias(column_name(len(rows.types)))
    return Relation(rows.frame.select("*", place), (*rows.types, PLACE), rows.order)


def stream_of(plan: Plan) -> Stream | None:
    """The one stream whose rows a plan merely filters, projects and sorts; None: there is none."""
    match plan:
        case Scan(Stream() as stream, Reads.STREAM):
            return stream
        case Filter(input) | Project(input) | Sort(input):
            return stream_of(input)
        case _:
            return None


def with_place(plan: Plan, stream: QualifiedName | None = None) -> Plan:
    """The rows with the place of the stream's row that each is made of, behind.

    ``stream``: of others it is NULL.  A group is there once for each of its rows.
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
        case _:
            raise AssertionError(f"{type(plan).__name__} below a window right over a stream")


def _with_members(groups: Aggregate, rows: Project) -> Project:
    """Each group once for each of its rows, which have its keys and their place."""
    width = len(row_type(groups))
    *theirs, place = (moved(each, width) for each in columns(rows))
    same = alike(columns(groups)[: len(theirs)], theirs)
    both = Join(groups, rows, JoinKind.INNER, same)
    return Project(both, (*columns(groups), place), (*column_names(groups), "PLACE"))
