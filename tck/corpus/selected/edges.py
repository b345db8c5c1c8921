"""Count the cases at the edges of rules: just before the edge of an inequality, on it, and after.

An engine can be wrong on one side of the edge alone, so cases should try both sides, and the edge
itself.  The id of a case shows its side: ``floor-hour-row-before``, ``…-row-at``,
``…-bound-after``.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from tck.corpus.case import Case

#: The side of an edge on which a case lies.
Side: TypeAlias = Literal["before", "on", "after"]

#: By clause of docs/semantics.md with an inequality: the two values that the inequality compares.
EDGES: Final[Mapping[str, str]] = {
    "S-102.a": "a row and the bound",
    "S-102.b": "a row and a strict bound",
    "S-103.a": "a row and the bound that earlier rows imply",
    "S-103.c": "a bound and the stream's bound",
    "S-103.d": "a row, and the greatest rowtime less the slack",
    "S-103.e": "a row and the rowtime k rows back",
    "S-105.c": "a bound and the last value of the type",
    "S-202.a": "a result and the range of its type",
    "S-203.u": "a fraction, and 0 and 1",
    "S-204.k": "a text and the length of its type",
    "S-204.l": "a length and the greatest length",
    "S-308.j": "a row, and the bound less the interval of the history",
    "S-405.a": "the value of a key and its bound",
    "S-406.c": "a value and the next value of its type",
    "S-502.a": "a row and the bounds of the other inputs",
    "S-504.b": "a row and the ends of a window",
    "S-504.d": "the end of a window and the bound",
    "S-505.g": "a row's peers and the bound",
    "S-505.h": "the end of a frame and the bound",
    "S-505.l": "a retained row and the least start of later frames",
    "S-506.e": "a value and the edge of a frame",
    "S-507.e": "a row's only sort key and the bound",
    "S-507.f": "a row, and the greatest rowtime less WITHIN",
    "S-507.g": "a row's first sort key and the bound",
    "S-507.h": "WITHIN and the declared slack",
    "S-508.c": "an instant and the ends of a period",
    "S-509.b": "a row and the ends of its window",
    "S-510.q": "a distance and the end of a strict comparison",
    "S-511.b": "a left row and the bound of the right side",
    "S-511.c": "a right row and the bound of the left side",
    "S-511.d": "a pair and the output bound",
    "S-601.a": "a row and the stream's bound",
    "S-601.b": "a row and its producer's bound",
    "S-601.e": "a bound and the earlier bounds of its producer",
    "S-603.a": "a row and the bounds of the other producers",
    "S-603.c": "a new producer's row and the stream's bound",
    "S-603.g": "a row and the bound of a producer that has just opened",
    "S-703.a": "the number of grouping sets and the greatest number",
}

#: By side: the words in the id of a case that show this side.
_WORDS: Final[Mapping[Side, frozenset[str]]] = {
    "before": frozenset({"before", "below", "less", "shorter"}),
    "on": frozenset({"at", "tie", "equal", "on", "greatest", "touch"}),
    "after": frozenset({"after", "above", "beyond", "more", "longer"}),
}


@dataclass(frozen=True, slots=True)
class Edge:
    """A clause with an inequality, and the numbers of cases before, on and after its edge.

    ``compares`` is the text in `EDGES`.
    """

    clause: str
    compares: str
    before: int
    on: int
    after: int

    @property
    def is_tried(self) -> bool:
        """Whether cases lie before the edge, on it, and after it."""
        return min(self.before, self.on, self.after) > 0


def sides_of(case: Case) -> frozenset[Side]:
    """The sides on which a case lies, by the words of its id; empty if the id has no such word."""
    words = frozenset(case.id.split("-"))
    return frozenset(side for side, known in _WORDS.items() if words & known)


def edges(cases: Iterable[Case]) -> list[Edge]:
    """The edge of each clause in `EDGES`, with the numbers of the cases that cite the clause."""
    counts: dict[tuple[str, Side], int] = {}
    for case in cases:
        for clause in EDGES.keys() & frozenset(case.cites):
            for side in sides_of(case):
                counts[clause, side] = counts.get((clause, side), 0) + 1
    return [
        Edge(
            clause,
            compares,
            counts.get((clause, "before"), 0),
            counts.get((clause, "on"), 0),
            counts.get((clause, "after"), 0),
        )
        for clause, compares in EDGES.items()
    ]
