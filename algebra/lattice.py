"""Monotonicity: six values, and the rule tables of expressions over them (S-401, S-402)."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class Monotonicity(StrEnum):
    """How the values of consecutive rows compare (MON-004 … MON-007).

    A constant is both ascending and descending in the pages' words, but lets nothing make progress
    (S-404); here it is neither.
    """

    CONSTANT = "CONSTANT"
    STRICTLY_INCREASING = "STRICTLY_INCREASING"
    INCREASING = "INCREASING"
    STRICTLY_DECREASING = "STRICTLY_DECREASING"
    DECREASING = "DECREASING"
    NOT_MONOTONIC = "NOT_MONOTONIC"

    def reverse(self) -> "Monotonicity":
        """The monotonicity of the negated values; strictness stays (MON-030)."""
        return REVERSE.get(self, self)

    def unstrict(self) -> "Monotonicity":
        """The same direction, where equal values may follow one another (MON-018)."""
        return UNSTRICT.get(self, self)

    @property
    def ascending(self) -> bool:
        """Whether no value is below the one before it, and some may be above."""
        return self in (Monotonicity.STRICTLY_INCREASING, Monotonicity.INCREASING)

    @property
    def descending(self) -> bool:
        """Whether no value is above the one before it, and some may be below."""
        return self in (Monotonicity.STRICTLY_DECREASING, Monotonicity.DECREASING)

    @property
    def strict(self) -> bool:
        """Whether no value comes twice."""
        return self in (Monotonicity.STRICTLY_INCREASING, Monotonicity.STRICTLY_DECREASING)

    @property
    def progresses(self) -> bool:
        """Whether a value can be passed for good: ascending or descending (S-404)."""
        return self.ascending or self.descending


_C: Final = Monotonicity.CONSTANT
_S: Final = Monotonicity.STRICTLY_INCREASING
_I: Final = Monotonicity.INCREASING
_T: Final = Monotonicity.STRICTLY_DECREASING
_D: Final = Monotonicity.DECREASING
_N: Final = Monotonicity.NOT_MONOTONIC

#: ``-m``; what is not listed stays.
REVERSE: Final[Mapping[Monotonicity, Monotonicity]] = {_S: _T, _I: _D, _T: _S, _D: _I}

#: ``FLOOR(m)`` and its like; what is not listed stays.
UNSTRICT: Final[Mapping[Monotonicity, Monotonicity]] = {_S: _I, _T: _D}

#: ``a + b``, given ``a`` (row) and ``b`` (column); symmetric; what is not listed is not monotonic.
PLUS: Final[Mapping[tuple[Monotonicity, Monotonicity], Monotonicity]] = {
    (_C, _C): _C, (_C, _I): _I, (_C, _S): _S, (_C, _D): _D, (_C, _T): _T,
                  (_I, _I): _I, (_I, _S): _S,
                                (_S, _S): _S,
                                              (_D, _D): _D, (_D, _T): _T,
                                                            (_T, _T): _T,
}  # fmt: skip

#: ``m * c`` and ``m / c``, given ``m`` and the sign of ``c``; what is not listed is not monotonic.
#: (``m / 0`` is asked nowhere: it is an error.)
TIMES: Final[Mapping[tuple[Monotonicity, int], Monotonicity]] = {
    (_C, -1): _C, (_C, 0): _C, (_C, 1): _C,
    (_S, -1): _T, (_S, 0): _C, (_S, 1): _S,
    (_I, -1): _D, (_I, 0): _C, (_I, 1): _I,
    (_T, -1): _S, (_T, 0): _C, (_T, 1): _T,
    (_D, -1): _I, (_D, 0): _C, (_D, 1): _D,
}  # fmt: skip

#: ``c / m``, given the sign of ``c`` and ``m``, which keeps one sign and is never 0 (E-50); what is
#: not listed is not monotonic.  Never strict: a quotient is truncated or rounded.
UNDER: Final[Mapping[tuple[int, Monotonicity], Monotonicity]] = {
    (-1, _S): _I, (0, _S): _C, (1, _S): _D,
    (-1, _I): _I, (0, _I): _C, (1, _I): _D,
    (-1, _T): _D, (0, _T): _C, (1, _T): _I,
    (-1, _D): _D, (0, _D): _C, (1, _D): _I,
    (-1, _C): _C, (0, _C): _C, (1, _C): _C,
}  # fmt: skip


def plus(a: Monotonicity, b: Monotonicity) -> Monotonicity:
    """The monotonicity of a sum of exact values (`PLUS`)."""
    return PLUS.get((a, b)) or PLUS.get((b, a)) or Monotonicity.NOT_MONOTONIC
