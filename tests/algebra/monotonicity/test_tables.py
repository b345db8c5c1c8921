"""Every pair of every table of monotonicity, against what the six orders mean (S-401, S-402)."""

from itertools import pairwise, product

import pytest

from algebra.constraints.number_range import Sign
from algebra.monotonicity.tables import (
    EITHER,
    PLUS,
    REVERSE,
    TIMES,
    UNDER,
    UNSTRICT,
    Monotonicity,
    either,
    plus,
    quotient,
    times,
)

C = Monotonicity.CONSTANT
S = Monotonicity.STRICTLY_INCREASING
I = Monotonicity.INCREASING  # noqa: E741  the lattice's own letter
T = Monotonicity.STRICTLY_DECREASING
D = Monotonicity.DECREASING
N = Monotonicity.NOT_MONOTONIC


def keeps(values: tuple[float, ...], order: Monotonicity) -> bool:
    """Whether consecutive values compare as ``order`` says."""
    match order:
        case Monotonicity.CONSTANT:
            return all(a == b for a, b in pairwise(values))
        case Monotonicity.STRICTLY_INCREASING:
            return all(a < b for a, b in pairwise(values))
        case Monotonicity.INCREASING:
            return all(a <= b for a, b in pairwise(values))
        case Monotonicity.STRICTLY_DECREASING:
            return all(a > b for a, b in pairwise(values))
        case Monotonicity.DECREASING:
            return all(a >= b for a, b in pairwise(values))
        case Monotonicity.NOT_MONOTONIC:
            return True


#: For each value of the lattice, every sequence of three small numbers that has it.
SAMPLES = {
    order: [values for values in product(range(-2, 3), repeat=3) if keeps(values, order)]
    for order in Monotonicity
}

#: ``a + b`` by hand, all 36 pairs: rows a, columns b, in the order C S I T D N.
SUMS = """
    C S I T D N
    S S S N N N
    I S I N N N
    T N N T T N
    D N N T D N
    N N N N N N
"""
LETTERS = {"C": C, "S": S, "I": I, "T": T, "D": D, "N": N}


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (a, b, LETTERS[letter])
        for a, line in zip("CSITDN", SUMS.strip().split("\n"), strict=True)
        for b, letter in zip("CSITDN", line.split(), strict=True)
    ],
)
def test_a_sum_is_as_the_table_says(a: str, b: str, expected: Monotonicity) -> None:
    """Strict if either is strict, of one direction (MON-033, MON-034, E-56)."""
    assert plus(LETTERS[a], LETTERS[b]) is expected


@pytest.mark.parametrize(("a", "b"), list(product(Monotonicity, repeat=2)))
def test_no_sum_breaks_its_monotonicity(a: Monotonicity, b: Monotonicity) -> None:
    for x, y in product(SAMPLES[a][::3], SAMPLES[b][::3]):
        assert keeps(tuple(p + q for p, q in zip(x, y, strict=True)), plus(a, b))


#: ``GREATEST(a, b)`` by hand, all 36 pairs: of a strict and another operand the other may decide.
EXTREMES = """
    C I I D D N
    I S I N N N
    I I I N N N
    D N N T D N
    D N N D D N
    N N N N N N
"""


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (a, b, LETTERS[letter])
        for a, line in zip("CSITDN", EXTREMES.strip().split("\n"), strict=True)
        for b, letter in zip("CSITDN", line.split(), strict=True)
    ],
)
def test_the_greatest_is_as_the_table_says(a: str, b: str, expected: Monotonicity) -> None:
    assert either((LETTERS[a], LETTERS[b])) is expected


@pytest.mark.parametrize(("a", "b"), list(product(Monotonicity, repeat=2)))
def test_no_greatest_or_least_breaks_its_monotonicity(a: Monotonicity, b: Monotonicity) -> None:
    for x, y in product(SAMPLES[a][::3], SAMPLES[b][::3]):
        pairs = list(zip(x, y, strict=True))
        assert keeps(tuple(map(max, pairs)), either((a, b)))
        assert keeps(tuple(map(min, pairs)), either((a, b)))


# --- products and quotients -------------------------------------------------------------------

#: Numbers of each sign.
NUMBERS = {
    Sign.NEGATIVE: (-3, -1),
    Sign.NOT_POSITIVE: (-3, 0),
    Sign.ZERO: (0,),
    Sign.NOT_NEGATIVE: (0, 3),
    Sign.POSITIVE: (1, 3),
}

