"""Durations: how long a row waits or is retained (S-408).

A duration is measured by how far bounds advance, or how many rows arrive, until it ends.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from algebra.functions.datetimes import time_text

#: A function that returns the sum of some amounts, or their maximum.
_Combination: TypeAlias = Callable[[Iterable[int]], int]


@dataclass(frozen=True, slots=True)
class BoundAdvance:
    """The wait until the bound of ``column`` has advanced by ``amount``.

    ``amount`` is in milliseconds if ``millis``, else in the column's own unit.  None: the wait
    until the column's value next changes, which only the data decide.
    """

    column: str
    amount: int | None
    millis: bool = False


@dataclass(frozen=True, slots=True)
class Duration:
    """A duration as a sum of parts, which are 0, False or empty if they do not apply.

    - ``millis``: milliseconds of the stream's rowtime
    - ``rows``: a number of further rows
    - ``groups``: a number of further groups of peers, which a frame of GROUPS counts
    - ``advances``: advances of the bounds of other columns
    - ``bound``: the wait until a producer sets the next bound of a punctuated stream
    - ``skew``: the difference of the bounds of several inputs
    - ``whole``: the whole of a relation
    - ``unbounded``: the reason why the duration may never end; None if it always ends

    Defines: S-408.h
    """

    millis: int = 0
    rows: int = 0
    groups: int = 0
    advances: tuple[BoundAdvance, ...] = ()
    bound: bool = False
    skew: bool = False
    whole: bool = False
    unbounded: str | None = None

    def plus(self, other: "Duration") -> "Duration":
        """This duration followed by the other."""
        return self._with(other, sum)

    def or_longer(self, other: "Duration") -> "Duration":
        """The maximum of both, part by part."""
        return self._with(other, max)

    def _with(self, other: "Duration", combine: _Combination) -> "Duration":
        """The duration whose amounts are combined from both; other parts are those of either."""
        return Duration(
            combine((self.millis, other.millis)),
            combine((self.rows, other.rows)),
            combine((self.groups, other.groups)),
            _joined(self.advances, other.advances, combine),
            self.bound or other.bound,
            self.skew or other.skew,
            self.whole or other.whole,
            self.unbounded or other.unbounded,
        )

    def __str__(self) -> str:
        """The parts, joined by ``+``; ``none`` if there are none.

        >>> str(Duration(5_400_000, rows=2))
        '1 HOUR 30 MINUTE + 2 rows'
        """
        return " + ".join(_parts(self)) or "none"


NONE: Final = Duration()
#: The least advance of a time, after which the bound has passed the rows of one instant.
INSTANT: Final = Duration(1)
#: The wait for the whole of a relation.
WHOLE: Final = Duration(whole=True)
#: The wait of a row for the other inputs, whose bounds are less advanced.
SKEW: Final = Duration(skew=True)


def unbounded(reason: str) -> Duration:
    """A duration that may never end, with the reason for it."""
    return Duration(unbounded=reason)


def max_of(durations: Iterable[Duration]) -> Duration:
    """The maximum of ``durations``, part by part; `NONE` if there are none."""
    longest = NONE
    for each in durations:
        longest = longest.or_longer(each)
    return longest


def min_of(durations: Iterable[Duration]) -> Duration:
    """The shortest of ``durations``, which must not be empty.

    Durations with different parts are ordered by rules, of which the first that distinguishes two
    durations decides.  A duration that may never end is the longest.  Then come one whose length
    the data determine, one that waits for a producer's bound, one with advances of other columns,
    one with more groups, and one with more rows.  Stream time is the shortest.
    """
    return min(durations, key=_sort_key)


def _sort_key(each: Duration) -> tuple[object, ...]:
    """The sort key of `min_of`: one item for each of its rules."""
    by_data = any(advance.amount is None for advance in each.advances)
    return (
        each.unbounded is not None,
        by_data,
        each.bound,
        each.advances != (),
        each.groups,
        each.rows,
        each.millis,
        sum(advance.amount for advance in each.advances if advance.amount is not None),
    )


def _joined(
    a: tuple[BoundAdvance, ...], b: tuple[BoundAdvance, ...], combine: _Combination
) -> tuple[BoundAdvance, ...]:
    """The advances in ``a`` and ``b``; two advances of one column are combined into one."""
    found = {(each.column, each.millis): each for each in a}
    for each in b:
        known = found.get((each.column, each.millis))
        if known is None:
            found[each.column, each.millis] = each
        elif known.amount is None or each.amount is None:
            found[each.column, each.millis] = BoundAdvance(each.column, None, each.millis)
        else:
            amount = combine((known.amount, each.amount))
            found[each.column, each.millis] = BoundAdvance(each.column, amount, each.millis)
    return tuple(found.values())


def _parts(duration: Duration) -> Iterator[str]:
    """The texts of the parts of ``duration`` that apply."""
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
    if duration.groups:
        yield f"{duration.groups} group{'s' if duration.groups > 1 else ''} of peers"
    if duration.bound:
        yield "the wait for a bound"
    if duration.skew:
        yield "the inputs' skew"
