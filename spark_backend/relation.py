"""`Relation`: the rows of a plan node, as a DataFrame whose columns are named by their places.

Each operator takes the relations of its inputs and returns one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pyspark.sql import Column, DataFrame

from algebra.expression import (
    Expression,
)
from algebra.parts.mentions import references
from algebra.plan import Plan
from algebra.types import RowType, Type
from spark_backend.columns.expression import Names
from spark_backend.columns.sort_keys import sorted_by
from spark_backend.made_once import col, cols
from spark_backend.types import null

#: The letter that names visible columns; the place in the row follows it.
COLUMN: Final = "c"


@dataclass(frozen=True, slots=True)
class SortColumn:
    """One key of a relation's order: the name of a column, usually hidden, and how it sorts."""

    column: str
    descending: bool = False
    nulls_first: bool = False

    def key(self) -> Column:
        """The key as Spark's `orderBy` takes it."""
        return sorted_by(col(self.column), self)


@dataclass(frozen=True, slots=True)
class OuterRows:
    """The combinations of outer values for which a sub-query is evaluated, each once.

    An outer value is the value of an `OuterRef`: a column of a row of an enclosing query.
    ``names``: the columns of ``frame``, by the (level, index) of the `OuterRef` that they hold.
    """

    frame: DataFrame
    names: Mapping[tuple[int, int], str]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(self.names.values())


@dataclass(frozen=True, slots=True)
class Relation:
    """Rows with visible columns ``c0``, ``c1``, … of ``types``, and hidden columns.

    ``order`` has the keys of the rows' order, in hidden columns; () if rows are in no order.  The
    frame is not sorted: a reader that needs the order sorts. ``outer`` has the outer values that
    the rows depend on, as hidden columns; every operator then works for each combination
    separately.  None: the rows do not depend on outer values. ``sorted``: the frame is sorted by
    time already, as a stream's micro-batch may request it of a window: each partition has the rows
    of one span of time, and the spans follow one another.
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
        """The names of the columns with outer values."""
        return () if self.outer is None else self.outer.columns

    @property
    def hidden(self) -> tuple[str, ...]:
        """The names of all hidden columns, which operators carry: order, then outer values."""
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
    """``relation`` with these visible columns, of ``types``, in place of its own."""
    named = [_named(column_name(i), each) for i, each in enumerate(columns)]
    frame = relation.frame.select(*named, *cols(relation.hidden))
    return replace(relation, frame=frame, types=tuple(types))


def _named(name: str, column: Column) -> Column:
    """A column with that name, which it may have already."""
    return column if column is col(name) else column.alias(name)


def first_columns(relation: Relation, count: int) -> Relation:
    """``relation`` with its first ``count`` visible columns alone."""
    if count == len(relation.types):
        return relation
    columns = [col(each) for each in relation.columns[:count]]
    return from_columns(relation, columns, relation.types[:count])


def of_width(relation: Relation, types: Sequence[Type]) -> Relation:
    """``relation`` with as many visible columns as ``types``; NULL in those that it lacks."""
    if len(types) <= len(relation.types):
        return first_columns(relation, len(types))
    columns = [col(each) for each in relation.columns]
    return from_columns(relation, [*columns, *map(null, types[len(columns) :])], types)


def types_of(row: RowType) -> tuple[Type, ...]:
    """The types of a row's columns."""
    return tuple(each.type for each in row)


# --- outer references -----------------------------------------------------------------------------


def outer_references(*nodes: Plan | Expression) -> dict[tuple[int, int], Type]:
    """The types of the outer references in plans and expressions, by their (level, index).

    Levels count from ``nodes``: 1 is the query around them.  The order is that of appearance.
    """
    found = (each for node in nodes for each in references(node))
    return {(level, each.index): each.type for level, each in found if level}
