"""Stretches of a stream: how long a row waits, or is kept, measured by what moves on (S-408)."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from algebra.functions.datetimes import time_text


@dataclass(frozen=True, slots=True)
class Reach:
    """Until the bound of ``column`` has moved on by ``amount``.

    In milliseconds if it is a time (``millis``), else in its own unit; None: while it stays the
    same, which the data alone tells.
    """

    column: str
    amount: int | None
    millis: bool = False


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a stream: the sum of its parts, each 0, False or empty where it is not meant.

    ``millis``: of the stream's own time.  ``rows``: so many rows more.  ``reaches``: of other
    columns.  ``bound``: until a bound is set from outside, as a punctuated stream wants it.
    ``skew``: as long as the clocks of several inputs are apart.  ``whole``: all of a relation that
    ends.  ``unbounded``: the reason why it may have no end; None: it has one.
    """

    millis: int = 0
    rows: int = 0
    reaches: tuple[Reach, ...] = ()
    bound: bool = False
    skew: bool = False
    whole: bool = False
    unbounded: str | None = None

    def plus(self, other: "Stretch") -> "Stretch":
        """One after the other."""
        return self._with(other, lambda a, b: a + b)

    def beside(self, other: "Stretch") -> "Stretch":
        """Both at once: no part of it is longer."""
        return self._with(other, max)

    def _with(self, other: "Stretch", together: Callable[[int, int], int]) -> "Stretch":
        return Stretch(
            together(self.millis, other.millis),
            together(self.rows, other.rows),
            _joined(self.reaches, other.reaches, together),
            self.bound or other.bound,
            self.skew or other.skew,
            self.whole or other.whole,
            self.unbounded if self.unbounded is not None else other.unbounded,
        )

    def __str__(self) -> str:
        """The parts, joined by ``+``; ``none`` of nothing.

        >>> str(Stretch(5_400_000, rows=2))
        '1 HOUR 30 MINUTE + 2 rows'
        """
        return " + ".join(_parts(self)) or "none"


NONE: Final = Stretch()
#: The least that a time can move on by: past the rows of one instant.
INSTANT: Final = Stretch(1)
WHOLE: Final = Stretch(whole=True)
SKEW: Final = Stretch(skew=True)


def endless(reason: str) -> Stretch:
    """A stretch that may have no end."""
    return Stretch(unbounded=reason)


def at_once(stretches: Iterable[Stretch]) -> Stretch:
    """All of them, `beside` one another."""
    longest = NONE
    for each in stretches:
        longest = longest.beside(each)
    return longest


def whichever(stretches: Iterable[Stretch]) -> Stretch:
    """Until the first of them is over, of which there is one at least: the one that says most.

    One that has an end, then one that the data do not tell, then one of the stream's own time.
    """
    return min(stretches, key=_vagueness)


def _vagueness(each: Stretch) -> tuple[object, ...]:
    by_data = any(reach.amount is None for reach in each.reaches)
    return (
        each.unbounded is not None,
        by_data,
        each.bound,
        len(each.reaches),
        each.rows,
        each.millis,
    )


def _joined(
    a: tuple[Reach, ...], b: tuple[Reach, ...], together: Callable[[int, int], int]
) -> tuple[Reach, ...]:
    """The reaches of both, those of one column ``together``; as far as it takes stays so."""
    found = {(each.column, each.millis): each for each in a}
    for each in b:
        known = found.get((each.column, each.millis))
        if known is None:
            found[each.column, each.millis] = each
        elif known.amount is None or each.amount is None:
            found[each.column, each.millis] = Reach(each.column, None, each.millis)
        else:
            amount = together(known.amount, each.amount)
            found[each.column, each.millis] = Reach(each.column, amount, each.millis)
    return tuple(found.values())


def _parts(stretch: Stretch) -> Iterator[str]:
    if stretch.unbounded is not None:
        yield "unbounded"
        return
    if stretch.whole:
        yield "the whole input"
    if stretch.millis:
        yield time_text(stretch.millis)
    for each in stretch.reaches:
        if each.amount is None:
            yield f"a run of {each.column}"
        else:
            amount = time_text(each.amount) if each.millis else str(each.amount)
            yield f"{amount} of {each.column}"
    if stretch.rows:
        yield f"{stretch.rows} row{'s' if stretch.rows > 1 else ''}"
    if stretch.bound:
        yield "the wait for a bound"
    if stretch.skew:
        yield "the inputs' skew"
