"""A query on files: it is bound once, for the types of the files and for the backend."""

from pathlib import Path

import pytest

from algebra.catalog import Profile
from algebra.prepare import Prepared
from algebra.records.opening import FileError
from grammar.source import SqlError
from reference.backend import ReferenceBackend
from rowtime.inputs import DataFile
from rowtime.run import run
from tck.protocol import Backend


def refused(_ddl: str, _sql: str | None, _profile: Profile) -> Prepared:
    raise AssertionError("the query is bound a second time")


def ignore_progress(_file: Path, _count: int) -> None:
    """Take the number of rows that have been read."""


def unstarted() -> Backend:
    raise AssertionError("the backend is started")


def test_a_backend_in_this_process_takes_the_bound_query() -> None:
    backend = ReferenceBackend(prepare=refused)
    backend.start()
    now = "2026-11-27 00:00:00"
    result = run(lambda: backend, "", "VALUES (1)", Profile.CALCITE, [], now, ignore_progress)
    assert result.rows == ((1,),)


@pytest.mark.parametrize("name", ["nowhere.csv", "nowhere/orders.csv"])
def test_a_missing_file_is_an_error_before_the_backend_starts(name: str) -> None:
    ddl = "CREATE TABLE T (a INTEGER)"
    data, now = [DataFile("T", name)], "2026-11-27 00:00:00"
    with pytest.raises(FileError, match=f"^{name}: No such file"):
        run(unstarted, ddl, "SELECT a FROM T", Profile.CALCITE, data, now, ignore_progress)


def test_a_query_is_refused_before_the_backend_starts() -> None:
    with pytest.raises(SqlError, match="UNKNOWN_COLUMN"):
        run(unstarted, "", "SELECT a", Profile.CALCITE, [], "2026-11-27 00:00:00", ignore_progress)
