"""A small set of cases that reaches some goals: a greedy set cover."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Goal:
    """That ``count`` of the ``cases`` are in the set; all of them, where they are fewer.

    ``cases`` are ids.  ``name`` is the reason that is listed under a case chosen for this goal.
    """

    name: str
    cases: frozenset[str]
    count: int = 1


def cover(goals: Sequence[Goal]) -> Mapping[str, Sequence[str]]:
    """A small set of cases that reaches all goals: ids in their order, each with goals' names.

    The case that brings the most goals nearer is chosen next, of several the first by its id; a
    case that the later ones have made needless is then left out.  The names of a case are those of
    the goals that it brings nearer than the cases chosen before it.  The order of ``goals`` has no
    influence on the ids.
    """
    chosen = _needed(_greedy(goals), goals)
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


def _greedy(goals: Sequence[Goal]) -> Sequence[str]:
    """The ids in the order in which they are chosen."""
    missing = [_count(each) for each in goals]
    places: dict[str, list[int]] = {}
    for place, each in enumerate(goals):
        for case in each.cases:
            places.setdefault(case, []).append(place)
    gains = Counter({case: len(own) for case, own in places.items()})
    chosen: list[str] = []
    while any(missing):
        case = min(gains, key=lambda each: (-gains[each], each))
        del gains[case]
        chosen.append(case)
        for place in places[case]:
            if missing[place]:
                missing[place] -= 1
                if not missing[place]:  # no other case brings this goal nearer
                    gains.subtract(other for other in goals[place].cases if other in gains)
    return chosen


def _needed(chosen: Iterable[str], goals: Sequence[Goal]) -> Sequence[str]:
    """The cases without those that all goals are reached without, in the order of the choice."""
    found = dict.fromkeys(chosen)
    for case in [*found]:
        own = [each for each in goals if case in each.cases]
        if all(len(each.cases & (found.keys() - {case})) >= _count(each) for each in own):
            del found[case]
    return [*found]


def _count(goal: Goal) -> int:
    """How many cases the goal asks for that there are."""
    return min(goal.count, len(goal.cases))
