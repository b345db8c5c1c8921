"""Parquet files, through the one library that reads them: pyarrow, where it is installed."""

from collections.abc import Generator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from grammar.frozen import dataclass


class ParquetError(Exception):
    """A file that is not Parquet, or no pyarrow to read it with; the text says which and why."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some rows, by column: the columns' names, and for each as many values as there are rows."""

    names: Sequence[str]
    values: Sequence[Sequence[object]]


def parquet_columns(path: Path, most: int) -> Generator[Chunk]:
    """The columns of a file: first a chunk with no rows, then chunks of ``most`` rows in order.

    Values are Python's: int, float, Decimal, str, bytes, bool, datetime, date, time, None.  Raises
    `ParquetError`.
    """
    arrow, parquet = _library(path)
    try:
        with parquet.ParquetFile(path) as file:
            names: list[str] = file.schema_arrow.names
            yield Chunk(names, [[] for _ in names])
            for batch in file.iter_batches(most):
                yield Chunk(names, [column.to_pylist() for column in batch.columns])
    except (OSError, arrow.ArrowException) as error:
        raise ParquetError(f"{path}: {error}") from None


def _library(path: Path) -> tuple[Any, Any]:  # Any: pyarrow is not typed
    """Pyarrow and its Parquet part."""
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise ParquetError(f"{path}: Parquet needs pyarrow: pip install pyarrow") from None
