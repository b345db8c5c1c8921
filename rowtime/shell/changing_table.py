"""The current answer of a changelog as a table, which is redrawn in place on a terminal."""

import time
from collections.abc import Sequence
from io import StringIO
from shutil import get_terminal_size
from typing import Final, TextIO

from algebra.records.printing import Format
from rowtime.driver.cursor import Cursor
from rowtime.driver.result import Description
from rowtime.driver.values import Python
from rowtime.shell.tables import Printer

#: Seconds between two drawings: faster changes could not be read.
_PAUSE: Final = 0.05
#: Lines of the terminal below the table: its number of rows, and the line of the cursor.
_BELOW: Final = 2


def current_table(cursor: Cursor) -> str:
    """The current answer of a changelog as text, cut so that it fits the terminal.

    The available changes are fetched before.  The rows are sorted by the values of their columns,
    NULL first, so that a row keeps its place.
    """
    rows = sorted(cursor.fetch_current(), key=_order)
    size = get_terminal_size()
    assert cursor.description is not None, "a changelog has columns"
    return _drawn(cursor.description[1:], rows, size.columns, size.lines - _BELOW)


def _drawn(
    columns: Sequence[Description], rows: Sequence[tuple[Python, ...]], width: int, height: int
) -> str:
    """A table of at most ``height`` lines, of which none is longer than ``width``.

    A very low terminal gets more lines: the heading, one row and the number of rows.
    """
    shown = rows[: max(height - 3, 1)]
    text = StringIO()
    printer = Printer(columns, Format.TABLE, text)
    printer.print_rows(shown, last=True)
    lines = [line[:width] for line in text.getvalue().splitlines()]
    more = f", {len(rows) - len(shown)} of them not shown" if len(shown) < len(rows) else ""
    return "\n".join([*lines, f"({len(rows)} row{'s' * (len(rows) != 1)}{more})"])


def _order(row: tuple[Python, ...]) -> tuple[tuple[bool, Python], ...]:
    """The key by which rows are sorted, with NULL first."""
    return tuple((value is not None, value) for value in row)


def redraw_until_interrupted(cursor: Cursor, out: TextIO) -> None:
    """Draw the current answer, and draw it again in the same place after changes, until Ctrl-C."""
    lines = 0
    try:
        while True:
            text = current_table(cursor)
            # Move to the first line of the last drawing, and clear the screen from there on.
            out.write(f"\x1b[{lines}A\x1b[J{text}\n" if lines else f"{text}\n")
            out.flush()
            lines = text.count("\n") + 1
            time.sleep(_PAUSE)
            cursor.fetchmany(1)
    except KeyboardInterrupt:
        print(file=out)
