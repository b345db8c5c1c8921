"""A plan's rows as a DataFrame whose columns are named by their place."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Final, cast

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.catalog import Stream, Table
from algebra.expression import (
    Exists,
    Expression,
    InQuery,
    OuterRef,
    Quantified,
    ScalarQuery,
)
from algebra.plan import Plan
from algebra.types import RowType, Type
from spark_backend.columns.expression import Names
from spark_backend.columns.sort_keys import sorted_by

#: What a place in the row, or an outer value, is called; the number makes it unique.
COLUMN: Final = "c"


@dataclass(frozen=True, slots=True)
class SortColumn:
    """One key of the order that rows have: a hidden column, and how it sorts."""

    column: str
    descending: bool = False
    nulls_first: bool = False

    def key(self) -> Column:
        """The key as Spark sorts by it."""
        return sorted_by(F.col(self.column), self)


@dataclass(frozen=True, slots=True)
class OuterRows:
    """The enclosing rows that a sub-query is evaluated for: ``frame`` has each combination once.

    ``names`` are its columns, by the (level, index) of the `OuterRef` that they stand for.
    """

    frame: DataFrame
    names: Mapping[tuple[int, int], str]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(self.names.values())


@dataclass(frozen=True, slots=True)
class Relation:
    """Rows: columns ``c0``, ``c1``, … of ``types``, and hidden ones.

    ``order``: the keys by which the rows come, as hidden columns; () where their order is open.
    ``outer``: the enclosing rows' columns, carried along where the rows depend on them: every
    operator then works for each of those rows apart.  None: the rows are the same for all.
    ``sorted``: they are in the order of the time of a window, part by part (`Spans`).
    """

    frame: DataFrame
    types: tuple[Type, ...]
    order: tuple[SortColumn, ...] = ()
    outer: OuterRows | None = None
    sorted: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the visible columns."""
        return tuple(column_name(i) for i in range(len(self.types)))

    @property
    def outer_columns(self) -> tuple[str, ...]:
        """The columns of the enclosing rows."""
        return () if self.outer is None else self.outer.columns

    @property
    def hidden(self) -> tuple[str, ...]:
        """All columns that are not visible but must be carried: order, then outer."""
        return tuple(each.column for each in self.order) + self.outer_columns

    def names(self, now: int) -> Names:
        """The columns that the references of an expression over these rows stand for.

        ``now`` is the session's clock.
        """
        return Names(self.columns, {} if self.outer is None else self.outer.names, now=now)


def column_name(index: int) -> str:
    """The name of the column at a place."""
    return f"{COLUMN}{index}"


def from_columns(relation: Relation, columns: Sequence[Column], types: Sequence[Type]) -> Relation:
    """The relation with these visible columns in place of its own."""
    named = [each.alias(column_name(i)) for i, each in enumerate(columns)]
    frame = relation.frame.select(*named, *(F.col(each) for each in relation.hidden))
    return replace(relation, frame=frame, types=tuple(types))


def first_columns(relation: Relation, count: int) -> Relation:
    """The rows with the first visible columns alone."""
    if count == len(relation.types):
        return relation
    columns = [F.col(each) for each in relation.columns[:count]]
    return from_columns(relation, columns, relation.types[:count])


def types_of(row: RowType) -> tuple[Type, ...]:
    """The types of a row's columns."""
    return tuple(each.type for each in row)


# --- what an expression or a plan takes from outside ----------------------------------------------


def outer_references(node: Plan | Expression | Sequence[Expression]) -> dict[tuple[int, int], Type]:
    """The enclosing columns in a plan or expressions, by (level, index), in order of appearance."""
    return {(each.level - depth, each.index): each.type for each, depth in _outer(node, 0)}


def _outer(node: object, depth: int) -> Iterator[tuple[OuterRef, int]]:
    """The references that leave ``node``, with the number of sub-queries they stand in."""
    match node:
        case OuterRef(level):
            if level > depth:
                yield node, depth
        case ScalarQuery(plan) | Exists(plan):
            yield from _outer(plan, depth + 1)
        case InQuery(operands, plan):
            yield from _outer(operands, depth)
            yield from _outer(plan, depth + 1)
        case Quantified(_, _, operand, plan):
            yield from _outer(operand, depth)
            yield from _outer(plan, depth + 1)
        case tuple() | list():
            for each in cast("Sequence[object]", node):  # what they hold is asked next
                yield from _outer(each, depth)
        case Table() | Stream() | Type():
            return
        case _ if is_dataclass(node) and not isinstance(node, type):
            for each in fields(node):
                yield from _outer(getattr(node, each.name), depth)
        case _:
            return
