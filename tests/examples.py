"""How much a test tries: a little by default, all of it under the profile ``nightly``."""

from typing import Final

import pytest
from hypothesis import settings

#: Whether this run explores, as `make test-nightly` does.
NIGHTLY: Final = settings.get_current_profile_name() == "nightly"


def examples(light: int, full: int) -> settings:
    """Settings of a test with a number of examples of its own: ``full`` nightly, else ``light``.

    For tests that cost more, or find less in an example, than most; the others have the profile's.
    """
    return settings(max_examples=scaled(light, full))


def scaled(light: int, full: int) -> int:
    """``full`` nightly, else ``light``: of micro-batches, restarts, or whatever a test repeats."""
    return full if NIGHTLY else light


def asked_by_core(case: str) -> pytest.MarkDecorator:
    """The mark of a test on Spark that only the nightly run has.

    ``case`` is in the core of the kit and asks the same, so `make tck` fails for the same mistake.
    """
    return pytest.mark.nightly(case)
