"""The gaps that are best filled next: those that unlock the most cases."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tck.report.lacks import Lack


@dataclass(frozen=True, slots=True)
class NextGap:
    """A gap, and the cases that can be run once it and the gaps before it in the order are filled.

    ``chapters`` are the numbers of these cases by chapter, the greatest first.
    """

    gap: str
    chapters: Mapping[str, int]

    @property
    def cases(self) -> int:
        """The number of cases that it unlocks."""
        return sum(self.chapters.values())


def next_gaps(lacks: Iterable[Lack], most: int = 5) -> tuple[NextGap, ...]:
    """The order in which to fill up to ``most`` gaps.  The first is the best one alone.

    Each gap is the one that unlocks the most cases after those before it; of equal ones, and where
    none unlocks a case by itself, the gap that stands in the way of the most cases that lack the
    fewest gaps.
    """
    left = [lack for lack in lacks if lack.gaps]
    found: list[NextGap] = []
    while left and len(found) < most:
        alone = Counter(gap for lack in left if len(lack.gaps) == 1 for gap in lack.gaps)
        fewest = min(len(lack.gaps) for lack in left)
        near = Counter(gap for lack in left if len(lack.gaps) == fewest for gap in lack.gaps)
        anywhere = Counter(gap for lack in left for gap in lack.gaps)
        best = min(anywhere, key=lambda gap: (-alone[gap], -near[gap], -anywhere[gap], gap))
        unlocked = Counter(lack.chapter for lack in left if not lack.gaps - {best})
        found.append(NextGap(best, dict(unlocked.most_common())))
        left = [Lack(lack.chapter, lack.gaps - {best}) for lack in left if lack.gaps - {best}]
    return tuple(found)
