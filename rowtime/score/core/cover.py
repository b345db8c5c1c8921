"""A cheap set of cases that reaches some goals: a greedy set cover."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

#: The cost of a case of which none is given.
_COST: Final = 1


@dataclass(frozen=True, slots=True)
class Goal:
    """That ``count`` of the ``cases`` are in the set; all of them, where they are fewer.

    ``cases`` are ids.  ``name`` is the reason that is listed under a case chosen for this goal.
    """

    name: str
    cases: frozenset[str]
    count: int = 1


def cover(
    goals: Sequence[Goal], costs: Mapping[str, int] = MappingProxyType({})
) -> Mapping[str, Sequence[str]]:
    """A cheap set of cases that reaches all goals: ids in their order, each with goals' names.

    ``costs`` are positive numbers by the ids of cases; the cost of any other case is 1.  The case
    that brings the most goals nearer for its cost is chosen next; if several do, the first of them
    by id.  Then each case that no goal needs is left out, the dearest first.  The names of a case
    are those of the goals that it brings nearer than the cases chosen before it.  The order of
    ``goals`` has no influence on the ids.
    """
    chosen = _needed(_greedy(goals, costs), goals, costs)
    missing = [_count(each) for each in goals]
    reasons: dict[str, list[str]] = {}
    for case in chosen:
        nearer = [
            place for place, each in enumerate(goals) if missing[place] and case in each.cases
        ]
        reasons[case] = [goals[place].name for place in nearer]
        for place in nearer:
            missing[place] -= 1
    return dict(sorted(reasons.items()))


def _greedy(goals: Sequence[Goal], costs: Mapping[str, int]) -> Sequence[str]:
    """The ids in the order in which they are chosen."""
    missing = [_count(each) for each in goals]
    places: dict[str, list[int]] = {}
    for place, each in enumerate(goals):
        for case in each.cases:
            places.setdefault(case, []).append(place)
    gains = Counter({case: len(own) for case, own in places.items()})
    chosen: list[str] = []
    while any(missing):
        case = min(gains, key=lambda each: (-gains[each] / costs.get(each, _COST), each))
        del gains[case]
        chosen.append(case)
        for place in places[case]:
            if missing[place]:
                missing[place] -= 1
                if not missing[place]:  # no other case brings this goal nearer
                    gains.subtract(other for other in goals[place].cases if other in gains)
    return chosen


def _needed(
    chosen: Iterable[str], goals: Sequence[Goal], costs: Mapping[str, int]
) -> Sequence[str]:
    """The cases without those that all goals are reached without, in the order of the choice."""
    found = dict.fromkeys(chosen)
    for case in sorted(found, key=lambda each: -costs.get(each, _COST)):
        own = [each for each in goals if case in each.cases]
        if all(len(each.cases & (found.keys() - {case})) >= _count(each) for each in own):
            del found[case]
    return [*found]


def _count(goal: Goal) -> int:
    """How many cases the goal asks for that there are."""
    return min(goal.count, len(goal.cases))
