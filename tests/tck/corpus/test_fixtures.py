"""The columns that a fixture lists next to its DDL are those that the DDL declares."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tck.backends import start_backend
from tck.corpus.document import read_document
from tck.corpus.fixture import kit_fixtures, read_fixture
from tck.protocol import Accepted, Backend, ColumnInfo, Open

PATHS = sorted(kit_fixtures().glob("*.yaml"))


@pytest.fixture(scope="module")
def reference() -> Iterator[Backend]:
    running = start_backend("reference")
    yield running.backend
    running.stop()


@pytest.mark.parametrize("path", PATHS, ids=[path.stem for path in PATHS])
def test_columns_are_as_the_ddl_declares_them(path: Path, reference: Backend) -> None:
    fixture = read_fixture(read_document(path), path.stem)
    assert fixture.columns
    for name, columns in fixture.columns.items():
        assert declared(reference, fixture.ddl, name) == columns


def declared(backend: Backend, ddl: str, name: str) -> tuple[ColumnInfo, ...]:
    """The columns of an object, read off a query of all of them, streaming if need be."""
    quoted = ".".join(f'"{part}"' for part in name.split("."))
    for query in (f"SELECT * FROM {quoted}", f"SELECT STREAM * FROM {quoted}"):
        answer = backend.open(Open(ddl, query))
        if isinstance(answer, Accepted):
            backend.close()
            return answer.columns
    raise AssertionError(f"{name}: {answer}")
