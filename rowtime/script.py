"""Joins several files of DDL to one script, and shows an error in the lines of its file."""

from dataclasses import dataclass, replace
from typing import Final

from grammar.source import Span, SqlError

#: The text between two files: its first line break ends a comment in the last line of a file, and
#: its semicolon ends the last statement.
_BETWEEN: Final = "\n;\n"


@dataclass(frozen=True, slots=True)
class Script:
    """A script of several files: ``files`` has the name and the text of each, in their order."""

    files: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        """The text of the whole script."""
        return _BETWEEN.join(text for _, text in self.files)

    def error_text(self, error: SqlError) -> str:
        """The message of an error for the user.

        For an error in this script, it has the name of the file, and the lines of the file.  An
        error in another text, such as the query, keeps its message.
        """
        if error.sql != self.text:
            return str(error)
        start = 0
        for name, text in self.files:
            end = start + len(text)
            if error.at.start <= end:
                at = Span(error.at.start - start, min(error.at.end, end) - start)
                edits = tuple(each.shifted(-start) for each in error.edits)
                return f"{name}:\n{replace(error, sql=text, at=at, edits=edits)}"
            start = end + len(_BETWEEN)
        return str(error)
