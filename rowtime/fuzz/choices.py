"""Random choices among pieces of queries; pieces that the engine rejects are left out."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

T = TypeVar("T")


@dataclass(slots=True)
class Choices:
    """Draws pieces of a query; ``made`` has the names of the pieces so far.

    A piece is not drawn if its name is in ``missing``, unless the names of all options are.  The
    name of a piece is its text.
    """

    draw: DrawFn
    missing: frozenset[str] = frozenset()
    made: set[str] = field(default_factory=set[str])

    def of(self, options: Sequence[T]) -> T:
        """One of the options."""
        left = [each for each in options if str(each) not in self.missing] or options
        chosen = self.draw(st.sampled_from(left))
        if str(chosen).strip():
            self.made.add(str(chosen))
        return chosen

    def coin(self) -> bool:
        """True or false at random; the result does not count as a piece."""
        return self.draw(st.booleans())
