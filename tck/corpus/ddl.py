"""Parse a script by the grammar, and find the columns and rowtimes of its tables and streams.

Modules of the grammar are imported in the functions, because few cases need their script parsed,
and importing the parser takes time.
"""

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
    parsed, because a case can expect its rejection.
    """
    return {_name(made): tuple(_columns(made)) for made in _created_objects(script)}


@cache
def sorted_rowtimes(script: str) -> Mapping[str, int]:
    """By stream: the place of its column ROWTIME, if it is ASCENDING, not STRICT, without slack.

    Streams with a further ordered column are left out.  So only the rowtime can make a row late,
    and ties can be in any order.  Empty if the script cannot be parsed.
    """
    from grammar.statement import CreateStream

    found: dict[str, int] = {}
    for made in _created_objects(script):
        orders = [
            (place, column) for place, column in enumerate(made.columns) if column.order is not None
        ]
        if isinstance(made, CreateStream) and len(orders) == 1:
            place, column = orders[0]
            order = column.order
            assert order is not None, "columns without an order are left out"
            sorted_ = order.direction.name == "ASCENDING" and not order.strict
            if column.name.name == "ROWTIME" and sorted_ and order.disorder is None:
                found[_name(made)] = place
    return found


@cache
def rowtimes(script: str) -> Mapping[str, int]:
    """By stream with a rowtime: the place of its rowtime (S-311).

    The rowtime is the column ROWTIME, or else the first ascending TIMESTAMP.  Empty if the script
    cannot be parsed.
    """
    from grammar.statement import CreateStream

    found: dict[str, int] = {}
    for made in _created_objects(script):
        if not isinstance(made, CreateStream):
            continue
        columns = list(enumerate(zip(made.columns, _columns(made), strict=True)))
        named = [i for i, (_, each) in columns if each.name == "ROWTIME"]
        ascending = [
            i
            for i, (column, each) in columns
            if column.order is not None
            and column.order.direction.name == "ASCENDING"
            and each.type.startswith("TIMESTAMP")
        ]
        if named or ascending:
            found[_name(made)] = (named or ascending)[0]
    return found


@cache
def has_implicit_rowtimes(script: str) -> bool:
    """Whether a script creates a stream without a rowtime column.

    The rowtime of a row of such a stream is the stream's bound when the row arrives (S-311).
    """
    from grammar.statement import CreateStream

    timed = rowtimes(script)
    created = (made for made in _created_objects(script) if isinstance(made, CreateStream))
    return any(_name(made) not in timed for made in created)


def is_token(word: str) -> bool:
    """Whether a word in upper case, such as HOUR, is a token of the grammar."""
    from grammar.generated.StreamingSqlLexer import StreamingSqlLexer

    return word in StreamingSqlLexer.symbolicNames


def _created_objects(script: str) -> "tuple[CreateTable | CreateStream, ...]":
    """The statements by which a script creates tables and streams; none if it cannot be parsed."""
    from grammar.parse import parse_script
    from grammar.source import SqlError
    from grammar.statement import CreateStream, CreateTable

    try:
        statements = parse_script(script)
    except SqlError:
        return ()
    return tuple(each for each in statements if isinstance(each, CreateTable | CreateStream))


def _name(made: "CreateTable | CreateStream") -> str:
    """The name of a table or stream in the catalog."""
    return ".".join(part.name for part in made.name.parts)


def _columns(made: "CreateTable | CreateStream") -> Iterator[ColumnInfo]:
    """The columns of a table or stream, in order."""
    from grammar.printing.unparse_name import type_name

    for column in made.columns:
        never_null = column.not_null or column.primary_key or column.order is not None
        type = normalized_type(type_name(column.type))
        yield ColumnInfo(column.name.name, type, nullable=not never_null)
