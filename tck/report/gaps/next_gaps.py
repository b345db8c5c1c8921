"""Order the gaps of a backend: the gaps that unlock the most cases should be filled first.

A gap *unlocks* a case if the case can be run once this gap, and the gaps before it, are filled.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tck.report.gaps.lacks import Lack


@dataclass(frozen=True, slots=True)
class NextGap:
    """A gap, and the numbers of the cases that it unlocks, by chapter, the greatest first."""

    gap: str
    chapters: Mapping[str, int]

    @property
    def cases(self) -> int:
        """The number of cases that it unlocks."""
        return sum(self.chapters.values())


def next_gaps(lacks: Iterable[Lack], most: int = 5) -> tuple[NextGap, ...]:
    """At most ``most`` gaps, in the order in which they should be filled.

    The next gap is the gap that unlocks the most cases.  Of several such gaps, it is the gap that
    occurs most often in the cases with the fewest gaps; then the gap that occurs in the most cases;
    then the first by name.
    """
    rest = [lack for lack in lacks if lack.gaps]  # the cases that are still locked
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
