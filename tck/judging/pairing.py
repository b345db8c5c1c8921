"""Bipartite matching with priorities: a place once paired stays paired, if perhaps with another."""

from collections import deque
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Pairing:
    """A matching between the places of a left and a right side, which grows by augmenting paths.

    ``edges`` lists for each left place the right places it may be paired with.  ``right_of`` and
    ``left_of`` map each paired place to its partner.  A place that is added is paired if every
    place added before can keep a partner, perhaps a different one; a place that was paired but
    never added may lose its partner.  Hence, if one matching covers all added left places, and
    another all added right places, the result covers both (Mendelsohn and Dulmage).
    """

    edges: Sequence[Sequence[int]]
    right_of: dict[int, int] = field(default_factory=dict[int, int])
    left_of: dict[int, int] = field(default_factory=dict[int, int])
    _added: tuple[set[int], set[int]] = field(default_factory=lambda: (set(), set()))

    def add_left(self, places: Iterable[int]) -> None:
        """Give each of these left places a partner, where the places added before allow it."""
        for place in places:
            self._added[0].add(place)
            if place not in self.right_of:
                _augment(place, self.edges, self.right_of, self.left_of, self._added[0])

    def add_right(self, places: Iterable[int]) -> None:
        """Give each of these right places a partner, where the places added before allow it."""
        added = list(places)
        left_range: dict[int, list[int]] = {place: [] for place in added}
        for left, right_range in enumerate(self.edges):
            for right in right_range:
                left_range.setdefault(right, []).append(left)
        for place in added:
            self._added[1].add(place)
            if place not in self.left_of:
                _augment(place, left_range, self.left_of, self.right_of, self._added[1])

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The pairs (left, right), in the order of the left side."""
        return tuple(sorted(self.right_of.items()))


def _augment(
    start: int,
    edges: Sequence[Sequence[int]] | Mapping[int, Sequence[int]],
    partner: dict[int, int],
    back: dict[int, int],
    added: Container[int],
) -> None:
    """Pair ``start`` along a shortest augmenting path, if there is one.

    The path ends at an unpaired place; else at one whose partner is not in ``added``, and loses it.
    ``partner`` maps the side of ``start`` to the other side, ``back`` the other way round.
    """
    came_from: dict[int, int] = {}
    queue = deque([start])
    lent: int | None = None
    while queue:
        place = queue.popleft()
        for other in edges[place]:
            if other in came_from:
                continue
            came_from[other] = place
            if other not in back:
                _take(other, came_from, partner, back)
                return
            if lent is None and back[other] not in added:
                lent = other
            queue.append(back[other])
    if lent is not None:
        del partner[back[lent]]
        _take(lent, came_from, partner, back)


def _take(
    end: int, came_from: Mapping[int, int], partner: dict[int, int], back: dict[int, int]
) -> None:
    """Apply a path from its end back to its start: each place takes the partner it reached."""
    left: int | None = end
    while left is not None:
        mover = came_from[left]
        back[left] = mover
        partner[mover], left = left, partner.get(mover)
