"""A cheap set of cases that reaches some goals: a greedy set cover."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

#: The cost of a case for which none is given.
_COST: Final = 1


@dataclass(frozen=True, slots=True)
class Goal:
    """The requirement that ``count`` of the ``cases`` are in the set, or all if they are fewer.

    ``cases`` are ids.  ``name`` is the reason that is listed under a case chosen for this goal.
    """

    name: str
    cases: frozenset[str]
    count: int = 1


def cover(
    goals: Sequence[Goal], costs: Mapping[str, int] = MappingProxyType({})
) -> Mapping[str, Sequence[str]]:
    """A cheap set of cases that reaches all goals: ids in their order, each with goals' names.

    ``costs`` are positive numbers by the ids of cases; the cost of any other case is 1.  In each
    round the case that advances the most goals per cost is chosen; if several do, the first of them
    by id.  Then each case that no goal needs is left out, the most costly first. The names of a
    case are those of the goals that it advances beyond the cases chosen before it.  The order of
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
                if not missing[place]:  # no other case advances this goal
                    gains.subtract(other for other in goals[place].cases if other in gains)
    return chosen


def _needed(
    chosen: Iterable[str], goals: Sequence[Goal], costs: Mapping[str, int]
) -> Sequence[str]:
    """The cases without those that no goal needs, in the order of the choice."""
    found = dict.fromkeys(chosen)
    for case in sorted(found, key=lambda each: -costs.get(each, _COST)):
        own = [each for each in goals if case in each.cases]
        if all(len(each.cases & (found.keys() - {case})) >= _count(each) for each in own):
            del found[case]
    return [*found]


def _count(goal: Goal) -> int:
    """The number of cases that the goal needs, at most all of its cases."""
    return min(goal.count, len(goal.cases))
