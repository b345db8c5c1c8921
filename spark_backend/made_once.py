"""Columns of Spark that are made once in a process, and then used again.

PySpark sends four requests to Java for a column: to find the class, to find its method, to call the
method, and later to release the column.  A query over a few rows is described by hundreds of
columns.  Most of them are alike, and no column ever changes.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

#: The number of columns of each kind that are remembered.
_REMEMBERED: Final = 2_000


@lru_cache(maxsize=_REMEMBERED)
def col(name: str) -> Column:
    """The column of that name of the frame in which it is used."""
    return F.col(name)


def cols(names: Iterable[str]) -> Sequence[Column]:
    """The columns of those names, for `select` and similar methods.

    PySpark would create a new column for each name that it gets as a text.
    """
    return [col(each) for each in names]


@lru_cache(maxsize=_REMEMBERED)
def cast(name: str, type_name: str, alias: str) -> Column:
    """The column ``name``, cast to the type of Spark that is named ``type_name``, as ``alias``."""
    return col(name).cast(type_name).alias(alias)


@lru_cache(maxsize=_REMEMBERED)
def row_count(alias: str) -> Column:
    """The aggregate COUNT(*), as ``alias``."""
    return F.count(F.lit(1)).alias(alias)


@lru_cache(maxsize=_REMEMBERED, typed=True)
def constant(value: int | None, type_name: str) -> Column:
    """A constant, cast to the type of Spark that is named ``type_name``.

    ``value`` can be a `bool`, which is an `int`.  The cache is ``typed``, because 1 == True.
    """
    return F.lit(value).cast(type_name)
