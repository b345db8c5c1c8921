"""Shows a result as a table of HTML, for notebooks."""

from collections.abc import Sequence
from html import escape
from typing import Final

from algebra.types import NUMERIC, Field
from algebra.wire import shown, to_wire
from reference.relation import Relation, Row

#: The greatest number of rows that are shown.
SHOWN: Final = 20


def html_table(fields: Sequence[Field], rows: Relation, more: str) -> str:
    """A table of HTML with the rows, and below the table the note ``more``, if it is not empty.

    The type of a column is shown when the pointer is over its name.  NULL is in italics, unlike the
    text 'NULL'.  Every text is escaped.
    """
    heads = "".join(f'<th title="{escape(str(f.type))}">{escape(f.name)}</th>' for f in fields)
    body = "".join(f"<tr>{_cells(fields, row)}</tr>" for row in rows)
    note = f"<p>{escape(more)}</p>" if more else ""
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>{note}"


def _cells(fields: Sequence[Field], row: Row) -> str:
    """The cells of a row as HTML, the numbers flush right."""
    cells = list[str]()
    for field, value in zip(fields, row, strict=True):
        right = ' style="text-align: right"' if field.type.kind in NUMERIC else ""
        text = escape(shown(to_wire(field.type, value)))
        text = f"<i>{text}</i>" if value is None else text
        cells.append(f"<td{right}>{text}</td>")
    return "".join(cells)
