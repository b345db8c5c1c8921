"""The choice among a refusal's suggestions: the first one that passes when it is tried."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from algebra.refusal.suggest_query import (
    suggest_with_stream,
    suggest_without_branch,
    suggest_without_stream,
)
from grammar.codes import Code, Family, family
from grammar.parse import parse_query, reads_as_sql
from grammar.source import Edit, Span, SqlError, edited
from grammar.suggestion import Suggestion, offered, place_after, refusal, without_suggestion

#: A function that parses and binds a text, and raises the error with which it is refused.
Attempt = Callable[[str], object]

#: The most faults of a text that are removed together.
_TOGETHER: Final = 5
#: The most texts that are tried for an error; each takes some milliseconds.
_TRIALS: Final = 40


def with_suggestion(error: SqlError, at: Span, sql: str, attempt: Attempt) -> SqlError:
    """``error``, of the query or statement at ``at``, with the best of its suggestions.

    ``attempt`` tries a text.  A suggestion *passes* if the text is accepted after its edits,
    perhaps together with the edits for faults that only then appear.  The choice is the first of
    these:

    1. a suggestion of the error that passes;
    2. for a fault of streaming: the query without STREAM, with STREAM, or without a branch, if that
       passes;
    3. a suggestion that removes this fault but leaves another fault, which is later in the text or
       was hidden by this one;
    4. no suggestion: the error has no edits, and it keeps its hint only if the hint is not SQL.

    Defines: S-801.g
    """
    if error.edits:
        return error
    if error.sql != sql:
        return without_suggestion(error, reads_as_sql)
    start, own = at.start, sql[at.start : at.end]  # the text of this statement alone
    trials = _Trials(attempt, {})
    fault = _Fault(error.code, error.at.shifted(-start), _offered(error, -start))
    found = trials.passing(fault, own, _TOGETHER)
    if found is None and family(error.code) is Family.STREAMING:
        general = _Fault(fault.code, fault.at, _general_suggestions(own, fault.at))
        found = trials.passing(general, own, _TOGETHER)
    found = found or trials.leaving_another(fault, own)
    if found is None:
        return without_suggestion(error, reads_as_sql)
    return SqlError(
        error.code, error.message, error.sql, error.at, found.advice, _moved(found.edits, start)
    )


@dataclass(frozen=True, slots=True)
class _Fault:
    """A refusal of a text, and the suggestions for it."""

    code: Code
    at: Span
    suggestions: Sequence[Suggestion]


def _offered(error: SqlError, by: int = 0) -> list[Suggestion]:
    """The suggestions of a refusal, with the places of their edits moved by ``by`` code points."""
    return [
        Suggestion(each.advice, _moved(each.edits, by)) for each in offered(error, reads_as_sql)
    ]


def _moved(edits: Iterable[Edit], by: int) -> tuple[Edit, ...]:
    return tuple(each.shifted(by) for each in edits)


def _general_suggestions(sql: str, at: Span) -> list[Suggestion]:
    """Suggestions for any query that is refused at ``at``: STREAM, and fewer branches.

    There are none if ``sql`` is not a query.
    """
    try:
        query = parse_query(sql)
    except SqlError:
        return []
    stream = (*suggest_without_stream(query, sql), *suggest_with_stream(query))
    return [*stream, *suggest_without_branch(query, at, sql)]


@dataclass(frozen=True, slots=True)
class _Trials:
    """The texts that have been tried, each once.

    ``known`` has the error with which each text was refused; None: the text passed.
    """

    attempt: Attempt
    known: dict[str, SqlError | None]

    def passing(self, fault: _Fault, sql: str, most: int) -> Suggestion | None:
        """The first suggestion after which ``sql`` passes; None: there is none.

        ``fault`` is the refusal of ``sql``.  If no suggestion passes by itself, the fault that
        remains after a suggestion is removed by its own suggestions, and so on, up to ``most``
        faults; the result combines their edits.  Such a further fault must be a fault of streams or
        have the same code.
        """
        for suggestion in fault.suggestions:
            text = edited(sql, suggestion.edits)
            if self._try_text(text) and self.known[text] is None:
                return suggestion
        for suggestion in fault.suggestions if most > 1 else ():
            text = edited(sql, suggestion.edits)
            other = self._other_refusal(text, fault, suggestion)
            if other is None:
                continue
            if family(other.code) is not Family.STREAMING and other.code is not fault.code:
                continue  # to remove this fault as well would be too long a chain of guesses
            hidden = _Fault(other.code, other.at, _offered(other))
            more = self.passing(hidden, text, most - 1)
            if more is not None:
                edits = composed_edits(sql, suggestion.edits, more.edits)
                advice = dict.fromkeys((suggestion.advice, more.advice))
                return Suggestion("; ".join(advice), edits)
        return None

    def leaving_another(self, fault: _Fault, sql: str) -> Suggestion | None:
        """The first suggestion after which ``sql`` parses, and is refused for another fault.

        The suggestion must not be the cause of the other fault.  So the other fault has to be later
        in the text, or a fault of streams outside the inserted text, which ``fault`` had hidden.
        None: there is no such suggestion.  The suggestions have been tried by `passing`.
        """
        for suggestion in fault.suggestions:
            other = self._other_refusal(edited(sql, suggestion.edits), fault, suggestion)
            if other is None or family(other.code) is Family.SYNTAX:
                continue
            later = other.at.end > place_after(fault.at, suggestion).end
            hidden = family(other.code) is Family.STREAMING and not _is_new(other.at, suggestion)
            if later or hidden:
                return suggestion
        return None

    def _other_refusal(self, text: str, fault: _Fault, suggestion: Suggestion) -> SqlError | None:
        """The refusal of ``text``, which is the text after ``suggestion``, if it is another fault.

        None if ``text`` was not tried, or passes, or still has ``fault``, or if the refusal is in
        another text (that of a view).
        """
        other = self.known.get(text)
        if other is None or other.sql != text or _is_same(other, fault, suggestion):
            return None
        return other

    def _try_text(self, text: str) -> bool:
        """Try ``text`` unless it has been tried, and return whether its result is known.

        False: it is not tried, because too many texts have been tried already.
        """
        if text not in self.known and len(self.known) < _TRIALS:
            self.known[text] = refusal(self.attempt, text)
        return text in self.known


def _is_same(other: SqlError, fault: _Fault, suggestion: Suggestion) -> bool:
    """Whether ``other``, the refusal after ``suggestion``, is still ``fault``."""
    still = place_after(fault.at, suggestion)
    return other.code is fault.code and other.at.start < still.end and still.start < other.at.end


def _is_new(at: Span, suggestion: Suggestion) -> bool:
    """Whether ``at``, a place in the text after ``suggestion``, overlaps an inserted text."""
    grown = 0  # the characters by which the edits so far have made the text longer
    for each in sorted(suggestion.edits):
        start = each.at.start + grown
        if at.start < start + len(each.text) and start < at.end:
            return True
        grown += len(each.text) - (each.at.end - each.at.start)
    return False


def composed_edits(sql: str, first: Sequence[Edit], then: Sequence[Edit]) -> tuple[Edit, ...]:
    """The edits of ``sql`` that have the same effect as ``first``, and after these ``then``.

    The places of ``then`` count in the text after ``first``.

    >>> first, then = [Edit(Span(0, 0), "one ")], [Edit(Span(4, 7), "two"), Edit(Span(7, 7), "!")]
    >>> composed_edits("2nd", first, then)
    (Edit(at=Span(start=0, end=3), text='one two!'),)
    """
    # Each letter of the text with its place in ``sql``, None for a letter that an edit has
    # inserted.
    letters: list[tuple[str, int | None]] = [(letter, i) for i, letter in enumerate(sql)]
    for edits in (first, then):
        for each in sorted(edits, reverse=True):
            letters[each.at.start : each.at.end] = [(letter, None) for letter in each.text]
    found: list[Edit] = []
    end, new = 0, ""  # the end of the unchanged text so far, and the inserted letters after it
    for letter, place in (*letters, ("", len(sql))):
        if place is None:
            new += letter
            continue
        if new or place > end:
            found.append(Edit(Span(end, place), new))
        end, new = place + 1, ""
    return tuple(found)