#: ``m * c`` by hand: a row for each sign of c, in the order of `Sign`; columns m.
PRODUCTS = """
    C T D S I N
    C D D I I N
    C C C C C N
    C I I D D N
    C S I T D N
"""
#: ``c / m`` by hand, m of one sign: as `PRODUCTS`; a strict m may give equal quotients (E-50).
QUOTIENTS = """
    C I I D D N
    C I I D D N
    C C C C C N
    C D D I I N
    C D D I I N
"""


def by_sign(table: str) -> list[tuple[Sign, Monotonicity, Monotonicity]]:
    """Sign, order of m, what the table says."""
    return [
        (sign, LETTERS[m], LETTERS[letter])
        for sign, line in zip(Sign, table.strip().split("\n"), strict=True)
        for m, letter in zip("CSITDN", line.split(), strict=True)
    ]


@pytest.mark.parametrize(("sign", "m", "expected"), by_sign(PRODUCTS))
def test_a_multiple_is_as_the_table_says(
    sign: Sign, m: Monotonicity, expected: Monotonicity
) -> None:
    """Same, reversed or constant by the sign of the constant (MON-036 … MON-039, E-51, E-52)."""
    assert TIMES.get((m, sign), N) is expected
    for c, values in product(NUMBERS[sign], SAMPLES[m]):
        assert keeps(tuple(c * v for v in values), expected)


@pytest.mark.parametrize(("sign", "m", "expected"), by_sign(QUOTIENTS))
def test_a_quotient_under_a_constant_is_as_the_table_says(
    sign: Sign, m: Monotonicity, expected: Monotonicity
) -> None:
    """For positive c, ``c / m`` decreases as m increases, whatever the sign of m (E-50)."""
    assert UNDER.get((sign, m), N) is expected
    for c, shift, values in product(NUMBERS[sign], (-3, 3), SAMPLES[m]):
        assert keeps(tuple(c / (v + shift) for v in values), expected)


def signed(value: int, sign: Sign) -> bool:
    """Whether a number has the sign."""
    match sign:
        case Sign.NEGATIVE:
            return value < 0
        case Sign.NOT_POSITIVE:
            return value <= 0
        case Sign.ZERO:
            return value == 0
        case Sign.NOT_NEGATIVE:
            return value >= 0
        case Sign.POSITIVE:
            return value > 0


def with_sign(sign: Sign | None, m: Monotonicity) -> list[tuple[int, ...]]:
    """Sequences in the order ``m`` whose numbers all have the sign."""
    all_ = (-3, -2, -1, 0, 1, 2, 3)
    fine = all_ if sign is None else [v for v in all_ if signed(v, sign)]
    found = list(product(fine, repeat=3))
    return [v for v in found if keeps(v, m)]


FACTORS = list(product(Monotonicity, (*Sign, None)))


@pytest.mark.parametrize(("a", "sign_a"), FACTORS)
def test_no_product_and_no_quotient_breaks_its_monotonicity(
    a: Monotonicity, sign_a: Sign | None
) -> None:
    """Two columns of any order and any sign, known or not: all 36 x 36 pairs."""
    for b, sign_b in FACTORS:
        product_, quotient_ = times(a, sign_a, b, sign_b), quotient(a, sign_a, b, sign_b)
        for x, y in product(with_sign(sign_a, a)[::5], with_sign(sign_b, b)[::5]):
            assert keeps(tuple(p * q for p, q in zip(x, y, strict=True)), product_)
            if 0 not in y:
                assert keeps(tuple(p / q for p, q in zip(x, y, strict=True)), quotient_)


@pytest.mark.parametrize(
    ("a", "sign_a", "b", "sign_b", "expected"),
    [
        (S, Sign.POSITIVE, S, Sign.POSITIVE, S),
        (S, Sign.NOT_NEGATIVE, S, Sign.NOT_NEGATIVE, I),  # 0 * 1, 0 * 2
        (S, Sign.NEGATIVE, S, Sign.NEGATIVE, T),
        (I, Sign.POSITIVE, D, Sign.NEGATIVE, D),  # 1 * -1, 2 * -1, 2 * -3
        (I, Sign.POSITIVE, D, Sign.POSITIVE, N),
        (S, None, S, Sign.POSITIVE, N),  # -2 * 1, -1 * 3
        (S, None, C, Sign.POSITIVE, S),
        (S, None, C, Sign.ZERO, C),
        (S, None, C, None, N),
    ],
)
def test_a_product_of_columns_goes_by_the_signs_of_both(
    a: Monotonicity, sign_a: Sign, b: Monotonicity, sign_b: Sign, expected: Monotonicity
) -> None:
    assert times(a, sign_a, b, sign_b) is expected
    assert times(b, sign_b, a, sign_a) is expected


