"""Places in a SQL text, and `SqlError`, the one class of refusals."""

from collections.abc import Sequence
from dataclasses import dataclass

from grammar.codes import Code
from grammar.printable import printable, shortened


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """The half-open range ``[start, end)`` of code points of a SQL text.

    Defines: S-802.n
    """

    start: int
    end: int

    def to(self, other: "Span") -> "Span":
        """The smallest span that contains this one and ``other``."""
        return Span(min(self.start, other.start), max(self.end, other.end))

    def shifted(self, by: int) -> "Span":
        """This span in a text with ``by`` more code points at its start."""
        return Span(self.start + by, self.end + by)


@dataclass(frozen=True, slots=True)
class Location:
    """The place ``at`` of the text ``sql``, from which an expression or plan node was made."""

    sql: str
    at: Span


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """The replacement of the text at ``at`` by ``text``; an insertion if the span is empty."""

    at: Span
    text: str

    def shifted(self, by: int) -> "Edit":
        """This edit for a text with ``by`` more code points at its start."""
        return Edit(self.at.shifted(by), self.text)


def edited(sql: str, edits: Sequence[Edit]) -> str:
    """``sql`` after all ``edits``; their spans count in ``sql`` and do not overlap.

    >>> edited("SELECT STREAM 1", [Edit(Span(7, 14), ""), Edit(Span(15, 15), " AS x")])
    'SELECT 1 AS x'
    """
    for each in sorted(edits, reverse=True):
        sql = sql[: each.at.start] + each.text + sql[each.at.end :]
    return sql


@dataclass(eq=False)
class SqlError(Exception):
    """The refusal of a SQL text, or of a row at run time (S-801).

    ``code`` and ``at`` are contract; ``message`` and ``hint`` may be reworded.  ``sql`` is the
    whole text in which ``at`` counts, empty for an error that has no place in a text (S-802.p).
    ``edits`` carry out the advice of ``hint``; they have been tried, and remove this fault.  They
    are empty if no such change is known.

    Defines: S-801.a, S-801.j
    """

    code: Code
    message: str
    sql: str
    at: Span
    hint: str = ""
    edits: tuple[Edit, ...] = ()

    def __post_init__(self) -> None:
        """Pass the arguments to ``Exception``, so that the error can be pickled and printed."""
        super().__init__(self.code, self.message, self.sql, self.at, self.hint, self.edits)

    @property
    def corrected(self) -> str:
        """The text after ``edits``; unchanged if there are none."""
        return edited(self.sql, self.edits)

    @property
    def position(self) -> tuple[int, int]:
        """Line and column of the first character at fault, both counted from 1."""
        before = self.sql[: self.at.start]
        return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1

    def __str__(self) -> str:
        """The error for people: code and message, the line with carets, the hint.

        If there are edits, the changed lines follow, with ``+`` under the new text.  Message and
        hint, which may have names and values of the text, are made printable and `shortened`.
        """
        lines = [f"{self.code}: {printable(shortened(self.message))}"]
        if self.sql:
            lines += caret_lines(self.sql, self.at)
        if self.hint:
            lines.append(f"  hint: {printable(shortened(self.hint))}")
        return "\n".join([*lines, *corrected_lines(self.sql, self.edits)])


def located(error: SqlError, location: Location | None) -> SqlError:
    """Give ``error`` the ``location``, unless it already has a place in a text; returns ``error``.

    Defines: S-802.o
    """
    if location is not None and not error.sql:
        error.sql, error.at = location.sql, location.at
    return error


#: The greatest number of characters of a line at fault that are shown; a longer line is cut around
#: the caret.
SHOWN: int = 120


def caret_lines(sql: str, at: Span) -> list[str]:
    """The line of ``sql`` in which ``at`` starts, with its number, and carets under ``at``."""
    return marked_lines(sql, [at], "^", SHOWN)


def corrected_lines(sql: str, edits: Sequence[Edit]) -> list[str]:
    """The changed lines of ``sql`` after ``edits``, with ``+`` under the new text."""
    new: list[Span] = []  # the spans of the new texts in the corrected text, without blanks
    moved = 0  # by how much the text after the edits so far has become longer
    for each in sorted(edits):
        start = each.at.start + moved
        blank = len(each.text) - len(each.text.lstrip())
        new.append(Span(start + blank, start + len(each.text.rstrip())))
        moved += len(each.text) - (each.at.end - each.at.start)
    corrected = edited(sql, edits)
    spans_by_line: dict[int, list[Span]] = {}  # by the start of their line
    for span in new:
        line_start = corrected.rfind("\n", 0, span.start) + 1
        spans_by_line.setdefault(line_start, []).append(span)
    lines = (marked_lines(corrected, spans, "+", 2 * SHOWN) for spans in spans_by_line.values())
    return [line for pair in lines for line in pair]


def marked_lines(sql: str, spans: Sequence[Span], mark: str, most: int) -> list[str]:
    """The line of ``sql`` in which ``spans`` start, with its number, and a line of marks under it.

    ``spans`` are in order, and all start in the same line.  Up to ``most`` characters around the
    first span are shown, with an ellipsis for text that is cut off on either side.  The line of
    marks has ``mark`` under each character of the spans.  An empty span has one mark if ``mark`` is
    ``^``, and none if it is ``+``.  A line without marks is left out.
    """
    start = min(spans[0].start, len(sql))
    line_start = sql.rfind("\n", 0, start) + 1
    line_end = sql.find("\n", start)
    line_end = len(sql) if line_end < 0 else line_end
    number = sql.count("\n", 0, line_start) + 1
    shown_start = (
        max(line_start, start - SHOWN // 2) if line_end - line_start > most else line_start
    )
    shown_end = min(line_end, shown_start + most)
    gutter = f"{number} | "
    # A control character would move the mark away from its character.
    shown = "".join(c if c.isprintable() else " " for c in sql[shown_start:shown_end])
    shown = "…" + shown[1:] if shown_start > line_start else shown
    shown = shown[:-1] + "…" if shown_end < line_end else shown
    marks = ""
    for span in spans:
        width = min(span.end, shown_end) - span.start
        width = max(1, width) if mark == "^" else width
        marks = marks.ljust(len(gutter) + min(span.start, len(sql)) - shown_start) + mark * width
    marks = marks.rstrip()
    return [gutter + shown, *([marks] if marks else [])]
