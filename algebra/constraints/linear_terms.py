"""Linear terms over integer variables, and constraints on them, in exact fractions.

With these terms and constraints the other modules of the package represent values and conditions.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias


@dataclass(frozen=True, slots=True)
class Term:
    """A constant plus multiples of variables, each of which stands for an integer.

    ``parts`` are pairs (variable, factor) in the order of the variables.  No factor is 0, so two
    terms are equal if and only if they are the same function of the variables.
    """

    constant: Fraction = Fraction(0)
    parts: tuple[tuple[int, Fraction], ...] = ()

    def plus(self, other: "Term") -> "Term":
        """The sum of two terms."""
        factors = dict(self.parts)
        for variable, factor in other.parts:
            factors[variable] = factors.get(variable, Fraction(0)) + factor
        parts = tuple(sorted((v, f) for v, f in factors.items() if f))
        return Term(self.constant + other.constant, parts)

    def minus(self, other: "Term") -> "Term":
        """The difference of two terms."""
        return self.plus(other.times(-1))

    def times(self, factor: Fraction | int) -> "Term":
        """The product with a number."""
        if not factor:
            return Term()
        return Term(self.constant * factor, tuple((v, f * factor) for v, f in self.parts))

    def add(self, number: Fraction | int) -> "Term":
        """The sum of this term and a number; `plus` is the sum of two terms."""
        return Term(self.constant + number, self.parts)

    @property
    def value(self) -> Fraction | None:
        """The number that a term without variables is; None for any other term."""
        return None if self.parts else self.constant

    @property
    def grain(self) -> Fraction:
        """The greatest number of which all values of the term are multiples; 0 for the number 0."""
        return common_grain(self.constant, *(factor for _, factor in self.parts))


def number(value: Fraction | int) -> Term:
    """A number as a term."""
    return Term(Fraction(value))


def common_grain(*numbers: Fraction) -> Fraction:
    """The greatest number that all of ``numbers`` are multiples of; 0 if all are 0.

    >>> common_grain(Fraction(3, 2), Fraction(1))
    Fraction(1, 2)
    """
    divisor = math.lcm(*(each.denominator for each in numbers))
    return Fraction(math.gcd(*(int(each * divisor) for each in numbers)), divisor)


# --- constraints ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NotPositive:
    """``term <= 0``."""

    term: Term


@dataclass(frozen=True, slots=True)
class AllOf:
    """All of ``constraints`` hold.  It is always true if there are none."""

    constraints: tuple["Constraint", ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one of ``constraints`` holds.  It is never true if there are none."""

    constraints: tuple["Constraint", ...]


#: A condition on the values of the variables.
Constraint: TypeAlias = NotPositive | AllOf | AnyOf

ALWAYS: Final = AllOf(())
NEVER: Final = AnyOf(())


def at_most(a: Term, b: Term) -> Constraint:
    """``a <= b``."""
    return NotPositive(a.minus(b))


def below(a: Term, b: Term) -> Constraint:
    """``a < b``, which is ``a - b + grain <= 0`` for the grain of ``a - b``.

    If ``a`` equals ``b``, the grain is 0; any positive number in its place makes the result false.
    """
    difference = a.minus(b)
    return NotPositive(difference.add(difference.grain or 1))


def equal(a: Term, b: Term) -> Constraint:
    """``a = b``."""
    return AllOf((at_most(a, b), at_most(b, a)))


def within(term: Term, lower: Fraction | None, upper: Fraction | None) -> Constraint:
    """``lower <= term <= upper``; an end that is None does not constrain."""
    ends: list[Constraint] = []
    if lower is not None:
        ends.append(at_most(number(lower), term))
    if upper is not None:
        ends.append(at_most(term, number(upper)))
    return AllOf(tuple(ends))


def all_of(constraints: Iterable[Constraint]) -> Constraint:
    """The conjunction, without members that are `ALWAYS`; it is `NEVER` if a member is `NEVER`."""
    remaining = tuple(each for each in constraints if each != ALWAYS)
    if NEVER in remaining:
        return NEVER
    return remaining[0] if len(remaining) == 1 else AllOf(remaining)


def any_of(constraints: Iterable[Constraint]) -> Constraint:
    """The disjunction, without members that are `NEVER`; it is `ALWAYS` if a member is `ALWAYS`."""
    remaining = tuple(each for each in constraints if each != NEVER)
    if ALWAYS in remaining:
        return ALWAYS
    return remaining[0] if len(remaining) == 1 else AnyOf(remaining)


def tightened(term: Term) -> tuple[Mapping[int, int], int]:
    """``term <= 0`` as ``factors * variables <= limit``, with the least limit that is possible.

    Factors and limit are integers, the factors without a common divisor.  Variables are integers,
    too, so ``2 x - 3 <= 0`` becomes ``x <= 1``: ``({x: 1}, 1)``.
    """
    grain = common_grain(*(factor for _, factor in term.parts)) or Fraction(1)
    factors = {variable: int(factor / grain) for variable, factor in term.parts}
    return factors, math.floor(-term.constant / grain)
