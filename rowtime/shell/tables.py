"""Prints results as psql does, or in another text format: all at once, or as rows arrive."""

from collections.abc import Sequence
from io import StringIO
from typing import Final, TextIO

from algebra.records.printing import (
    Format,
    cell,
    display_width,
    padded,
    write_csv,
    write_json,
    write_markdown,
)
from algebra.types import NUMERIC, VARCHAR, Kind, Type
from algebra.wire import Wire, to_wire
from grammar.printable import printable
from rowtime.driver.result import Description
from rowtime.driver.values import Python, value_of
from tck.terminal.messages import text_for

#: The least width of a column of a stream by its type: the rows are not known in advance.
_WIDTHS: Final = {Kind.TIMESTAMP: 23, Kind.DATE: 10, Kind.TIME: 12, Kind.BOOLEAN: 5}
_OTHER_WIDTH: Final = 10


class Printer:
    """Prints one result: the heading, the rows in one or more parts, and the end.

    The rows of a stream are printed when they are emitted.  Their columns have the usual width of
    their types, and a longer value moves the columns after it.  ``is_expanded``: a table has a line
    for each value, below a line with the number of the row.
    """

    def __init__(
        self,
        columns: Sequence[Description],
        format: Format,
        to: TextIO,
        *,
        is_expanded: bool = False,
    ) -> None:
        self._types: list[Type] = [each[1] for each in columns]
        self._names = [each[0] for each in columns]
        self._headings = list(map(printable, self._names))
        self._format = format
        self._to = to
        self._count = 0
        self._widths: list[int] = []
        self._is_expanded = is_expanded and format is Format.TABLE

    def print_rows(self, rows: Sequence[tuple[Python, ...]], last: bool = False) -> None:
        """Print rows; the first call also prints the heading.

        ``last``: no rows follow, so columns can be as wide as the longest value.
        """
        wire = [self._wire(row) for row in rows]
        first = not self._widths
        if first:
            self._widths = self._chosen_widths(wire if last else [])
        part = StringIO()
        match self._format:
            case Format.TABLE if self._is_expanded:
                for number, row in enumerate(wire, self._count + 1):
                    part.writelines(self._expanded(number, row))
            case Format.TABLE:
                lines = [self._line(list(map(cell, row))) for row in wire]
                part.writelines([*(self._heading() if first else ()), *lines])
            case Format.CSV:
                write_csv([self._names] if first else [], part)
                write_csv(wire, part)
            case Format.JSON:
                write_json(self._names, wire, part)
            case Format.MARKDOWN:
                write_markdown(self._names, wire, part, heading=first)
            case Format.PARQUET | Format.ARROW:
                raise AssertionError(f"{self._format} is not text")
        # In one piece: queries in the background print, too.
        self._to.write(text_for(self._to, part.getvalue()))
        self._count += len(rows)
        self._to.flush()

    def print_end(self) -> None:
        """Print how many rows there were, below a table."""
        if self._format is Format.TABLE:
            self._to.write(f"({self._count} row{'' if self._count == 1 else 's'})\n")
            self._to.flush()

    def _wire(self, row: tuple[Python, ...]) -> tuple[Wire, ...]:
        """The values of a row in the form of the protocol, which all formats print."""
        pairs = zip(self._types, row, strict=True)
        return tuple(to_wire(type, value_of(type, value)) for type, value in pairs)

    def _chosen_widths(self, rows: Sequence[tuple[Wire, ...]]) -> list[int]:
        """The widths of the columns for these rows; without rows, the usual widths."""
        if not rows:
            usual = [_WIDTHS.get(each.kind, _OTHER_WIDTH) for each in self._types]
            pairs = zip(self._headings, usual, strict=True)
            return [max(display_width(name), width) for name, width in pairs]
        columns = zip(*rows, strict=True)
        return [
            max(map(display_width, [name, *map(cell, column)]))
            for name, column in zip(self._headings, columns, strict=True)
        ]

    def _expanded(self, number: int, row: Sequence[Wire]) -> list[str]:
        """A row with a line for each column, under a line with the number of the row."""
        width = max(map(display_width, self._headings))
        values = map(cell, row)
        pairs = zip(self._headings, values, strict=True)
        lines = [f"{padded(name, width)} | {value}".rstrip() for name, value in pairs]
        head = f"-[ RECORD {number} ]"
        return [f"{head:-<{width + 2}}\n", *(f"{line}\n" for line in lines)]

    def _heading(self) -> list[str]:
        """The lines above the rows of a table: the centred names, and a line of dashes."""
        pairs = zip(self._headings, self._widths, strict=True)
        # As in psql, an odd blank is after the name; `str.center` can put it before the name.
        centred = (
            padded(" " * ((width - display_width(name)) // 2) + name, width)
            for name, width in pairs
        )
        names = "|".join(f" {each} " for each in centred).rstrip()
        return [names + "\n", "+".join("-" * (width + 2) for width in self._widths) + "\n"]

    def _line(self, cells: Sequence[str]) -> str:
        """The line of a row in a table; numbers are flush right."""
        parts = [
            padded(cell, width, to_right=type.kind in NUMERIC)
            for cell, width, type in zip(cells, self._widths, self._types, strict=True)
        ]
        return "|".join(f" {each} " for each in parts).rstrip() + "\n"


class SignPrinter(Printer):
    """Prints the changes of a changelog: the column CHANGE has ``+`` or ``-`` for their weight."""

    def __init__(
        self,
        columns: Sequence[Description],
        format: Format,
        to: TextIO,
        *,
        is_expanded: bool = False,
    ) -> None:
        sign: Description = ("CHANGE", VARCHAR.as_nullable(False), None, None, None, None, False)
        super().__init__([sign, *columns[1:]], format, to, is_expanded=is_expanded)

    def print_rows(self, rows: Sequence[tuple[Python, ...]], last: bool = False) -> None:
        """Print changes."""
        super().print_rows([("+" if row[0] == 1 else "-", *row[1:]) for row in rows], last)

    def print_end(self) -> None:
        """Print how many changes there were, below a table."""
        if self._format is Format.TABLE:
            self._to.write(f"({self._count} change{'' if self._count == 1 else 's'})\n")
            self._to.flush()
