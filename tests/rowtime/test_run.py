"""A query on files: it is bound once, for the types of the files and for the backend."""

from pathlib import Path

from algebra.catalog import Profile
from algebra.prepare import Prepared
from reference.backend import ReferenceBackend
from rowtime.run import run


def refused(_ddl: str, _sql: str | None, _profile: Profile) -> Prepared:
    raise AssertionError("the query is bound a second time")


def ignore_progress(_file: Path, _count: int) -> None:
    """Take the number of rows that have been read."""


def test_a_backend_in_this_process_takes_the_bound_query() -> None:
    backend = ReferenceBackend(prepare=refused)
    backend.start()
    now = "2026-11-27 00:00:00"
    result = run(backend, "", "VALUES (1)", Profile.CALCITE, [], now, ignore_progress)
    assert result.rows == ((1,),)
