"""A result as a table of HTML, for notebooks."""

from collections.abc import Sequence
from html import escape
from typing import Final

from algebra.types import NUMERIC, Field
from algebra.wire import shown, to_wire
from reference.relation import Relation, Row

#: How many rows are shown.
SHOWN: Final = 20


def html_table(fields: Sequence[Field], rows: Relation, more: str) -> str:
    """The columns with their types on hover, the rows, and below them ``more``, if it is not empty.

    NULL looks different from the text 'NULL'. Every text is escaped.
    """
    heads = "".join(f'<th title="{escape(str(f.type))}">{escape(f.name)}</th>' for f in fields)
    body = "".join(f"<tr>{_cells(fields, row)}</tr>" for row in rows)
    note = f"<p>{escape(more)}</p>" if more else ""
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>{note}"


def _cells(fields: Sequence[Field], row: Row) -> str:
    cells = list[str]()
    for field, value in zip(fields, row, strict=True):
        right = ' style="text-align: right"' if field.type.kind in NUMERIC else ""
        text = escape(shown(to_wire(field.type, value)))
        text = f"<i>{text}</i>" if value is None else text
        cells.append(f"<td{right}>{text}</td>")
    return "".join(cells)
