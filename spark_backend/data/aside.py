"""Rows of a frame that can be had beside Spark: Arrow takes them out of the file they are in.

What a micro-batch leaves behind is often a small part of the file that it has read.  To have Spark
find it is another pass over that file, at the time when Spark computes what comes out.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# Arrow has no types of its own: this module and `spark_backend.runtime.arrow` give it some.

from collections.abc import Callable
from typing import Any, TypeAlias

import pyarrow as pa  # type: ignore[import-untyped]  # it has no types
import pyarrow.compute as pc  # type: ignore[import-untyped]  # the same

from spark_backend.relation import column_name
from spark_backend.runtime.arrow import Table

#: The rows as a table with columns ``c0``, ``c1``, … and `ARRIVAL`, in the types of
#: `spark_backend.runtime.arrow`; columns at other places than these are NULL.  None: only Spark has
#: them.
Aside: TypeAlias = Callable[[frozenset[int]], Table | None]


def held(table: Table) -> Aside:
    """The rows of a table."""
    return lambda _: table


def of_places(aside: Aside, places: frozenset[int]) -> Aside:
    """The rows with NULL in all columns but those at these places."""
    return lambda asked: aside(asked & places)


def with_value(aside: Aside, place: int, value: int) -> Aside:
    """The rows with a BIGINT more, at the place behind the others, the same in all."""

    def longer(places: frozenset[int]) -> Table | None:
        table: Any = aside(places - {place})  # it has no types
        if table is None:
            return None
        values = pa.repeat(pa.scalar(value, pa.int64()), table.num_rows)
        found: Table = table.add_column(place, column_name(place), values)
        return found

    return longer


def behind(first: Aside | None, second: Aside | None) -> Aside | None:
    """The rows of two, one after the other."""
    if first is None or second is None:
        return None

    def both(places: frozenset[int]) -> Table | None:
        before, after = first(places), second(places)
        if before is None or after is None:
            return None
        found: Table = pa.concat_tables([before, after])
        return found

    return both


def at_least(aside: Aside, place: int, value: int) -> Aside:
    """The rows that have this value, or a greater one, at a place."""

    def later(places: frozenset[int]) -> Table | None:
        table: Any = aside(places | {place})  # it has no types
        if table is None:
            return None
        column = table[column_name(place)]
        found: Table = table.filter(pc.call_function("greater_equal", [column, pa.scalar(value)]))
        return found

    return later
