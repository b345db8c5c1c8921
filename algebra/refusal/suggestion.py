"""The tools that make suggestions: edits of the text, and the names that they may use (S-801)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from algebra.binding.scope.names import FromRow, quoted
from algebra.binding.scope.streaming import progress
from algebra.catalog import Profile
from algebra.expression import Expression, InputRef
from algebra.plan import Plan, row_type
from algebra.types import Kind
from grammar.parsing.tokens import scan
from grammar.source import Edit, Span

# --- edits ------------------------------------------------------------------------------------


def insert(place: int, text: str) -> Edit:
    """The edit that inserts ``text`` before the character at ``place``."""
    return Edit(Span(place, place), text)


def leave_out(at: Span, sql: str) -> Edit:
    """The edit that removes the text at ``at``, and the blanks after it, else those before it."""
    start, end = at.start, at.end
    while end < len(sql) and sql[end].isspace():
        end += 1
    if end == at.end:
        while start > 0 and sql[start - 1].isspace():
            start -= 1
    return Edit(Span(start, end), "")


def words(sql: str, at: Span) -> Iterator[tuple[str, Span]]:
    """The tokens in the text at ``at``, in upper case, and their places; comments are skipped."""
    for each in scan(sql[at.start : at.end])[:-1]:  # the last token is the end of the text
        start = at.start + each.start
        yield each.text.upper(), Span(start, start + len(each.text))


def word_before(word: str, place: int, within: Span, sql: str) -> int | None:
    """The start of the last ``word`` between the start of ``within`` and ``place``.

    None: the text there does not have this word.
    """
    found = [at.start for text, at in words(sql, Span(within.start, place)) if text == word]
    return found[-1] if found else None


#: An hour in milliseconds: the distance and the size that suggestions propose.
HOUR_MS: Final = 3_600_000


def seconds(millis: int) -> str:
    """The interval literal of ``millis`` milliseconds, in hours if they are whole ones.

    >>> seconds(3_600_000), seconds(90_500)
    ("INTERVAL '1' HOUR", "INTERVAL '90.5' SECOND")
    """
    if millis % HOUR_MS == 0:
        return f"INTERVAL '{millis // HOUR_MS}' HOUR"
    number = f"{millis // 1000}.{millis % 1000:03}".rstrip("0").rstrip(".")
    return f"INTERVAL '{number}' SECOND"


# --- names ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Namespace:
    """The names that a suggestion may use for values of the rows of ``plan``.

    ``named`` has the SQL text of each name, and the expression over the row for which it stands.
    ``grouped``: the rows are groups and the names are their keys, so a suggested key is not rounded
    to hours.
    """

    plan: Plan
    named: tuple[tuple[str, Expression], ...]
    profile: Profile
    grouped: bool = False

    def buckets(self) -> tuple[str, ...]:
        """The texts of expressions by which groups of these rows complete, ROWTIME's first.

        A TIMESTAMP is rounded to hours.
        """
        return tuple(self._rounded(text, time) for text, _, time in self._advancing())

    def orders(self, *, hours: bool = False) -> tuple[str, ...]:
        """The texts of sort items in whose order these rows are, ROWTIME's first.

        ``hours``: a TIMESTAMP is rounded to hours.
        """
        return tuple(
            self._rounded(text, time and hours) + (" DESC" if descending else "")
            for text, descending, time in self._advancing()
        )

    def _rounded(self, text: str, to_hours: bool) -> str:
        """``text``, rounded to hours if ``to_hours``; the keys of groups are never rounded."""
        return f"FLOOR({text} TO HOUR)" if to_hours and not self.grouped else text

    def _advancing(self) -> list[tuple[str, bool, bool]]:
        """Each name that is monotonic, whether it is descending, and whether it is a TIMESTAMP.

        ROWTIME comes first, then the other TIMESTAMPs.
        """
        orders = progress(self.plan, [each for _, each in self.named], self.profile)
        found = [
            (text, order.descending, each.type.kind is Kind.TIMESTAMP)
            for (text, each), order in zip(self.named, orders, strict=True)
            if order is not None
        ]
        return sorted(found, key=lambda each: (not _is_rowtime(each[0]), not each[2]))


def _is_rowtime(text: str) -> bool:
    """Whether a name, which can have a qualifier, is ROWTIME."""
    return text.rpartition(".")[2] == "ROWTIME"


def namespace_of(row: FromRow, profile: Profile) -> Namespace:
    """The names of the columns of FROM's row, qualified where the name alone is ambiguous."""
    named = [
        (quoted(each.name), each.expression)
        for each in row.unqualified
        if len(row.named(each.name)) == 1
    ]
    for variable in row.variables:
        if len(row.qualified(variable.name[-1:])) == 1:
            prefix = quoted(variable.name[-1])
            known = {expression for _, expression in named}
            named += [
                (f"{prefix}.{quoted(each.name)}", each.expression)
                for each in variable.columns
                if each.expression not in known
            ]
    return Namespace(row.plan, tuple(named), profile)


def namespace_of_columns(plan: Plan, names: Iterable[str], profile: Profile) -> Namespace:
    """The ``names``, which are those of the first columns of ``plan``."""
    columns = zip(names, row_type(plan), strict=False)
    named = tuple((quoted(n), InputRef(i, each.type)) for i, (n, each) in enumerate(columns))
    return Namespace(plan, named, profile)
