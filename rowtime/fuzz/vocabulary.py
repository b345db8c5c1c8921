"""The features that an engine lacks, learned from its refusals and not from its declared gaps."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

#: A word is dropped from the search when its shares in rejections reach this sum, if it was never
#: accepted.
ENOUGH: Final = 3


@dataclass(slots=True)
class Vocabulary:
    """How often queries with each word were accepted and refused.

    A word is a capability, by the kit's name, or a piece of a query.  A refusal is divided into
    equal ``shares`` among the words of the query that were never accepted.  If all of its words
    were accepted before, the refusal is not counted: the engine then lacks only their combination.
    ``queries`` is the number of answers.
    """

    accepted: Counter[str] = field(default_factory=Counter[str])
    refused: Counter[str] = field(default_factory=Counter[str])
    shares: dict[str, Fraction] = field(default_factory=dict[str, Fraction])
    queries: int = 0

    def add(self, words: Iterable[str], *, accepted: bool) -> None:
        """Count an answer to a legal query."""
        self.queries += 1
        if accepted:
            self.accepted.update(words)
            return
        suspects = [word for word in words if not self.accepted[word]]
        self.refused.update(suspects)
        for word in suspects:
            self.shares[word] = self.shares.get(word, Fraction()) + Fraction(1, len(suspects))

    @property
    def missing(self) -> frozenset[str]:
        """The words that the engine lacks, as far as is known.

        A word that all queries so far have is not among them, because no query could be drawn
        without it.
        """
        return frozenset(
            word
            for word, share in self.shares.items()
            if share >= ENOUGH and self.refused[word] < self.queries and not self.accepted[word]
        )
