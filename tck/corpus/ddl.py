"""The columns of the objects that a script creates, as the grammar of the language reads it."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING

from tck.corpus.rows import normalized_type
from tck.protocol import ColumnInfo

if TYPE_CHECKING:
    from grammar.statement import CreateStream, CreateTable


@cache
def declared_columns(script: str) -> Mapping[str, tuple[ColumnInfo, ...]]:
    """The columns of each table and stream that a script creates, by its name in the catalog.

    A column that is NOT NULL, a primary key or ordered has no NULLs.  Empty if the script cannot be
    parsed: it may be meant to be refused.
    """
    # Imported here: few cases need their script parsed, and the parser takes its time.
    from grammar.parse import parse_script
    from grammar.source import SqlError
    from grammar.statement import CreateStream, CreateTable

    try:
        statements = parse_script(script)
    except SqlError:
        return {}
    return {
        ".".join(part.name for part in made.name.parts): tuple(_columns(made))
        for made in statements
        if isinstance(made, CreateTable | CreateStream)
    }


def _columns(made: "CreateTable | CreateStream") -> Iterator[ColumnInfo]:
    from grammar.printing.unparse_name import type_name

    for column in made.columns:
        never_null = column.not_null or column.primary_key or column.order is not None
        type = normalized_type(type_name(column.type))
        yield ColumnInfo(column.name.name, type, nullable=not never_null)
