"""What all tests share: hypothesis profiles, and golden files that can be rewritten."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile("dev", max_examples=50, deadline=None, suppress_health_check=_SLOW)
settings.register_profile(
    "ci", max_examples=300, deadline=None, derandomize=True, suppress_health_check=_SLOW
)
settings.register_profile(
    "nightly", max_examples=10_000, deadline=None, suppress_health_check=_SLOW
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))

GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--rewrite`` makes golden files what the code says now; read the difference line by line."""
    parser.addoption("--rewrite", action="store_true", help="rewrite golden files")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """A check that a text is the one in a golden file."""

    def check(name: str, text: str) -> None:
        file = GOLDEN / name
        if request.config.getoption("--rewrite"):
            GOLDEN.mkdir(exist_ok=True)
            file.write_text(text, "utf-8")
        assert text == file.read_text("utf-8")

    return check
