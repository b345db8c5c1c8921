"""Several files of DDL as one script, whose errors are shown in the lines of their file."""

from dataclasses import dataclass, replace
from typing import Final

from grammar.source import Span, SqlError

#: The text between two files; its line break ends a comment in the last line of the first.
_BETWEEN: Final = "\n;\n"


@dataclass(frozen=True, slots=True)
class Script:
    """Texts that are run one after another, as pairs of a file's name and its text."""

    files: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        """The text of the whole script."""
        return _BETWEEN.join(text for _, text in self.files)

    def error_text(self, error: SqlError) -> str:
        """The error as users see it: one in the script under its file's name, with its lines.

        An error in another text, such as the query, is shown as it is.
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
