"""What all tests share: hypothesis profiles, golden files that can be rewritten, Spark."""

import gc
import os
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

from tck.collection import RARE

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]

# The same examples for everybody, in CI or not: what passes here passes elsewhere.
settings.register_profile(
    "light",
    max_examples=15,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=_SLOW,
)
# Others each time; what they find becomes a test or a case, which all runs then have.
settings.register_profile(
    "nightly", max_examples=10_000, print_blob=True, deadline=None, suppress_health_check=_SLOW
)
settings.load_profile("light")

# Java of this process and of those that it starts; as `spark_backend.runtime.session.SMALL_JVM`.
os.environ.setdefault(
    "JDK_JAVA_OPTIONS",
    "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC"
    " -Dspark.buffer.pageSize=4m",
)

# A worker of xdist has them; commands would break the lines that they print into a file.
for _name in ("COLUMNS", "LINES"):
    os.environ.pop(_name, None)

_HERE = Path(__file__).parent
GOLDEN = _HERE / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--rewrite`` makes golden files what the code says now; read the difference line by line."""
    parser.addoption("--rewrite", action="store_true", help="rewrite golden files")


#: Files of Spark's tests that do not use the session of their process.
_WITHOUT_SESSION = (
    "test_class_archive.py",
    "test_exact_states.py",
    "test_incubator_module.py",
    "test_state.py",
)


#: The folder whose tests, but for those of pipelines, take as long as all others.
_STREAM = "tests/spark_backend/stream/"


class _TwoSparks(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """Two processes have a Spark each, one for streaming; all other tests are dealt out by files.

    A session takes seconds to start, and much memory: no third process has one.  With one alone,
    the tests that need Spark would take as long again as all others.  Tests whose own commands
    start a Spark need no session of their process.
    """

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.split("::")[0]
        if "spark" not in file or file.endswith(_WITHOUT_SESSION):
            return file
        streaming = file.startswith(_STREAM) and "/pipeline/" not in file
        return "spark, streaming" if streaming else "spark"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> _TwoSparks:
    """How tests are dealt out to processes."""
    return _TwoSparks(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Only the nightly run has the tests marked `nightly`; in each run the longest come first.

    So all processes end together.  The longest files are those on Spark, then the file whose tests
    run all commands of the documents, then the laws.
    """
    if settings.get_current_profile_name() != "nightly":
        left_out = [each for each in items if each.get_closest_marker("nightly")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [each for each in items if not each.get_closest_marker("nightly")]
    first = ("spark", "test_docs.py", "reference", "differential")

    def rank(item: pytest.Item) -> int:
        file = item.nodeid.partition("::")[0]
        return next((i for i, each in enumerate(first) if each in file), len(first))

    items.sort(key=rank)


def pytest_collection_finish() -> None:
    """Search for cycles of objects seldom, and only among those that the tests make.

    Collecting the tests leaves 700,000 objects; with Python's thresholds, each search through all
    of them takes half a second, and searching takes a fifth of the processor time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*RARE)


@pytest.fixture
def file_by_file() -> Iterator[None]:
    """Each micro-batch of a pipeline on the Spark of this process has one file."""
    runtime = import_module("spark_backend.runtime.session")
    name = import_module("spark_backend.stream.connectors.listing").FILES_A_BATCH
    session = runtime.spark_session()
    session.conf.set(name, "1")
    yield
    # A micro-batch has a copy of the session, which may be the active session after it.
    for each in (session, runtime.spark_session()):
        each.conf.unset(name)


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
