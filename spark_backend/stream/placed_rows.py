"""The rows that are kept of a stream, each with its place among them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.catalog import Column, QualifiedName, Stream
from algebra.expression import Call, Expression, InputRef, Literal, Op
from algebra.plan import Aggregate, Filter, Join, Plan, Project, Reads, Scan, SetOp, Sort, row_type
from algebra.types import BIGINT, BOOLEAN
from grammar.tree import JoinKind
from spark_backend.arrow import ARRIVAL
from spark_backend.relation import Relation, column_name
from spark_backend.stream.open_rows import all_of

#: The name of a stream's rows, each with its place among them.
PLACED: Final = "WITH PLACE"
#: The type of a place.
PLACE: Final = BIGINT.as_nullable(False)
Columns: TypeAlias = tuple[Expression, ...]


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

    ``stream``: of others it is NULL.
    """
    match plan:
        case Scan(source):
            columns = (*source.columns, Column("PLACE", PLACE))
            # Still a stream: what is late in one is not in a relation.
            rows = Scan(replace(source, name=(*source.name, PLACED), columns=columns), plan.reads)
            return rows if stream in (None, source.name) else _without_place(rows)
        case Filter(input) | Sort(input):
            return replace(plan, input=with_place(input, stream))
        case Project(input, expressions, names):
            below = with_place(input, stream)
            fields = row_type(below)
            place = InputRef(len(fields) - 1, fields[-1].type)
            return Project(below, (*expressions, place), (*names, "PLACE"))
        case SetOp(inputs):
            return replace(plan, inputs=tuple(with_place(each, stream) for each in inputs))
        case Aggregate(input, keys):
            return _with_members(plan, Project(*_keyed(with_place(input, stream), keys)))
        case _:
            raise AssertionError(f"{type(plan).__name__} below a window right over a stream")


def _keyed(rows: Plan, keys: Sequence[Expression]) -> tuple[Plan, Columns, tuple[str, ...]]:
    """Rows with the keys of their groups, and their place: what a projection of them is made of."""
    place = InputRef(len(row_type(rows)) - 1, row_type(rows)[-1].type)
    return rows, (*keys, place), (*(f"K{i}" for i in range(len(keys))), "PLACE")


def _with_members(groups: Aggregate, rows: Project) -> Project:
    """Each group once for each of its rows, with the place of that row behind."""
    own = [InputRef(i, each.type) for i, each in enumerate(row_type(groups))]
    members = [InputRef(len(own) + i, each.type) for i, each in enumerate(row_type(rows))]
    same = [
        Call(Op.IS_NOT_DISTINCT_FROM, pair, BOOLEAN)
        for pair in zip(own[: len(groups.keys)], members[:-1], strict=True)
    ]
    both = Join(groups, rows, JoinKind.INNER, all_of(same))
    names = (*(each.name for each in row_type(groups)), "PLACE")
    return Project(both, (*own, members[-1]), names)


def _without_place(rows: Plan) -> Project:
    """The rows with NULL for their place."""
    fields = row_type(rows)
    own = (InputRef(i, each.type) for i, each in enumerate(fields[:-1]))
    names = tuple(each.name for each in fields)
    return Project(rows, (*own, Literal(None, PLACE.as_nullable())), names)
