"""Linear constraints on integer variables, which also represent rounding and the calendar.

Rounding is not a linear function, but the part that it cuts off is bounded.  Such bounds are enough
for most conditions on time: ``FLOOR(t TO HOUR)`` is 3,600,000 n for some integer n, and t is 0 to
3,599,999 milliseconds later.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from math import ceil, floor, trunc
from typing import Final

from algebra.constraints.linear_terms import (
    ALWAYS,
    Constraint,
    Term,
    all_of,
    any_of,
    at_most,
    below,
    common_grain,
    equal,
    number,
    within,
)
from algebra.constraints.months import (
    MEAN,
    MonthDays,
    add_months,
    around_mean,
    days_added,
    days_between,
    month_of,
    start_of_month,
)
from algebra.types import MILLIS_PER_DAY

#: The most days that a day loses if it is moved into a shorter month: January 31 to February 28.
CLAMPED: Final = 3


class Rounding(Enum):
    """The multiple of a size to which a number is rounded."""

    DOWN = "the greatest multiple that is not above the number"
    UP = "the least multiple that is not below the number"
    ZERO = "the nearest multiple between zero and the number, both included"
    NEAREST = "the nearest multiple; of two, the one further from zero"


#: The rounding of ``-x`` that mirrors the rounding of ``x``.
_MIRRORED: Final = {
    Rounding.DOWN: Rounding.UP,
    Rounding.UP: Rounding.DOWN,
    Rounding.ZERO: Rounding.ZERO,
    Rounding.NEAREST: Rounding.NEAREST,
}


@dataclass(frozen=True, slots=True)
class CalendarPoint:
    """A day and its month, both as terms.  ``start``: whether the day must be the month's first."""

    day: Term
    month: Term
    start: bool

    @property
    def month_days(self) -> MonthDays:
        """The days of its month that the point may be."""
        only = self.month.value
        return MonthDays(self.start, None if only is None else int(only))


@dataclass(frozen=True, slots=True)
class MonthCount:
    """``months`` is the number of whole months from ``earlier`` to ``later``, both instants.

    It is truncated toward zero, and negative if ``later`` is before ``earlier`` (S-207).
    """

    later: Term
    earlier: Term
    months: Term


