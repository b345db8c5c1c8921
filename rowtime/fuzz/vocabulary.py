"""What an engine has shown that it cannot say: learned from what it refuses, not from its gaps."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

#: A capability that was refused so often, and never accepted, is not asked for any more.
ENOUGH: Final = 6


@dataclass(slots=True)
class Vocabulary:
    """How often queries with each capability were accepted and refused, by the kit's names.

    A refusal counts against each capability of the query that was never accepted; if all were, it
    counts against the combination of them, which is nothing that can be learned.
    """

    accepted: Counter[str] = field(default_factory=Counter[str])
    refused: Counter[str] = field(default_factory=Counter[str])
    queries: int = 0

    def add(self, needs: Iterable[str], *, accepted: bool) -> None:
        """Count an answer to a legal query."""
        self.queries += 1
        if accepted:
            self.accepted.update(needs)
        else:
            self.refused.update(need for need in needs if not self.accepted[need])

    @property
    def missing(self) -> frozenset[str]:
        """The capabilities that the engine lacks, as far as is known."""
        return frozenset(
            need
            for need, count in self.refused.items()
            if ENOUGH <= count < self.queries and not self.accepted[need]
        )
