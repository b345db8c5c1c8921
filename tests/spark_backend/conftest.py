"""One Spark for all tests of this folder, and ways to ask it."""

from collections.abc import Iterator, Mapping, Sequence

import pytest

from spark_backend.backend import SparkBackend
from spark_backend.runtime.session import spark_session
from tck.protocol import Accepted, End, Load, Open, Output, Refused, Rows, Wire, WireRow

Feed = Mapping[str, Sequence[WireRow]]


class Spark:
    """A backend that answers one query after another."""

    def __init__(self, backend: SparkBackend) -> None:
        self.backend = backend
        self.session = spark_session()

    def output(
        self,
        sql: str,
        ddl: str = "",
        feed: Feed | None = None,
        profile: str = "calcite",
        load: Feed | None = None,
    ) -> Output:
        """All that a query gives on rows that end."""
        answer = self.backend.open(Open(ddl, sql, profile))
        assert isinstance(answer, Accepted), answer
        for name, rows in (load or {}).items():
            self.backend.feed(Load(name, tuple(rows)))
        for name, rows in (feed or {}).items():
            self.backend.feed(Rows(name, tuple(rows)))
        self.backend.feed(End())
        return self.backend.poll()

    def rows(
        self,
        sql: str,
        ddl: str = "",
        feed: Feed | None = None,
        profile: str = "calcite",
        load: Feed | None = None,
    ) -> list[WireRow]:
        """The rows of a query that does not fail."""
        output = self.output(sql, ddl, feed, profile, load)
        assert output.error is None, output.error
        return list(output.rows)

    def values(self, *expressions: str) -> list[Wire]:
        """The values of expressions without columns, of one query."""
        (row,) = self.rows("VALUES (" + ", ".join(expressions) + ")")
        return list(row)

    def code(self, sql: str, ddl: str = "", feed: Feed | None = None) -> str:
        """The code of the error that a query ends in, when it is opened or later."""
        answer = self.backend.open(Open(ddl, sql))
        if isinstance(answer, Refused):
            return answer.code
        for name, rows in (feed or {}).items():
            self.backend.feed(Rows(name, tuple(rows)))
        self.backend.feed(End())
        error = self.backend.poll().error
        return "" if error is None else error.code


@pytest.fixture(scope="session")
def spark() -> Iterator[Spark]:
    """The one Spark of the session."""
    backend = SparkBackend()
    backend.start()
    yield Spark(backend)
    backend.stop()
