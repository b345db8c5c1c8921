"""The least and greatest values that terms can have under the constraints on their variables.

`goal_ranges` finds them in four steps:

1. Constraints that share no variables with the terms are left out (`_relevant`).
2. The disjunctions are split into cases, each of which is a conjunction of linear inequalities
   (`_cases`).
3. In each case, limits of days imply limits of months, and the reverse (`_agrees_with_calendar`).
4. The greatest value of a term in a case is found by the simplex method (`_most`).
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

#: The most cases that are distinguished.  Further disjunctions are not split but dropped: a range
#: can then be too wide, but never too narrow.
MAX_CASES: Final = 96
#: The most pairs of days for which limits of days imply limits of months and the reverse.  For
#: further pairs the system has only its own constraints, by which a month has its mean length, plus
#: or minus a few days: a range can then be too wide, but never too narrow.
MAX_PAIRS: Final = 72


def goal_ranges(
    system: ConstraintSystem, constraints: Iterable[Constraint], goals: Sequence[Term]
) -> list[Range] | None:
    """The closed range of each goal over the solutions of ``constraints`` and of ``system``.

    None: there is no solution.  The number of cases is limited, so a range may be too wide, but it
    is never too narrow.  Its ends are multiples of the goal's grain.
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
    """The members of all conjunctions in ``constraints``, and all other constraints."""
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
        added = [(each, own) for each, own in rest if not own or own & connected]
        if not added:
            return relevant
        rest = [(each, own) for each, own in rest if own and not own & connected]
        relevant += [each for each, _ in added]
        connected.update(*(own for _, own in added))


def _variables(constraint: Constraint) -> Iterator[int]:
    """The variables in ``constraint``, each as often as it occurs."""
    match constraint:
        case NotPositive(term):
            yield from (variable for variable, _ in term.parts)
        case AllOf(constraints) | AnyOf(constraints):
            for each in constraints:
                yield from _variables(each)


def _mentions(term: Term, variables: set[int]) -> bool:
    """Whether ``term`` has a variable that is among ``variables``."""
    return any(variable in variables for variable, _ in term.parts)


# --- cases ------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Case:
    """The solutions of some inequalities, and the disjunctions that are not yet split."""

    tableau: Tableau
    unsplit: list[AnyOf]

    def add(self, constraints: Iterable[NotPositive | AnyOf]) -> None:
        """Add inequalities to the tableau, and disjunctions to those that are not yet split."""
        for each in constraints:
            match each:
                case NotPositive(term):
                    self.tableau.add(*tightened(term))
                case AnyOf():
                    self.unsplit.append(each)


def _cases(constraints: list[NotPositive | AnyOf]) -> Iterator[Tableau]:
    """At most `MAX_CASES` sets of points that together contain all solutions of ``constraints``.

    A disjunction whose split would exceed that number is dropped, and so are those after it in the
    case: the set is then larger.
    """
    first = _Case(Tableau(), [])
    first.add(constraints)
    pending = [] if first.tableau.is_empty() else [first]
    count = 1  # the number of sets that have been yielded, and of pending cases
    while pending:
        case = pending.pop()
        if not case.unsplit or count + len(case.unsplit[0].constraints) > MAX_CASES:
            yield case.tableau
            continue
        choice, *others = case.unsplit
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
    """Whether ``case`` still has a solution after the limits that the calendar implies are added.

    Limits of days imply limits of months and the reverse, until nothing changes.  Each pair of
    points, and each count of months, takes an item of ``budget``, which all cases share.  When it
    is exhausted, further pairs add no limits.
    """
    # Two points are a pair if both or neither are the first of their month.  The origin makes a
    # pair with each point.  Points that are a known number of months apart make no pair, because
    # `ConstraintSystem._point` has added their constraints.
    origin = CalendarPoint(number(0), number(0), start=True)
    pairs = [
        (a, b)
        for a, b in permutations((*points, origin), 2)
        if a.start is b.start or origin in (a, b)
        if a.month.minus(b.month).value is None
    ]
    limits: dict[Term, int] = {}
    before: dict[Term, int] | None = None
    while limits != before and not case.is_empty():
        before = dict(limits)
        for (a, b), _ in zip(pairs, budget, strict=False):
            _propagate_pair(case, a, b, limits)
        for each, _ in zip(counted, budget, strict=False):
            _propagate_count(case, each, limits)
    return not case.is_empty()


def _propagate_pair(
    case: Tableau, a: CalendarPoint, b: CalendarPoint, limits: dict[Term, int]
) -> None:
    """Limit ``b - a`` in months by its upper limit in days, and the reverse.

    The lower limits of ``b - a`` are the upper limits of ``a - b``, which is a pair of its own.
    """
    if case.is_empty():
        return
    days, months = b.day.minus(a.day), b.month.minus(a.month)
    most_days, most_months = _greatest(case, days), _greatest(case, months)
    if most_days is None:
        return
    assert most_months is not None, "a day is near its month times the mean length"
    month_limit = max_months(a.month_days, b.month_days, most_days)
    if month_limit <= most_months:
        _add_limit(case, months, month_limit, limits)
    day_limit = days_between(a.month_days, b.month_days, min(most_months, month_limit))[1]
    if day_limit <= most_days:
        _add_limit(case, days, day_limit, limits)


def _propagate_count(case: Tableau, each: MonthCount, limits: dict[Term, int]) -> None:
    """Limit the time between two instants by the number of months between them.

    The second of the two ``directions`` has the negated time and number: its upper limits are the
    lower limits of the first.
    """
    directions = (
        (each.later.minus(each.earlier), each.months),
        (each.earlier.minus(each.later), each.months.times(-1)),
    )
    for millis, months in directions:
        if case.is_empty():
            return
        most = _greatest(case, months)
        if most is None:
            continue
        # With n whole months (n >= 0), the time is less than n + 1 months.  With -n, the time is
        # negative, and at least as far from 0 as n months.
        if most >= 0:
            limit = days_added(most + 1)[1] * MILLIS_PER_DAY - 1
        else:
            limit = -days_added(-most)[0] * MILLIS_PER_DAY
        _add_limit(case, millis, limit, limits)


def _add_limit(case: Tableau, term: Term, most: int, limits: dict[Term, int]) -> None:
    """Add ``term <= most`` to ``case``, unless ``limits`` has a limit at least as tight."""
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
    # The tableau has whole factors: those of the objective times `divisor`.
    divisor = lcm(*(factor.denominator for _, factor in objective.parts))
    found = case.greatest({variable: int(factor * divisor) for variable, factor in objective.parts})
    return None if found is None else floor((found / divisor + objective.constant) / grain) * grain


def _greatest(case: Tableau, term: Term) -> int | None:
    """The greatest value of a whole-numbered ``term``; None: unbounded."""
    found = _most(case, term)
    return None if found is None else int(found)
