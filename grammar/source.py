"""Places in a SQL text, and the one error that every refusal is."""

from collections.abc import Sequence
from dataclasses import dataclass

from grammar.codes import Code


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """The half-open range ``[start, end)`` of code points of a SQL text.

    Defines: S-802.n
    """

    start: int
    end: int

    def to(self, other: "Span") -> "Span":
        """The smallest span that holds this one and ``other``."""
        return Span(min(self.start, other.start), max(self.end, other.end))

    def shifted(self, by: int) -> "Span":
        """This span where its text begins ``by`` code points later."""
        return Span(self.start + by, self.end + by)


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """``text`` in the place of what stands at ``at``: into an empty span it is inserted."""

    at: Span
    text: str


def edited(sql: str, edits: Sequence[Edit]) -> str:
    """``sql`` after all ``edits``, whose spans count in it as it is and do not overlap.

    >>> edited("SELECT STREAM 1", [Edit(Span(7, 14), ""), Edit(Span(15, 15), " AS x")])
    'SELECT 1 AS x'
    """
    for each in sorted(edits, reverse=True):
        sql = sql[: each.at.start] + each.text + sql[each.at.end :]
    return sql


@dataclass(eq=False)
class SqlError(Exception):
    """A refusal of a SQL text, or of a row at run time (S-801).

    ``code`` and ``at`` are contract, ``message`` and ``hint`` are wording.  ``sql`` is the whole
    text that ``at`` counts in; a run-time error without a place in a text has the empty text.
    ``edits``, where there are any, are what ``hint`` advises, done to ``sql``: they have been
    tried, and take this fault away.

    Defines: S-801.a
    """

    code: Code
    message: str
    sql: str
    at: Span
    hint: str = ""
    edits: tuple[Edit, ...] = ()

    def __post_init__(self) -> None:
        """Let ``Exception`` know its argument, so that the error pickles and prints."""
        super().__init__(self.code, self.message, self.sql, self.at, self.hint, self.edits)

    @property
    def corrected(self) -> str:
        """The text with the edits done; as it is where there are none."""
        return edited(self.sql, self.edits)

    @property
    def position(self) -> tuple[int, int]:
        """Line and column of the first guilty character, both counted from 1."""
        before = self.sql[: self.at.start]
        return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1

    def __str__(self) -> str:
        """The error as a person reads it: code and message, the line, a caret, a hint.

        A hint that is an edit is followed by the lines as they would pass, ``+`` under what is new.
        """
        lines = [f"{self.code}: {self.message}"]
        if self.sql:
            lines += caret_lines(self.sql, self.at)
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join([*lines, *corrected_lines(self.sql, self.edits)])


#: As many characters of a guilty line are shown, at most; a longer line is cut around the caret.
SHOWN: int = 120


def caret_lines(sql: str, at: Span) -> list[str]:
    """The line of ``sql`` that ``at`` starts in, with its number, and carets under ``at``."""
    return marked_lines(sql, [at], "^", SHOWN)


def corrected_lines(sql: str, edits: Sequence[Edit]) -> list[str]:
    """The lines of ``sql`` that ``edits`` change, as they change them, ``+`` under what is new."""
    new: list[Span] = []
    moved = 0
    for each in sorted(edits):
        start = each.at.start + moved
        blank = len(each.text) - len(each.text.lstrip())
        new.append(Span(start + blank, start + len(each.text.rstrip())))
        moved += len(each.text) - (each.at.end - each.at.start)
    corrected = edited(sql, edits)
    shown: dict[int, list[Span]] = {}
    for span in new:
        shown.setdefault(corrected.rfind("\n", 0, span.start) + 1, []).append(span)
    lines = (marked_lines(corrected, spans, "+", 2 * SHOWN) for spans in shown.values())
    return [line for pair in lines for line in pair]


def marked_lines(sql: str, spans: Sequence[Span], mark: str, most: int) -> list[str]:
    """The line of ``sql`` that the first of ``spans`` starts in, with its number, and marks.

    ``spans`` are in order and start in one line, of which ``most`` characters are shown around the
    first.  The second line has ``mark`` under each of them,
    a caret also under an empty one; it is left out where nothing is marked.
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
    marks = ""
    for span in spans:
        width = min(span.end, shown_end) - span.start
        width = max(1, width) if mark == "^" else width
        marks = marks.ljust(len(gutter) + min(span.start, len(sql)) - shown_start) + mark * width
    marks = marks.rstrip()
    return [gutter + shown, *([marks] if marks else [])]
