"""Runs leave in their direction; what has no place in an order leaves last (S-405)."""

import math

import pytest

from algebra.expression import Value
from algebra.monotonicity.progress import Bound, passed
from reference.incremental.runs import Runs

NAN = math.nan


@pytest.mark.parametrize("descending", [False, True])
def test_what_is_no_number_holds_up_no_other_run(descending: bool) -> None:
    runs: Runs[str] = Runs(descending)
    values: list[Value] = [float("nan"), 2.0, None, float("nan"), 1.0, 2.0]
    for place, value in enumerate(values):
        runs.put(value, str(place))
    limit = Bound(1.0 if descending else 2.0)
    first = [["1", "5"]] if descending else [["4"]]
    assert list(runs.passed(limit)) == first
    rest = [["4"]] if descending else [["1", "5"]]
    assert len(runs) == 6 - len(first[0])
    assert list(runs.all()) == [*rest, ["0", "3"], ["2"]]
    assert len(runs) == 0


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize(("value", "limit"), [(NAN, 1.0), (1.0, NAN), (NAN, NAN), (None, 1.0)])
def test_what_has_no_place_is_not_passed_and_passes_nothing(
    value: Value, limit: Value, descending: bool
) -> None:
    assert not passed(value, Bound(limit, strict=True), descending)


def test_the_two_zeros_are_one_value() -> None:
    assert not passed(-0.0, Bound(0.0), descending=False)
    assert passed(-0.0, Bound(0.0, strict=True), descending=False)
