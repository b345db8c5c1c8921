"""Suggestions: changes of a refused text, which are tried before one of them is shown.

Two functions are parameters below.  ``is_sql`` decides whether a text is SQL; it is
`grammar.parse.reads_as_sql`.  ``attempt`` parses or prepares a text, and raises the `SqlError` with
which the text is refused.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from grammar.source import Edit, Span, SqlError, edited

#: The number of suggestions that are tried for one fault.
MOST_TRIED: Final = 6


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A change of a text that may remove a fault: the advice in words, and the edits."""

    advice: str
    edits: tuple[Edit, ...]


def replacement(advice: str, at: Span, text: str) -> Suggestion:
    """The suggestion to write ``text`` at ``at``."""
    return Suggestion(advice, (Edit(at, text),))


@dataclass(eq=False)
class SuggestingError(SqlError):
    """A refusal with suggestions, the best first; they are computed when they are asked for.

    ``hint`` explains the fault if none of the suggestions passes.  The parser and
    `algebra.refusal.tried_suggestions` try the suggestions and raise a plain `SqlError`.

    Defines: S-801.h
    """

    suggestions: Callable[[], Iterable[Suggestion]] = tuple


def offered(error: SqlError, is_sql: Callable[[str], bool]) -> Iterator[Suggestion]:
    """The suggestions of ``error``, the best first, at most `MOST_TRIED`.

    If ``error`` has none, but its hint is SQL, the only suggestion is to write the hint at the
    place of the fault.
    """
    suggestions = error.suggestions() if isinstance(error, SuggestingError) else ()
    found = list(islice(suggestions, MOST_TRIED))
    if not found and error.hint and error.sql and is_sql(error.hint):
        found = [replacement(error.hint, error.at, error.hint)]
    yield from found


def without_suggestion(error: SqlError, is_sql: Callable[[str], bool]) -> SqlError:
    """``error`` without suggestions, and without a hint that is SQL.

    Such a hint was itself a suggestion (see `offered`), and no suggestion has passed.
    """
    hint = "" if is_sql(error.hint) else error.hint
    return SqlError(error.code, error.message, error.sql, error.at, hint)


def refusal(attempt: Callable[[str], object], text: str) -> SqlError | None:
    """The error that ``attempt`` raises for ``text``; None if it accepts the text."""
    try:
        attempt(text)
    except SqlError as error:
        return error
    return None


def with_first_passing(
    error: SqlError, attempt: Callable[[str], object], is_sql: Callable[[str], bool]
) -> SqlError:
    """``error`` with the advice and the edits of its first suggestion that passes.

    If none passes, the result is ``error`` without suggestions.  A suggestion passes if ``attempt``
    accepts the text after the edits, or refuses it later: there is text between the place of this
    fault and the new fault.

    Defines: S-801.l
    """
    for each in offered(error, is_sql):
        text = edited(error.sql, each.edits)
        other = refusal(attempt, text)
        if other is None or text[place_after(error.at, each).end : other.at.start].strip():
            return SqlError(error.code, error.message, error.sql, error.at, each.advice, each.edits)
    return without_suggestion(error, is_sql)


def place_after(at: Span, suggestion: Suggestion) -> Span:
    """The place that ``at`` has after the edits of ``suggestion``.

    Text that the edits insert at ``at``, or directly before or after it, is included.
    """
    # Each edit's place, and the number of characters by which the edit makes the text longer.
    grown = [(each.at, len(each.text) - each.at.end + each.at.start) for each in suggestion.edits]
    growth_before = sum(growth for place, growth in grown if place.end < at.start)
    growth_until_end = sum(growth for place, growth in grown if place.start <= at.end)
    return Span(at.start + growth_before, at.end + growth_until_end)
