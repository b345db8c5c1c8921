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

_HERE = Path(__file__).parent
GOLDEN = _HERE / "golden"
#: A Spark session takes seconds to start, and all memory that there is.
ON_SPARK = _HERE / "spark_backend"
#: The commands of the documents build on one another.
SHARING_FILES = (_HERE / "test_docs.py",)


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--rewrite`` makes golden files what the code says now; read the difference line by line."""
    parser.addoption("--rewrite", action="store_true", help="rewrite golden files")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of several processes one runs all tests of Spark, first, and one those that share files."""
    for each in items:
        if ON_SPARK in each.path.parents:
            each.add_marker(pytest.mark.xdist_group("spark"))
        elif each.path in SHARING_FILES:
            each.add_marker(pytest.mark.xdist_group(each.path.stem))
    items.sort(key=lambda each: ON_SPARK not in each.path.parents)


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
