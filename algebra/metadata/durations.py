"""Stretches of a stream: how long a row waits, or is kept, measured by what moves on (S-408)."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from algebra.functions.datetimes import time_text


@dataclass(frozen=True, slots=True)
class BoundAdvance:
    """Until the bound of ``column`` has moved on by ``amount``.

    In milliseconds if it is a time (``millis``), else in its own unit; None: while it stays the
    same, which the data alone tells.
    """

    column: str
    amount: int | None
    millis: bool = False


@dataclass(frozen=True, slots=True)
class Duration:
    """A stretch of a stream: the sum of its parts, each 0, False or empty where it is not meant.

    ``millis``: of the stream's own time.  ``rows``: so many rows more.  ``advances``: of other
    columns.  ``bound``: until a bound is set from outside, as a punctuated stream wants it.
    ``skew``: as long as the clocks of several inputs are apart.  ``whole``: all of a relation that
    ends.  ``unbounded``: the reason why it may have no end; None: it has one.

    Defines: S-408.h
    """

    millis: int = 0
    rows: int = 0
    advances: tuple[BoundAdvance, ...] = ()
    bound: bool = False
    skew: bool = False
    whole: bool = False
    unbounded: str | None = None

    def plus(self, other: "Duration") -> "Duration":
        """One after the other."""
        return self._with(other, lambda a, b: a + b)

    def or_longer(self, other: "Duration") -> "Duration":
        """Both at once: no part of it is longer."""
        return self._with(other, max)

    def _with(self, other: "Duration", together: Callable[[int, int], int]) -> "Duration":
        return Duration(
            together(self.millis, other.millis),
            together(self.rows, other.rows),
            _joined(self.advances, other.advances, together),
            self.bound or other.bound,
            self.skew or other.skew,
            self.whole or other.whole,
            self.unbounded if self.unbounded is not None else other.unbounded,
        )

    def __str__(self) -> str:
        """The parts, joined by ``+``; ``none`` of nothing.

        >>> str(Duration(5_400_000, rows=2))
        '1 HOUR 30 MINUTE + 2 rows'
        """
        return " + ".join(_parts(self)) or "none"


NONE: Final = Duration()
#: The least that a time can move on by: past the rows of one instant.
INSTANT: Final = Duration(1)
WHOLE: Final = Duration(whole=True)
SKEW: Final = Duration(skew=True)


def unbounded(reason: str) -> Duration:
    """A stretch that may have no end."""
    return Duration(unbounded=reason)


def max_of(durations: Iterable[Duration]) -> Duration:
    """All of them, `or_longer` one another."""
    longest = NONE
    for each in durations:
        longest = longest.or_longer(each)
    return longest


def min_of(durations: Iterable[Duration]) -> Duration:
    """Until the first of them is over, of which there is one at least: the one that says most.

    One that has an end, then one that the data do not tell, then one of the stream's own time.
    """
    return min(durations, key=_vagueness)


def _vagueness(each: Duration) -> tuple[object, ...]:
    by_data = any(advance.amount is None for advance in each.advances)
    return (
        each.unbounded is not None,
        by_data,
        each.bound,
        len(each.advances),
        each.rows,
        each.millis,
    )


def _joined(
    a: tuple[BoundAdvance, ...], b: tuple[BoundAdvance, ...], together: Callable[[int, int], int]
) -> tuple[BoundAdvance, ...]:
    """The reaches of both, those of one column ``together``; as far as it takes stays so."""
    found = {(each.column, each.millis): each for each in a}
    for each in b:
        known = found.get((each.column, each.millis))
        if known is None:
            found[each.column, each.millis] = each
        elif known.amount is None or each.amount is None:
            found[each.column, each.millis] = BoundAdvance(each.column, None, each.millis)
        else:
            amount = together(known.amount, each.amount)
            found[each.column, each.millis] = BoundAdvance(each.column, amount, each.millis)
    return tuple(found.values())


def _parts(duration: Duration) -> Iterator[str]:
    if duration.unbounded is not None:
        yield "unbounded"
        return
    if duration.whole:
        yield "the whole input"
    if duration.millis:
        yield time_text(duration.millis)
    for each in duration.advances:
        if each.amount is None:
            yield f"a run of {each.column}"
        else:
            amount = time_text(each.amount) if each.millis else str(each.amount)
            yield f"{amount} of {each.column}"
    if duration.rows:
        yield f"{duration.rows} row{'s' if duration.rows > 1 else ''}"
    if duration.bound:
        yield "the wait for a bound"
    if duration.skew:
        yield "the inputs' skew"
