"""The lattice: every pair of every rule table, against what the tables mean."""

from itertools import pairwise, product

import pytest

from algebra.lattice import PLUS, REVERSE, TIMES, UNDER, UNSTRICT, Monotonicity, plus

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
def test_no_sum_breaks_what_is_said_of_it(a: Monotonicity, b: Monotonicity) -> None:
    for x, y in product(SAMPLES[a][::3], SAMPLES[b][::3]):
        assert keeps(tuple(p + q for p, q in zip(x, y, strict=True)), plus(a, b))


@pytest.mark.parametrize(("m", "c"), list(product(Monotonicity, (-3, 0, 3))))
def test_no_multiple_breaks_what_is_said_of_it(m: Monotonicity, c: int) -> None:
    sign = (c > 0) - (c < 0)
    for values in SAMPLES[m]:
        assert keeps(tuple(c * v for v in values), TIMES.get((m, sign), N))


@pytest.mark.parametrize(
    ("m", "below", "zero", "above"),
    [(C, C, C, C), (S, T, C, S), (I, D, C, I), (T, S, C, T), (D, I, C, D), (N, N, N, N)],
)
def test_a_multiple_is_as_the_table_says(
    m: Monotonicity, below: Monotonicity, zero: Monotonicity, above: Monotonicity
) -> None:
    """Same, reversed or constant by the sign of the constant (MON-036 … MON-039)."""
    assert [TIMES.get((m, sign), N) for sign in (-1, 0, 1)] == [below, zero, above]


@pytest.mark.parametrize(
    ("m", "below", "zero", "above"),
    [(C, C, C, C), (S, I, C, D), (I, I, C, D), (T, D, C, I), (D, D, C, I), (N, N, N, N)],
)
def test_a_quotient_under_a_constant_turns_with_its_sign(
    m: Monotonicity, below: Monotonicity, zero: Monotonicity, above: Monotonicity
) -> None:
    """``c / m`` falls for positive c as m rises, whatever the sign of m (E-50)."""
    assert [UNDER.get((sign, m), N) for sign in (-1, 0, 1)] == [below, zero, above]


@pytest.mark.parametrize(("m", "c", "shift"), list(product(Monotonicity, (-12, 0, 12), (-3, 3))))
def test_no_quotient_breaks_what_is_said_of_it(m: Monotonicity, c: int, shift: int) -> None:
    sign = (c > 0) - (c < 0)
    for values in SAMPLES[m]:
        quotients = tuple(c / (v + shift) for v in values)
        assert keeps(quotients, UNDER.get((sign, m), N))


def test_the_pages_own_example_falls() -> None:
    """12 / m at m = 1, 2, 3, 4 is 12, 6, 4, 3 (E-50)."""
    assert keeps(tuple(12 // m for m in (1, 2, 3, 4)), UNDER[1, S])


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
    for table in (PLUS, TIMES, UNDER, REVERSE, UNSTRICT):
        assert N not in table.values()
