"""The faults of one statement: all are collected, and the first in the text is raised (S-801)."""

from collections.abc import Generator
from contextlib import contextmanager

from grammar.source import Span, SqlError


class Faults:
    """The refusals so far, each with its place in this statement's text.

    Defines: S-801.c
    """

    def __init__(self, sql: str) -> None:
        self._sql = sql
        self._found: list[tuple[Span, SqlError]] = []

    def add(self, error: SqlError, at: Span) -> None:
        """Note ``error``.

        ``at`` is the span to use if the error's own span lies in another text, such as a view's.
        """
        if all(error is not known for _, known in self._found):
            self._found.append((error.at if error.sql == self._sql else at, error))

    @contextmanager
    def noted(self, at: Span) -> Generator[None]:
        """A context in which a refusal is noted and swallowed.

        ``at`` is the span to use if the refusal's own span lies in another text.
        """
        try:
            yield
        except SqlError as error:
            self.add(error, at)

    @property
    def count(self) -> int:
        """The number of faults noted."""
        return len(self._found)

    def raise_first(self) -> None:
        """Raise the fault that comes first in the text, if there is a fault.

        It is the fault whose span ends first: of two disjoint spans this is the earlier one, and of
        two nested spans the inner one.  So an operand's fault comes before its operator's.
        """
        if self._found:
            raise min(self._found, key=lambda each: (each[0].end, -each[0].start))[1]
