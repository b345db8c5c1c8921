"""The faults of one statement: all are gathered, the first in the text is raised (S-801)."""

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass

from grammar.source import Edit, Span, SqlError


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A change of a text that may take a fault away: what it is in words, and its edits."""

    advice: str
    edits: tuple[Edit, ...]


@dataclass(eq=False)
class SuggestingError(SqlError):
    """A refusal that knows what may pass instead, the best first; none of it is thought of yet.

    `algebra.refusal.tried_suggestions` tries it, so that nobody outside of binding sees any but an
    `SqlError`.

    Defines: S-801.h
    """

    suggestions: Callable[[], Iterable[Suggestion]] = tuple


class Faults:
    """The refusals met so far, each with its place in this statement's text.

    Defines: S-801.c
    """

    def __init__(self, sql: str) -> None:
        self._sql = sql
        self._found: list[tuple[Span, SqlError]] = []

    def add(self, error: SqlError, at: Span) -> None:
        """Note ``error``; ``at`` is its place here, if it counts in another text (a view's)."""
        if all(error is not known for _, known in self._found):
            self._found.append((error.at if error.sql == self._sql else at, error))

    @contextmanager
    def noted(self, at: Span) -> Generator[None]:
        """Within it, a refusal is noted, and what follows goes on; ``at`` is as in `add`."""
        try:
            yield
        except SqlError as error:
            self.add(error, at)

    @property
    def count(self) -> int:
        """How many are noted."""
        return len(self._found)

    def raise_first(self) -> None:
        """Raise the first fault in the text, a leaf before its operator; none: nothing.

        Ordering by the end of the spans does both: of two that do not overlap the earlier ends
        earlier, and of two that are nested the inner one does.
        """
        if self._found:
            raise min(self._found, key=lambda each: (each[0].end, -each[0].start))[1]
