"""The gaps that are best filled next: those that unlock the most cases."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tck.report.gaps.lacks import Lack


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

    The next gap is the one that unlocks the most cases, if all gaps before it are filled.  If
    several gaps unlock as many, or none unlocks a case by itself, only the cases that need the
    fewest gaps are looked at: the next gap is the one that the most of these cases need.
    """
    rest = [lack for lack in lacks if lack.gaps]
    found: list[NextGap] = []
    while rest and len(found) < most:
        unlocking = Counter(gap for lack in rest if len(lack.gaps) == 1 for gap in lack.gaps)
        fewest = min(len(lack.gaps) for lack in rest)
        nearest = Counter(gap for lack in rest if len(lack.gaps) == fewest for gap in lack.gaps)
        all_cases = Counter(gap for lack in rest for gap in lack.gaps)
        best = min(
            all_cases, key=lambda gap: (-unlocking[gap], -nearest[gap], -all_cases[gap], gap)
        )
        unlocked = Counter(lack.chapter for lack in rest if not lack.gaps - {best})
        found.append(NextGap(best, dict(unlocked.most_common())))
        rest = [Lack(lack.chapter, lack.gaps - {best}) for lack in rest if lack.gaps - {best}]
    return tuple(found)
