"""Files of DDL as one script, and an error in it as one of its file."""

from dataclasses import dataclass, replace
from typing import Final

from grammar.source import Edit, Span, SqlError

#: Between two files; the end of a line also ends a comment there.
_BETWEEN: Final = "\n;\n"


@dataclass(frozen=True, slots=True)
class Script:
    """Texts that are run one after another, each with the name of its file."""

    files: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        """All of it."""
        return _BETWEEN.join(text for _, text in self.files)

    def told(self, error: SqlError) -> str:
        """The error as a person reads it: one in the script under its file, in the lines of that.

        One of another text, such as the query, is told as it is.
        """
        if error.sql != self.text:
            return str(error)
        start = 0
        for name, text in self.files:
            end = start + len(text)
            if error.at.start <= end:
                at = Span(error.at.start - start, min(error.at.end, end) - start)
                edits = tuple(Edit(each.at.shifted(-start), each.text) for each in error.edits)
                return f"{name}:\n{replace(error, sql=text, at=at, edits=edits)}"
            start = end + len(_BETWEEN)
        return str(error)
