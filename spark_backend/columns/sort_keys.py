"""Sort keys as Spark sorts by them."""

from typing import Protocol

from pyspark.sql import Column


class Direction(Protocol):
    """How a sort key orders its values: a `SortKey` of a plan, or a `SortColumn` of a relation."""

    @property
    def descending(self) -> bool:
        """Whether the greatest value comes first."""
        ...

    @property
    def nulls_first(self) -> bool:
        """Whether NULLs come before all other values."""
        ...


def sorted_by(column: Column, key: Direction) -> Column:
    """``column`` with the direction and the place of NULLs of ``key``, for `orderBy`."""
    if key.descending:
        return column.desc_nulls_first() if key.nulls_first else column.desc_nulls_last()
    return column.asc_nulls_first() if key.nulls_first else column.asc_nulls_last()
