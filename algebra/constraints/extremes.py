"""The least and greatest values that terms can have under the constraints on their variables.

1. Constraints that do not concern the terms are left out.
2. The disjunctions are split into cases, each of which is a conjunction of linear inequalities.
3. In each case, bounds on days imply bounds on months, and the reverse.
4. The greatest value of a term in a case is found by the simplex method.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from math import floor, lcm
from typing import Final

from algebra.constraints.constraint_system import CalendarPoint, ConstraintSystem, MonthCount
from algebra.constraints.linear_terms import (
    AllOf,
    AnyOf,
    Constraint,
    NotPositive,
    Term,
    number,
    tightened,
)
from algebra.constraints.months import days_added, days_between, max_months
from algebra.constraints.number_range import Range, hull
from algebra.constraints.simplex import Tableau
from algebra.types import MILLIS_PER_DAY

#: The most cases that are distinguished; further alternatives are ignored, which is never wrong.
MAX_CASES: Final = 96
#: The most pairs of days for which bounds on days imply bounds on months and the reverse.  For
#: further pairs a month counts as its mean length, plus or minus two days, which is never wrong.
MAX_PAIRS: Final = 72


def goal_ranges(
    system: ConstraintSystem, constraints: Iterable[Constraint], goals: Sequence[Term]
) -> list[Range] | None:
    """The closed range of each goal over the solutions of ``constraints``; None: no solution.

    The number of cases is limited, so a range may be too wide, but it is never too narrow.  Its
    ends are multiples of the goal's grain.
    """
    variables = {variable for goal in goals for variable, _ in goal.parts}
    relevant = _relevant([*_parts(constraints), *_parts(system.constraints)], variables)
    points = [each for each in system.points if _mentions(each.day, variables)]
    counted = [each for each in system.counted if _mentions(each.months, variables)]
    budget = iter(range(MAX_PAIRS))
    cases = [
        case for case in _cases(relevant) if _agrees_with_calendar(case, points, counted, budget)
    ]
    return [hull(_range(case, goal) for case in cases) for goal in goals] if cases else None


def _parts(constraints: Iterable[Constraint]) -> Iterator[NotPositive | AnyOf]:
    """``constraints`` with their conjunctions taken apart."""
    for each in constraints:
        match each:
            case AllOf(inner):
                yield from _parts(inner)
            case NotPositive() | AnyOf():
                yield each


# --- relevant constraints ---------------------------------------------------------------------


def _relevant(
    constraints: list[NotPositive | AnyOf], connected: set[int]
) -> list[NotPositive | AnyOf]:
    """The constraints that share variables with ``connected``, directly or through others.

    Adds the variables of these constraints to ``connected``.  A constraint without variables is
    relevant too: it may be a contradiction.
    """
    relevant: list[NotPositive | AnyOf] = []
    rest = [(each, frozenset(_variables(each))) for each in dict.fromkeys(constraints)]
    while True:
        near = [(each, own) for each, own in rest if not own or own & connected]
        if not near:
            return relevant
        rest = [(each, own) for each, own in rest if own and not own & connected]
        relevant += [each for each, _ in near]
        connected.update(*(own for _, own in near))


def _variables(constraint: Constraint) -> Iterator[int]:
    match constraint:
        case NotPositive(term):
            yield from (variable for variable, _ in term.parts)
        case AllOf(constraints) | AnyOf(constraints):
            for each in constraints:
                yield from _variables(each)


def _mentions(term: Term, variables: set[int]) -> bool:
    return any(variable in variables for variable, _ in term.parts)


# --- alternatives -----------------------------------------------------------------------------


@dataclass(slots=True)
class _Case:
    """The solutions of some inequalities, and the disjunctions that are still to be split."""

    tableau: Tableau
    open: list[AnyOf]

    def add(self, constraints: Iterable[NotPositive | AnyOf]) -> None:
        for each in constraints:
            match each:
                case NotPositive(term):
                    self.tableau.add(*tightened(term))
                case AnyOf():
                    self.open.append(each)


def _cases(constraints: list[NotPositive | AnyOf]) -> Iterator[Tableau]:
    """The solutions of ``constraints`` as sets without disjunctions, at most `MAX_CASES`.

    Disjunctions beyond that number are dropped, which makes the sets larger.
    """
    first = _Case(Tableau(), [])
    first.add(constraints)
    pending = [] if first.tableau.is_empty() else [first]
    count = 1
    while pending:
        case = pending.pop()
        if not case.open or count + len(case.open[0].constraints) > MAX_CASES:
            yield case.tableau
            continue
        choice, *others = case.open
        count -= 1
        for alternative in choice.constraints:
            branch = _Case(case.tableau.copy(), list(others))
            branch.add(_parts((alternative,)))
            if not branch.tableau.is_empty():
                pending.append(branch)
                count += 1


# --- the calendar -----------------------------------------------------------------------------


def _agrees_with_calendar(
    case: Tableau, points: list[CalendarPoint], counted: list[MonthCount], budget: Iterator[int]
) -> bool:
    """Let bounds on days imply bounds on months and the reverse, until nothing changes.

    Returns whether ``case`` has a solution.  Each pair of points, and each count of months, takes
    an item of ``budget``, which all cases share; when it is exhausted, no further pair is looked
    at.
    """
    # Two days are compared if both or neither are the first of their month; each day is compared
    # with the origin.  Two days that are a known number of months apart have been constrained
    # already (`ConstraintSystem._point`).
    origin = CalendarPoint(number(0), number(0), start=True)
    ends = [
        (a, b)
        for a, b in permutations((*points, origin), 2)
        if a.start is b.start or origin in (a, b)
        if a.month.minus(b.month).value is None
    ]
    limits: dict[Term, int] = {}
    before: dict[Term, int] | None = None
    while limits != before and not case.is_empty():
        before = dict(limits)
        for (a, b), _ in zip(ends, budget, strict=False):
            _propagate_pair(case, a, b, limits)
        for each, _ in zip(counted, budget, strict=False):
            _propagate_count(case, each, limits)
    return not case.is_empty()


def _propagate_pair(
    case: Tableau, a: CalendarPoint, b: CalendarPoint, limits: dict[Term, int]
) -> None:
    """Tighten the upper bound of ``b - a`` in months by that in days, and the reverse.

    The lower bounds of ``b - a`` are the upper bounds of ``a - b``, which is a pair of its own.
    """
    if case.is_empty():
        return
    days, months = b.day.minus(a.day), b.month.minus(a.month)
    most_days, most = _greatest(case, days), _greatest(case, months)
    if most_days is None:
        return
    assert most is not None, "a day is near its month times the mean length"
    fewer = max_months(a.month_days, b.month_days, most_days)
    if fewer <= most:
        _add_limit(case, months, fewer, limits)
    limit = days_between(a.month_days, b.month_days, min(most, fewer))[1]
    if limit <= most_days:
        _add_limit(case, days, limit, limits)


def _propagate_count(case: Tableau, each: MonthCount, limits: dict[Term, int]) -> None:
    """Tighten the time between two instants by the months counted between them, and the reverse."""
    sides = (
        (each.later.minus(each.earlier), each.months),
        (each.earlier.minus(each.later), each.months.times(-1)),
    )
    for millis, months in sides:
        if case.is_empty():
            return
        most = _greatest(case, months)
        if most is None:
            continue
        # n whole months (n >= 0) are less time than n + 1 months; -n are no more than -n months.
        if most >= 0:
            limit = days_added(most + 1)[1] * MILLIS_PER_DAY - 1
        else:
            limit = -days_added(-most)[0] * MILLIS_PER_DAY
        _add_limit(case, millis, limit, limits)


def _add_limit(case: Tableau, term: Term, most: int, limits: dict[Term, int]) -> None:
    """Add ``term <= most``, unless as tight a bound has been added before."""
    if term not in limits or most < limits[term]:
        limits[term] = most
        case.add(*tightened(term.add(-most)))


# --- ends -------------------------------------------------------------------------------------


def _range(case: Tableau, term: Term) -> Range:
    """The least and the greatest value of ``term``."""
    low = _most(case, term.times(-1))
    return Range(None if low is None else -low, _most(case, term))


def _most(case: Tableau, objective: Term) -> Fraction | None:
    """The greatest value of ``objective``, a multiple of its grain; None: it is unbounded."""
    grain = objective.grain or Fraction(1)
    divisor = lcm(*(factor.denominator for _, factor in objective.parts))
    found = case.greatest({variable: int(factor * divisor) for variable, factor in objective.parts})
    return None if found is None else floor((found / divisor + objective.constant) / grain) * grain


def _greatest(case: Tableau, term: Term) -> int | None:
    """The greatest value of a whole-numbered ``term``; None: unbounded."""
    found = _most(case, term)
    return None if found is None else int(found)