@dataclass(slots=True)
class ConstraintSystem:
    """The variables of one problem, and the constraints on them.

    ``fixed_clock``: CURRENT_TIMESTAMP is one variable, because all expressions are evaluated at one
    moment (S-106).  ``count`` is the number of variables.  ``known`` has the terms so far, by name,
    so that equal expressions share a variable.  ``constraints`` hold in every solution.  ``points``
    has the days whose months are terms, too, and ``counted`` the pairs of instants between which
    months are counted.  ``floors`` has, for each term, its roundings down: size, offset and result.
    """

    fixed_clock: bool = False
    count: int = 0
    known: dict[Hashable, Term] = field(default_factory=dict[Hashable, Term])
    constraints: list[Constraint] = field(default_factory=list[Constraint])
    points: list[CalendarPoint] = field(default_factory=list[CalendarPoint])
    counted: list[MonthCount] = field(default_factory=list[MonthCount])
    floors: dict[Term, list[tuple[Fraction, Fraction, Term]]] = field(
        default_factory=dict[Term, list[tuple[Fraction, Fraction, Term]]]
    )

    def fresh(self, grain: Fraction | int = 1) -> Term:
        """A new variable times ``grain``: any multiple of ``grain``."""
        self.count += 1
        return Term(parts=((self.count - 1, Fraction(grain)),))

    def named(self, key: Hashable, grain: Fraction | int = 1) -> Term:
        """The variable called ``key``, times ``grain``; the first call creates it."""
        return self._get_or_make(key, lambda: self.fresh(grain))

    def _get_or_make(self, key: Hashable, make: Callable[[], Term]) -> Term:
        """The term that ``known`` has for ``key``; the first call makes it."""
        if key not in self.known:
            self.known[key] = make()
        return self.known[key]

    # --- rounding -----------------------------------------------------------------------------

    def rounded(
        self, term: Term, size: Fraction | int, way: Rounding, offset: Fraction | int = 0
    ) -> Term:
        """``term`` rounded to ``offset`` plus a multiple of ``size``, which is positive.

        Defines: S-510.c
        """
        shifted = term.add(-offset)
        if not shifted.parts:
            return number(_rounded(shifted.constant / size, way) * size + offset)
        if not shifted.grain % size:
            return term  # every value is such a multiple already
        # The rounding is normalized, so that equivalent roundings share one variable: x / 10
        # rounded to 1, x rounded to 10, and -x rounded to 10 (the mirrored way).
        scale = common_grain(*(factor for _, factor in term.parts))
        if term.parts[0][1] < 0:
            scale, way = -scale, _MIRRORED[way]
        term, size, offset = term.times(1 / scale), Fraction(size) / abs(scale), offset / scale
        offset %= size
        known = self._get_or_make(
            (way, size, offset, term), lambda: self._rounding(term, size, way, offset)
        )
        return known.times(scale)

    def _rounding(self, term: Term, size: Fraction, way: Rounding, offset: Fraction) -> Term:
        """A new variable for the result of the rounding: a multiple of ``size`` plus ``offset``.

        The added constraints limit the rest that the rounding cuts off, ``term`` minus the result.
        """
        count = self.fresh()
        result = count.times(size).add(offset)
        rest = term.minus(result)
        # Every rest is a multiple of `grain`, so the greatest one below `size` is `most`.
        grain = common_grain(term.add(-offset).grain, size)
        most = size - grain
        one = number(1)
        match way:
            case Rounding.DOWN:
                self.constraints.append(within(rest, Fraction(0), most))
                self._link_floors(term, size, offset, result)
            case Rounding.UP:
                self.constraints.append(within(rest, -most, Fraction(0)))
            case Rounding.ZERO:
                positive = all_of((at_most(Term(), count), within(rest, Fraction(0), most)))
                negative = all_of((at_most(count, Term()), within(rest, -most, Fraction(0))))
                self.constraints += [within(rest, -most, most), any_of((positive, negative))]
            case Rounding.NEAREST:
                # A number in the middle is rounded away from zero.  So a number is at most `up`
                # nearer to zero than its result, and at most `down` further away.  With whole
                # numbers and size 10, `up` is 5 and `down` is 4: 5 to 14 become 10, with a rest of
                # -5 to 4; -4 to 4 become 0; -14 to -5 become -10, with a rest of -4 to 5.
                up = floor(size / 2 / grain) * grain
                down = (ceil(size / 2 / grain) - 1) * grain
                self.constraints.append(within(rest, -up, up))
                if up != down:
                    positive = all_of((at_most(one, count), within(rest, -up, down)))
                    negative = all_of((at_most(count, one.times(-1)), within(rest, -down, up)))
                    zero = all_of((equal(count, Term()), within(rest, -down, down)))
                    self.constraints.append(any_of((positive, zero, negative)))
        return result

    def _link_floors(self, term: Term, size: Fraction, offset: Fraction, result: Term) -> None:
        """Relate ``result`` to earlier roundings of ``term``, and remember it.

        Two roundings down are related if the greater size is a multiple of the smaller one, such as
        a day and an hour: the start of the hour is then in the day that starts at the other result.
        """
        others = self.floors.setdefault(term, [])
        for other_size, other_offset, other in others:
            fine, coarse = (result, other) if size < other_size else (other, result)
            small, great = min(size, other_size), max(size, other_size)
            if great % small == 0 and (offset - other_offset) % small == 0:
                self.constraints.append(within(fine.minus(coarse), Fraction(0), great - small))
        others.append((size, offset, result))

    # --- cases --------------------------------------------------------------------------------

    def one_of(self, choices: Sequence[tuple[Constraint, Term]]) -> Term:
        """A new variable equal to the term of one of ``choices``, whose constraint then holds."""
        grain = common_grain(*(each.grain for _, each in choices)) or Fraction(1)
        result = self.fresh(grain)
        self.constraints.append(
            any_of(all_of((constraint, equal(result, each))) for constraint, each in choices)
        )
        return result

    def magnitude(self, term: Term) -> Term:
        """The absolute value of ``term``."""
        result = self.one_of(
            [(at_most(Term(), term), term), (at_most(term, Term()), term.times(-1))]
        )
        self.constraints += [at_most(term, result), at_most(term.times(-1), result)]
        return result

    def sign(self, term: Term) -> Term:
        """-1, 0 or 1: SIGN of ``term``."""
        result = self.one_of(
            [
                (below(Term(), term), number(1)),
                (equal(term, Term()), Term()),
                (below(term, Term()), number(-1)),
            ]
        )
        self.constraints.append(within(result, Fraction(-1), Fraction(1)))
        return result

    def extreme(self, terms: list[Term], greatest: bool) -> Term:
        """The greatest of ``terms`` if ``greatest``, else the least."""
        result = self.one_of([(ALWAYS, each) for each in terms])
        pairs = ((each, result) if greatest else (result, each) for each in terms)
        self.constraints += [at_most(a, b) for a, b in pairs]
        return result

    # --- the calendar -------------------------------------------------------------------------

    def month_of(self, day: Term) -> Term:
        """The month in which ``day`` lies; months count from 1970-01, days from 1970-01-01."""
        if day.value is not None:
            return number(month_of(int(day.value)))
        return self._get_or_make(
            ("month", day), lambda: self._point(day, self.fresh(), start=False).month
        )

    def start_of_month(self, month: Term) -> Term:
        """The first day of ``month``."""
        if month.value is not None:
            return number(start_of_month(int(month.value)))

        def start() -> Term:
            day = self.fresh()
            self.known["month", day] = month  # the result of `month_of` for the new day
            return self._point(day, month, start=True).day

        return self._get_or_make(("start", month), start)

    def add_months(self, day: Term, months: Term) -> Term:
        """The same day ``months`` later, clamped to the last day of a shorter month (S-207)."""
        if day.value is not None and months.value is not None:
            return number(add_months(int(day.value), int(months.value)))
        month = self.month_of(day)
        target = month.plus(months)
        if self.known.get(("start", month)) == day:
            return self.start_of_month(target)  # the first of a month is moved to the first

        def moved() -> Term:
            result = self.fresh()
            self.known["month", result] = target
            self._point(result, target, start=False)
            days_before = day.minus(self.start_of_month(month))
            days_after = result.minus(self.start_of_month(target))
            clamped = days_before.minus(days_after)  # the days lost in a shorter month
            self.constraints.append(within(clamped, Fraction(0), Fraction(CLAMPED)))
            if months.value is not None:
                least, greatest = days_added(int(months.value))
                self.constraints.append(
                    within(result.minus(day), Fraction(least), Fraction(greatest))
                )
            return result

        return self._get_or_make(("add months", day, months), moved)

    def months_between(self, later: Term, earlier: Term, days: tuple[Term, Term]) -> Term:
        """The whole months from the instant ``earlier`` to the instant ``later``, toward zero.

        ``days`` are the days in which ``later`` and ``earlier`` lie.
        """

        def counted() -> Term:
            known = _months_between(later, earlier)
            if known is not None:
                return number(known)
            months = self.fresh()
            # The difference of the calendar months also counts a last month that is incomplete.
            calendar_months = self.month_of(days[0]).minus(self.month_of(days[1]))
            incomplete = calendar_months.minus(months)
            one = Fraction(1)
            onward = (at_most(earlier, later), at_most(Term(), months))
            back = (at_most(later, earlier), at_most(months, Term()))
            self.constraints += [
                within(incomplete, -one, one),
                any_of(
                    (
                        all_of((*onward, within(incomplete, Fraction(0), one))),
                        all_of((*back, within(incomplete, -one, Fraction(0)))),
                    )
                ),
            ]
            self.counted.append(MonthCount(later, earlier, months))
            return months

        return self._get_or_make(("months between", later, earlier), counted)

    def _point(self, day: Term, month: Term, start: bool) -> CalendarPoint:
        """A new calendar point; its constraints are added to the system.

        Its day differs by a few days from its month times the mean length of a month.  If the point
        is a known number of months after another point, their distance in days is limited, too.
        """
        point = CalendarPoint(day, month, start)
        least, greatest = around_mean(start)
        self.constraints.append(within(day.minus(month.times(MEAN)), least, greatest))
        for other in self.points:
            months = month.minus(other.month).value
            if months is not None:
                low, high = days_between(other.month_days, point.month_days, int(months))
                self.constraints.append(within(day.minus(other.day), Fraction(low), Fraction(high)))
        self.points.append(point)
        return point


def _months_between(later: Term, earlier: Term) -> int | None:
    """The whole months between two instants, toward zero; None unless both are constant."""
    a, b = later.value, earlier.value
    if a is None or b is None:
        return None
    if a < b:
        return -(_months_between(earlier, later) or 0)
    last_day, first_day = int(a // MILLIS_PER_DAY), int(b // MILLIS_PER_DAY)
    months = month_of(last_day) - month_of(first_day)
    reached = add_months(first_day, months) * MILLIS_PER_DAY + b % MILLIS_PER_DAY
    return months if reached <= a else months - 1  # the last month is not complete


def _rounded(number: Fraction, way: Rounding) -> int:
    """The whole number to which ``number`` is rounded."""
    match way:
        case Rounding.DOWN:
            return floor(number)
        case Rounding.UP:
            return ceil(number)
        case Rounding.ZERO:
            return trunc(number)
        case Rounding.NEAREST:
            half = Fraction(1, 2)
            return floor(number + half) if number >= 0 else ceil(number - half)
