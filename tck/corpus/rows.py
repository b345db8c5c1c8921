"""Read the columns and rows of a case file, as records of the protocol.

In all functions, ``day`` is the date of times without a date; None: each time must have a date.
"""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Final

from tck.corpus.case import Cell, CellRow, Columns
from tck.corpus.document import Problem, YamlNode
from tck.corpus.values import UnreadableError, read_value, wire_value
from tck.protocol import ColumnInfo, Wire, WireRow

#: An identifier, in quotes or plain.
_NAME: Final = r'(?:"(?:[^"]|"")+"|[A-Za-z_][A-Za-z0-9_$]*)'
#: A part of a name in the catalog that needs no quotes.
_PLAIN: Final = re.compile(r"[A-Z_][A-Z0-9_$]*")
#: A name of one or several identifiers with dots between them.
_NAMES: Final = re.compile(rf"{_NAME}(?:[.]{_NAME})*")


@lru_cache(maxsize=4096)
def catalog_name(name: str) -> str:
    """The name in the catalog of an object or column.

    A text that is not a name is only converted to upper case.

    >>> catalog_name('sales.Orders'), catalog_name('"Orders"')
    ('SALES.ORDERS', 'Orders')
    """
    if not _NAMES.fullmatch(name):
        return name.upper()
    return ".".join(map(_identifier, re.findall(_NAME, name)))


def _identifier(text: str) -> str:
    """The name in the catalog of one identifier."""
    return text[1:-1].replace('""', '"') if text.startswith('"') else text.upper()


def name_text(name: str) -> str:
    """The text that `catalog_name` reads as ``name``: parts are in quotes if they need them.

    >>> name_text("SALES.Orders")
    'SALES."Orders"'
    """
    return ".".join(map(identifier_text, name.split(".")))


def identifier_text(name: str) -> str:
    """The text of a name of one part, such as a column's: in quotes if it needs them."""
    return name if _PLAIN.fullmatch(name) else '"{}"'.format(name.replace('"', '""'))


@lru_cache(maxsize=4096)  # a corpus declares the same columns again and again
def column(text: str) -> ColumnInfo:
    """The column that ``NAME TYPE [NOT NULL]`` declares.

    >>> column("price DECIMAL(10,2) NOT NULL")
    ColumnInfo(name='PRICE', type='DECIMAL(10, 2)', nullable=False)
    """
    declared = text.removesuffix(" NOT NULL")
    name = re.match(_NAME, declared)
    assert name is not None, "the schema of the files asks for a name"
    type = normalized_type(declared[name.end() :])
    return ColumnInfo(_identifier(name.group()), type, nullable=declared == text)


def normalized_type(type: str) -> str:
    """A type in upper case, with blanks as the kit writes them; equal types have equal texts.

    >>> normalized_type("decimal (10,2)")
    'DECIMAL(10, 2)'
    """
    words = re.sub(r" *\( *", "(", " ".join(type.upper().split()))
    return re.sub(r" *, *", ", ", re.sub(r" *\)", ")", words))


def read_columns(node: YamlNode | None) -> dict[str, tuple[ColumnInfo, ...]]:
    """The columns that a file lists, by the object's name in the catalog; ``node`` None: none."""
    if node is None:
        return {}
    return {
        catalog_name(name): tuple(column(element.text) for element in listed.elements)
        for name, listed in node.items
    }


def cell_row(node: YamlNode) -> CellRow:
    """A row as the file writes it."""
    return tuple(_cell(element) for element in node.elements)


def cell_rows(node: YamlNode | None) -> tuple[CellRow, ...]:
    """Rows as the file writes them; ``node`` None, for a key that is left out: no rows."""
    return () if node is None else tuple(map(cell_row, node.elements))


def with_weights(node: YamlNode | None) -> Iterator[tuple[YamlNode, int]]:
    """The rows of a list, each with its weight: -1 for ``-: row``; 1 for ``+: row`` or only a row.

    ``node`` None: there are none.
    """
    for element in node.elements if node else ():
        if isinstance(element.data, dict):
            for sign, row in element.items:
                yield row, 1 if sign == "+" else -1
        else:
            yield element, 1


def bad_row(node: YamlNode, columns: Sequence[ColumnInfo], day: str | None) -> WireRow:
    """A wire row that can have wrong values, or a wrong number of values.

    A value that is valid for its column's type is written as the protocol writes this type.  Any
    other value, or a value without a column, stays as it is in the file.
    """
    known = [*columns, *[None] * len(node.elements)]  # enough for values without a column
    return tuple(
        _raw(element) if column is None else _wire_or_raw(element, column, day)
        for element, column in zip(node.elements, known, strict=False)
    )


def wire_row(
    node: YamlNode, columns: Sequence[ColumnInfo], day: str | None, problems: list[Problem]
) -> WireRow:
    """A wire row, written by the types of its columns; its faults are added to ``problems``."""
    elements = node.elements
    if len(elements) != len(columns):
        names = ", ".join(column.name for column in columns)
        problems.append(node.problem(f"{len(elements)} values for {len(columns)} columns: {names}"))
        return bad_row(node, columns, day)
    return tuple(
        _wire(element, column, day, problems)
        for element, column in zip(elements, columns, strict=True)
    )


def wire_rows(
    name: str, node: YamlNode, columns: Columns, day: str | None, problems: list[Problem]
) -> tuple[WireRow, ...]:
    """The rows of the object ``name`` as wire rows; none if its columns are not known.

    Faults are added to ``problems``.
    """
    known = columns_of(name, node, columns, problems)
    return tuple(wire_row(row, known, day, problems) for row in node.elements) if known else ()


def columns_of(
    name: str, node: YamlNode, columns: Columns, problems: list[Problem]
) -> tuple[ColumnInfo, ...]:
    """The columns of the object ``name``; if they are not known, empty, and a problem is added.

    ``node`` is the place of the problem.
    """
    known = columns.get(catalog_name(name), ())
    if not known:
        hint = f"create it in `ddl`, or list them under `columns: {{{name}: [...]}}`"
        problems.append(node.problem(f"the columns of {name} are not known", hint))
    return known


def _wire(node: YamlNode, column: ColumnInfo, day: str | None, problems: list[Problem]) -> Wire:
    """A value as the protocol writes it; if it is wrong, None, and a problem is added."""
    try:
        return wire_value(read_value(_cell(node), column.type, day), column.type)
    except UnreadableError as error:
        problems.append(node.problem(f"column {column.name}: {error}"))
        return None


def _wire_or_raw(node: YamlNode, column: ColumnInfo, day: str | None) -> Wire:
    """A value as the protocol writes it; if it is wrong, the value as it is in the file."""
    try:
        return wire_value(read_value(_cell(node), column.type, day), column.type)
    except UnreadableError:
        return _raw(node)


def _raw(node: YamlNode) -> Wire:
    """A value as it is in the file; a `Decimal` becomes a text, as in the protocol."""
    cell = _cell(node)
    return f"{cell:f}" if isinstance(cell, Decimal) else cell


def _cell(node: YamlNode) -> Cell:
    """A value as the file writes it."""
    data = node.data
    assert not isinstance(data, list | dict), "the schema of the files asks for cells"
    return data
