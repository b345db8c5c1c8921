"""Chooses a cheap set of cases that reaches some goals, by a greedy algorithm for set cover.

A *goal* requires that a number of cases out of a given set are chosen.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

#: The cost of a case for which no cost is given.
_COST: Final = 1


@dataclass(frozen=True, slots=True)
class Goal:
    """The requirement that ``count`` of the ``cases`` are chosen, or all of them if they are fewer.

    ``cases`` are ids.  ``name`` is listed as the reason under a case that is chosen for this goal.
    """

    name: str
    cases: frozenset[str]
    count: int = 1


def cover(
    goals: Sequence[Goal], costs: Mapping[str, int] = MappingProxyType({})
) -> Mapping[str, Sequence[str]]:
    """A cheap set of cases that reaches all goals: their ids, sorted, each with names of goals.

    ``costs`` are positive numbers by the ids of cases; the cost of any other case is 1.  In each
    round the algorithm chooses the case that advances the most goals per cost; among equals, the
    first by id.  Then it removes each case that no goal needs, beginning with the most costly.  The
    names of a case are those of the goals that contain it, and that the cases chosen before it have
    not reached.  The order of ``goals`` has no influence on the ids.
    """
    chosen = _needed(_greedy(goals, costs), goals, costs)
    missing = [_count(each) for each in goals]  # by the place of the goal
    reasons: dict[str, list[str]] = {}
    for case in chosen:
        advanced = [
            place for place, each in enumerate(goals) if missing[place] and case in each.cases
        ]
        reasons[case] = [goals[place].name for place in advanced]
        for place in advanced:
            missing[place] -= 1
    return dict(sorted(reasons.items()))


def _greedy(goals: Sequence[Goal], costs: Mapping[str, int]) -> Sequence[str]:
    """The ids of cases that reach all goals, in the order in which they are chosen."""
    missing = [_count(each) for each in goals]  # by the place of the goal
    places: dict[str, list[int]] = {}  # by case, the places of its goals
    for place, each in enumerate(goals):
        for case in each.cases:
            places.setdefault(case, []).append(place)
    # By case, the number of its goals that are not reached yet.
    gains = Counter({case: len(own) for case, own in places.items()})
    chosen: list[str] = []
    while any(missing):
        case = min(gains, key=lambda each: (-gains[each] / costs.get(each, _COST), each))
        del gains[case]
        chosen.append(case)
        for place in places[case]:
            if missing[place]:
                missing[place] -= 1
                if not missing[place]:  # the goal is reached: no other case can advance it
                    gains.subtract(other for other in goals[place].cases if other in gains)
    return chosen


def _needed(
    chosen: Iterable[str], goals: Sequence[Goal], costs: Mapping[str, int]
) -> Sequence[str]:
    """The cases in ``chosen`` that some goal needs, in the order of ``chosen``."""
    found = dict.fromkeys(chosen)
    for case in sorted(found, key=lambda each: -costs.get(each, _COST)):
        own = [each for each in goals if case in each.cases]
        if all(len(each.cases & (found.keys() - {case})) >= _count(each) for each in own):
            del found[case]
    return [*found]


def _count(goal: Goal) -> int:
    """The number of cases that the goal needs, at most all of its cases."""
    return min(goal.count, len(goal.cases))
