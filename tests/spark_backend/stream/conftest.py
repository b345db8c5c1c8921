"""A streaming query on Spark, asked step by step."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest

from spark_backend.stream.backend import SparkStreamBackend
from tck.protocol import Accepted, Bound, End, Now, Open, Output, Rows, State, WireRow


class Steps:
    """A conversation about one query: each call is a step, and gives what came out."""

    def __init__(self, backend: SparkStreamBackend, ddl: str, sql: str, profile: str) -> None:
        self._backend = backend
        answer = backend.open(Open(ddl, sql, profile))
        assert isinstance(answer, Accepted), answer

    def rows(self, **streams: Sequence[WireRow]) -> Output:
        """Rows arrive at streams, by their names."""
        for name, rows in streams.items():
            self._backend.feed(Rows(name, tuple(rows)))
        return self._poll()

    def bound(self, **streams: str) -> Output:
        """Bounds of streams, by their names."""
        for name, at in streams.items():
            self._backend.feed(Bound(name, at))
        return self._poll()

    def now(self, at: str) -> Output:
        """The session's clock moves on."""
        self._backend.feed(Now(at))
        return self._poll()

    def end(self, name: str | None = None) -> Output:
        """The end of one input, or of all."""
        self._backend.feed(End(name))
        return self._poll()

    def _poll(self) -> Output:
        """What came out, and with it how many input rows are kept."""
        return replace(self._backend.poll(), state=State(self._backend.retained, 0))


@pytest.fixture(scope="session")
def backend() -> Iterator[SparkStreamBackend]:
    """The one streaming backend of the session."""
    backend = SparkStreamBackend()
    backend.start()
    yield backend
    backend.stop()


@pytest.fixture
def query(backend: SparkStreamBackend) -> Iterator[Callable[..., Steps]]:
    """Opens a query: its script, its text, and the profile."""

    def opened(ddl: str, sql: str, profile: str = "calcite") -> Steps:
        return Steps(backend, ddl, sql, profile)

    yield opened
    backend.close()