@pytest.mark.parametrize(
    ("a", "sign_a", "b", "sign_b", "expected"),
    [
        (S, Sign.POSITIVE, D, Sign.POSITIVE, S),
        (S, Sign.NEGATIVE, S, Sign.POSITIVE, S),  # -3 / 1, -2 / 2
        (S, Sign.POSITIVE, S, Sign.POSITIVE, N),  # 1 / 1, 2 / 4, 3 / 5
        (S, None, C, Sign.NEGATIVE, T),
        (S, None, C, Sign.NOT_NEGATIVE, N),
        (C, None, S, Sign.POSITIVE, N),
        (C, Sign.ZERO, S, Sign.POSITIVE, C),
        (C, Sign.POSITIVE, S, Sign.NOT_NEGATIVE, N),  # 12 / 0 is an error
        (C, Sign.POSITIVE, S, None, N),
    ],
)
def test_a_quotient_of_columns_needs_a_divisor_of_one_sign(
    a: Monotonicity, sign_a: Sign, b: Monotonicity, sign_b: Sign, expected: Monotonicity
) -> None:
    assert quotient(a, sign_a, b, sign_b) is expected


# --- where the page is wrong ------------------------------------------------------------------


def test_the_page_calls_a_descending_quotient_ascending() -> None:
    """Same signs: 12 / m at m = 1, 2, 3, 4 is 12, 6, 4, 3, not "same as m" (E-50)."""
    values = tuple(12 // m for m in (1, 2, 3, 4))
    assert not keeps(values, I)
    assert keeps(values, UNDER[Sign.POSITIVE, S])


def test_the_page_calls_a_rising_quotient_descending() -> None:
    """Different signs: -12 / m at m = 1, 2, 3, 4 is -12, -6, -4, -3, not "reverse of m" (E-50)."""
    values = tuple(-12 // m for m in (1, 2, 3, 4))
    assert not keeps(values, D)
    assert keeps(values, UNDER[Sign.NEGATIVE, S])


def test_the_page_is_right_of_negative_divisors() -> None:
    """-12 / m at m = -4 … -1 is 3, 4, 6, 12, as m; 12 / m is the reverse (E-50)."""
    assert keeps(tuple(-12 // m for m in (-4, -3, -2, -1)), UNDER[Sign.NEGATIVE, S])
    assert keeps(tuple(12 // m for m in (-4, -3, -2, -1)), UNDER[Sign.POSITIVE, S])


def test_the_page_calls_a_sum_strict_only_where_its_first_summand_is() -> None:
    """Same as m1: that denies that 1, 1, 1 plus 1, 2, 3 is strict, which it is (E-56)."""
    assert keeps(tuple(a + b for a, b in zip((1, 1, 1), (1, 2, 3), strict=True)), plus(I, S))
    assert plus(I, S) is S


def test_the_page_has_a_constant_for_a_monotonic_expression() -> None:
    """By the definition it is one, but no value of it is ever passed (E-60)."""
    assert keeps((7, 7, 7), I)
    assert not C.progresses


def test_the_page_denies_descending_expressions_and_needs_them() -> None:
    """-m of an ascending m descends; "monotonicity always means increasing" is wrong (E-53)."""
    assert S.reverse() is T
    assert T.progresses


def test_the_pages_floor_takes_strictness_away() -> None:
    """1.5, 3, 5, 5.8, 6.3 is strict, and 1, 3, 5, 5, 6 is not (E-54, MON-017)."""
    values = (1.5, 3, 5, 5.8, 6.3)
    floors = tuple(int(v) for v in values)
    assert keeps(values, S)
    assert floors == (1, 3, 5, 5, 6)
    assert keeps(floors, S.unstrict())
    assert not keeps(floors, S)


# --- laws -------------------------------------------------------------------------------------


@pytest.mark.parametrize("m", Monotonicity)
def test_reversing_twice_changes_nothing(m: Monotonicity) -> None:
    assert m.reverse().reverse() is m
    assert all(keeps(tuple(-v for v in values), m.reverse()) for values in SAMPLES[m])


@pytest.mark.parametrize("m", Monotonicity)
def test_strictness_is_lost_once(m: Monotonicity) -> None:
    assert m.unstrict().unstrict() is m.unstrict()
    assert not m.unstrict().strict
    assert (m.unstrict().ascending, m.unstrict().descending) == (m.ascending, m.descending)


def test_a_constant_makes_no_progress() -> None:
    """S-404, E-60."""
    assert {each for each in Monotonicity if not each.progresses} == {C, N}


def test_the_tables_list_only_what_is_known() -> None:
    for table in (PLUS, EITHER, TIMES, UNDER, REVERSE, UNSTRICT):
        assert N not in table.values()
