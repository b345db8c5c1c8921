"""Pairs between two sides: as many as there can be, whatever was paired first."""

from collections import deque
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Pairing:
    """Places of a left side and of a right side, paired one to one.

    ``edges`` are the places of the right side that each of the left may be paired with.  Whoever is
    added is paired if those that were added before can keep a partner, though perhaps another
    (augmenting paths); one that has a partner, but was never added, may lose it.  So if some
    pairing serves all that are added on the left, and some all on the right, one is found that
    serves both (Mendelsohn and Dulmage).
    """

    edges: Sequence[Sequence[int]]
    right_of: dict[int, int] = field(default_factory=dict[int, int])
    left_of: dict[int, int] = field(default_factory=dict[int, int])
    _added: tuple[set[int], set[int]] = field(default_factory=lambda: (set(), set()))

    def add_left(self, places: Iterable[int]) -> None:
        """Give each of these a partner, if those who were added can move together."""
        for place in places:
            self._added[0].add(place)
            if place not in self.right_of:
                _augment(place, self.edges, self.right_of, self.left_of, self._added[0])

    def add_right(self, places: Iterable[int]) -> None:
        """The same for places of the right side."""
        wanted = list(places)
        lefts: dict[int, list[int]] = {place: [] for place in wanted}
        for left, rights in enumerate(self.edges):
            for right in rights:
                lefts.setdefault(right, []).append(left)
        for place in wanted:
            self._added[1].add(place)
            if place not in self.left_of:
                _augment(place, lefts, self.left_of, self.right_of, self._added[1])

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The pairs in the order of the left side."""
        return tuple(sorted(self.right_of.items()))


def _augment(
    start: int,
    edges: Sequence[Sequence[int]] | Mapping[int, Sequence[int]],
    partner: dict[int, int],
    back: dict[int, int],
    added: Container[int],
) -> None:
    """A partner for ``start`` along the shortest path on which each moves to a new one.

    The path ends at one that is free; else at one whose partner was never added, and loses it.
    """
    came_from: dict[int, int] = {}
    waiting = deque([start])
    lent: int | None = None
    while waiting:
        place = waiting.popleft()
        for other in edges[place]:
            if other in came_from:
                continue
            came_from[other] = place
            if other not in back:
                _take(other, came_from, partner, back)
                return
            if lent is None and back[other] not in added:
                lent = other
            waiting.append(back[other])
    if lent is not None:
        del partner[back[lent]]
        _take(lent, came_from, partner, back)


def _take(
    end: int, came_from: Mapping[int, int], partner: dict[int, int], back: dict[int, int]
) -> None:
    """Walks the path back from its end: each takes what it reached, and leaves what it had."""
    left: int | None = end
    while left is not None:
        mover = came_from[left]
        back[left] = mover
        partner[mover], left = left, partner.get(mover)
