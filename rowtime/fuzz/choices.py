"""Choices among pieces of queries, without those that an engine has shown that it lacks."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

T = TypeVar("T")


@dataclass(slots=True)
class Choices:
    """Draws pieces of a query; ``made`` are the names of the pieces so far.

    A piece is not drawn if its name is ``missing``, unless all that could be drawn are.  The name
    of a piece is its text.
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
        """True or false, which does not count as a piece."""
        return self.draw(st.booleans())
