"""What a Parquet file on this machine holds, read beside Spark: its size, and columns of it.

A gate must look at each row before any is let in, so that a micro-batch would be read twice.  One
column of a file is read here in a few hundredths of a second, where Spark takes as long as it does
for a query.  Whatever Spark might see in another way is left to Spark: other types, calendars of
old, timestamps that are no whole milliseconds, files on other machines.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false
# Arrow has no types of its own: this module and `spark_backend.stream.ingress.splits` give it some.

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]  # it has no types
import pyarrow.parquet as pq  # type: ignore[import-untyped]  # it has no types

from algebra.types import Kind, Type
from spark_backend.data.aside import Aside
from spark_backend.relation import column_name
from spark_backend.runtime.arrow import ARRIVAL, Table, arrow_type
from spark_backend.runtime.filesystem import HERE, plain
from spark_backend.stream.ingress.splits import Numbers
from spark_backend.types import is_itself

#: A driver reads no more rows than this, in columns of 8 bytes a value.
_MOST: Final = 20_000_000
#: Since 1900 all calendars and clocks that Parquet has known agree: in milliseconds, and in days.
_AGREED: Final = {Kind.TIMESTAMP: -2_208_988_800_000, Kind.DATE: -25_567}
#: The writer whose timestamps of 96 bits Spark takes as they are.
_OWN: Final = "parquet-mr"

_WHOLE: Final[dict[Kind, pa.DataType]] = {
    Kind.TINYINT: pa.int8(),
    Kind.SMALLINT: pa.int16(),
    Kind.INTEGER: pa.int32(),
    Kind.BIGINT: pa.int64(),
    Kind.DATE: pa.date32(),
}
#: Of a timestamp's unit how many make a millisecond.
_A_MILLISECOND: Final = {"ms": 1, "us": 1_000}


@dataclass(frozen=True, slots=True)
class Known:
    """How many rows a file has, and of columns, by their places in the stream, what they hold.

    ``values``: all of them, inside, in the order of the file; there is no NULL.  ``present``: the
    columns in which no value is NULL.  ``names``: what those columns of ``path`` are called that
    Arrow and Spark read alike, and are values inside as they are.
    """

    path: Path
    rows: int
    values: Mapping[int, Numbers]
    present: frozenset[int]
    names: Mapping[int, str]


def footer(path: str) -> object:
    """What the Parquet file at a path of Spark's says of its columns; None: only Spark can say.

    Two files of which it is equal Spark reads with the same schema.
    """
    local = _local(path)
    if local is None:
        return None
    try:
        found = pq.read_schema(local)
    except (OSError, pa.ArrowException):
        return None
    return str(found), tuple(sorted((found.metadata or {}).items()))


def _local(path: str) -> Path | None:
    """The file at a path of Spark's, if it is one of this machine."""
    local = Path(plain(path))
    return local if path.startswith(HERE) and local.is_file() else None


def known(
    path: str, columns: Mapping[int, tuple[str, Type]], wanted: frozenset[int]
) -> Known | None:
    """What the Parquet file at a path of Spark's holds; None: only Spark can say.

    ``columns``: names in the file, and types, by places; ``wanted``: those whose values are asked.
    ``values`` has those of them that are plain.
    """
    local = _local(path)
    if local is None:
        return None
    try:
        with pq.ParquetFile(local, coerce_int96_timestamp_unit="us") as file:
            if file.metadata.num_rows > _MOST:
                return None
            read = {place: _values(file, *columns[place]) for place in wanted}
            values = {place: each for place, each in read.items() if each is not None}
            present = frozenset(p for p, (name, _) in columns.items() if _present(file, name))
            names = {p: name for p, (name, type) in columns.items() if _inside(file, name, type)}
            return Known(local, file.metadata.num_rows, values, present | values.keys(), names)
    except (OSError, pa.ArrowException):
        return None  # Spark says what is wrong with it


def _at(file: Any, name: str) -> int | None:  # Any: it has no types
    """The place of a column in the file; None where its name is none, or could be a path in one."""
    if "." in name:
        return None
    found = [each for each in range(len(file.schema)) if file.schema.column(each).path == name]
    return found[0] if len(found) == 1 else None


def _values(file: Any, name: str, type: Type) -> Numbers | None:  # Any: it has no types
    """The values of a column inside, if each is one, and Spark reads the same."""
    at = _at(file, name)
    if at is None or not _plain(file, at, name, type):
        return None
    column = file.read([name], use_pandas_metadata=False).column(0)
    if column.null_count:
        return None
    given, numbers = column.type, column.to_numpy()
    if pa.types.is_timestamp(given):
        unit, told = _A_MILLISECOND[given.unit], numbers.view(np.int64)
        numbers = told // unit
        if not np.array_equal(numbers * unit, told):
            return None
    elif pa.types.is_date(given):
        numbers = numbers.astype("datetime64[D]").view(np.int64)
    whole: Numbers = numbers.astype(np.int64, copy=False)
    since = _AGREED.get(type.kind)
    if since is not None and len(whole) and whole.min() < since:
        return None
    return whole


def _plain(file: Any, at: int, name: str, type: Type) -> bool:  # Any: it has no types
    """Whether a column has values of a type as Spark reads them."""
    given = file.schema_arrow.field(name).type
    if type.kind is not Kind.TIMESTAMP:
        return bool(_WHOLE.get(type.kind) == given)
    if not pa.types.is_timestamp(given) or given.unit not in _A_MILLISECOND:
        return False
    # What is not of its own writer Spark may be told to shift to another time zone.
    own = str(file.metadata.created_by).startswith(_OWN)
    return own or file.schema.column(at).physical_type != "INT96"


def _inside(file: Any, name: str, type: Type) -> bool:  # Any: it has no types
    """Whether the values of a column are those inside, whatever they are."""
    if not is_itself(type) or _at(file, name) is None:
        return False
    return bool(arrow_type(type) == file.schema_arrow.field(name).type)


def aside_of(found: Known, types: Sequence[Type], first: int) -> Aside:
    """The rows of the file, numbered from ``first`` on; None where other columns are asked for."""

    def table(places: frozenset[int]) -> Table | None:
        read = {i: found.names.get(i) for i in places if i not in found.values}
        names = [name for name in read.values() if name is not None]
        if len(names) < len(read):
            return None
        try:
            with pq.ParquetFile(found.path) as file:
                told = file.read(names, use_threads=False)  # the other cores have work to do
                if file.metadata.num_rows != found.rows:
                    return None
        except (OSError, pa.ArrowException):
            return None  # Spark says what is wrong with it
        arrays: dict[str, pa.Array] = {}
        for i, type in enumerate(types):
            if i not in places:
                arrays[column_name(i)] = pa.nulls(found.rows, arrow_type(type))
            elif i in found.values:
                arrays[column_name(i)] = pa.array(found.values[i], arrow_type(type))
            else:
                arrays[column_name(i)] = told[read[i]]
        arrays[ARRIVAL] = pa.array(np.arange(first, first + found.rows))
        whole: Table = pa.table(arrays)
        return whole

    return table


def _present(file: Any, name: str) -> bool:  # Any: it has no types
    """Whether the file says that no value of a column is NULL."""
    at, groups = _at(file, name), range(file.metadata.num_row_groups)
    if at is None:
        return False
    told = [file.metadata.row_group(each).column(at).statistics for each in groups]
    return all(each is not None and each.has_null_count and not each.null_count for each in told)
