"""Places in a SQL text, and the one error that every refusal is."""

from dataclasses import dataclass

from grammar.codes import Code


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """The half-open range ``[start, end)`` of code points of a SQL text."""

    start: int
    end: int

    def to(self, other: "Span") -> "Span":
        """The smallest span that holds this one and ``other``."""
        return Span(min(self.start, other.start), max(self.end, other.end))


@dataclass(eq=False)
class SqlError(Exception):
    """A refusal of a SQL text, or of a row at run time (S-801).

    ``code`` and ``at`` are contract, ``message`` and ``hint`` are wording.  ``sql`` is the whole
    text that ``at`` counts in; a run-time error without a place in a text has the empty text.
    """

    code: Code
    message: str
    sql: str
    at: Span
    hint: str = ""

    def __post_init__(self) -> None:
        """Let ``Exception`` know its argument, so that the error pickles and prints."""
        super().__init__(self.code, self.message, self.sql, self.at, self.hint)

    @property
    def position(self) -> tuple[int, int]:
        """Line and column of the first guilty character, both counted from 1."""
        before = self.sql[: self.at.start]
        return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1

    def __str__(self) -> str:
        """The error as a person reads it: code and message, the line, a caret, a hint."""
        lines = [f"{self.code}: {self.message}"]
        if self.sql:
            lines += caret_lines(self.sql, self.at)
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)


#: As many characters of a guilty line are shown, at most; a longer line is cut around the caret.
SHOWN: int = 120


def caret_lines(sql: str, at: Span) -> list[str]:
    """The line of ``sql`` that ``at`` starts in, with its number, and carets under ``at``."""
    start = min(at.start, len(sql))
    line_start = sql.rfind("\n", 0, start) + 1
    line_end = sql.find("\n", start)
    line_end = len(sql) if line_end < 0 else line_end
    number = sql.count("\n", 0, line_start) + 1
    shown_start = (
        max(line_start, start - SHOWN // 2) if line_end - line_start > SHOWN else line_start
    )
    shown_end = min(line_end, shown_start + SHOWN)
    gutter = f"{number} | "
    # A control character would move the caret away from its character.
    shown = "".join(c if c.isprintable() else " " for c in sql[shown_start:shown_end])
    width = max(1, min(at.end, shown_end) - start)
    return [gutter + shown, " " * (len(gutter) + start - shown_start) + "^" * width]
