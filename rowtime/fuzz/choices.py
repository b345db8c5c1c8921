"""Random choices among pieces of queries; pieces that the engine rejects are left out."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

T = TypeVar("T")


@dataclass(slots=True)
class Choices:
    """Draws pieces of a query, such as a condition; ``made`` has the names of the pieces so far.

    The name of a piece is its text.  A piece is not drawn if its name is in ``missing``, because
    the engine lacks it.  But if all options are missing, one of them is drawn all the same.
    """

    draw: DrawFn
    missing: frozenset[str] = frozenset()
    made: set[str] = field(default_factory=set[str])

    def of(self, options: Sequence[T]) -> T:
        """Draw one of the options, and add its name to ``made``, unless it is blank."""
        left = [each for each in options if str(each) not in self.missing] or options
        chosen = self.draw(st.sampled_from(left))
        if str(chosen).strip():
            self.made.add(str(chosen))
        return chosen

    def coin(self) -> bool:
        """True or false at random; the result does not count as a piece."""
        return self.draw(st.booleans())
