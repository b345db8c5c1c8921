"""Backends that do otherwise than the reference what the rules leave open: the kit passes them."""

from functools import cache

import pytest

from rowtime.score.baseline import fails
from rowtime.score.plans import Plans
from tck.backends import start
from tck.corpus.case import Case
from tck.corpus.load import kit_corpus
from tck.result_types import typed
from tck.run import grade_case
from tests.examples import scaled
from tests.tck.score.allowed import ALLOWED, Allowed


@cache
def _cases() -> tuple[Case, ...]:
    """Every three-hundredth case; nightly all."""
    return tuple(map(typed, kit_corpus().cases[:: scaled(300, 1)]))


@cache
def _plans() -> Plans:
    return Plans()


@pytest.mark.parametrize("allowed", ALLOWED, ids=lambda each: each.__name__)
def test_what_is_allowed_passes_at_the_tier_that_it_promises(allowed: type[Allowed]) -> None:
    running = start(allowed.__name__, lambda: allowed(_plans()))
    failed = [
        f"{case.id}: {verdict.label} {verdict.reason}"
        for case in _cases()
        if fails(verdict := grade_case(running, case, allowed.tier).verdict)
    ]
    assert not failed


def test_there_are_twenty_of_them() -> None:
    assert len(ALLOWED) >= 20
