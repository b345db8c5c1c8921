"""The columns of the tables and streams that a script declares, as the kit names them."""

from algebra.catalog import Catalog, Stream, Table
from tck.corpus.case import Columns
from tck.protocol import ColumnInfo


def declared_columns(catalog: Catalog) -> Columns:
    """The columns of every table and stream, by name.

    An implicit ROWTIME is left out, because the script does not declare it.
    """
    return {
        ".".join(each.name): tuple(
            ColumnInfo(column.name, str(column.type), column.type.nullable)
            for column in each.columns
            if not column.implicit
        )
        for each in catalog.objects.values()
        if isinstance(each, Table | Stream)
    }
