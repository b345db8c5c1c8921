"""Read fixtures: the DDL and rows that several cases share."""

from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

import tck
from tck.corpus.case import Fixture, Place
from tck.corpus.ddl import declared_columns
from tck.corpus.document import (
    Document,
    InvalidFilesError,
    Problem,
    YamlNode,
    read_document,
    schema_problems,
)
from tck.corpus.rows import catalog_name, read_columns, wire_rows
from tck.protocol import Load, Rows


def kit_fixtures() -> Path:
    """The folder of the kit's own fixtures."""
    return Path(str(files(tck).joinpath("fixtures")))


def read_fixture(document: Document, name: str) -> Fixture:
    """The fixture in a document.  Raises `InvalidFilesError`."""
    problems = schema_problems(document, "case.schema.json", "fixture")
    if problems:
        raise InvalidFilesError(problems)
    top = YamlNode(document, (), document.data)
    about, ddl, day = top.get("fixture"), top.get("ddl"), top.get("date")
    assert about is not None
    assert ddl is not None
    date = day.text if day else None
    columns = {**declared_columns(ddl.text), **read_columns(top.get("columns"))}
    tables, streams = top.get("tables"), top.get("streams")
    fixture = Fixture(
        name=name,
        about=about.text,
        place=top.place,
        date=date,
        ddl=ddl.text,
        columns=columns,
        tables=tuple(
            Load(catalog_name(key), wire_rows(key, rows, columns, date, problems))
            for key, rows in (tables.items if tables else ())
        ),
        streams=tuple(
            Rows(catalog_name(key), wire_rows(key, rows, columns, date, problems))
            for key, rows in (streams.items if streams else ())
        ),
    )
    if problems:
        raise InvalidFilesError(problems)
    return fixture


@dataclass(frozen=True, slots=True)
class FixtureLibrary:
    """Finds fixtures by name in some folders, and reads each once.

    ``folders`` are in the order of precedence.  The problems of an invalid fixture are reported
    only for the first case that requires it; for other cases, the only problem is that it cannot be
    read.
    """

    folders: tuple[Path, ...]
    _found: dict[str, Fixture | None] = field(default_factory=dict[str, Fixture | None])

    def fixture(self, name: str, requester: Place) -> Fixture:
        """The fixture with a name, which the case at ``requester`` requires.

        Raises `InvalidFilesError` if there is none, or if it is not valid.
        """
        if name not in self._found:
            self._found[name] = None  # this stays if `_read` raises an error
            self._found[name] = self._read(name, requester)
        found = self._found[name]
        if found is None:
            raise InvalidFilesError([Problem(requester, f"the fixture {name} cannot be read")])
        return found

    def _read(self, name: str, requester: Place) -> Fixture:
        """The fixture in the first folder that has one with this name."""
        # The folders are reversed, because the last entry with a name stays.
        paths = {
            path.stem: path for folder in reversed(self.folders) for path in folder.glob("*.yaml")
        }
        if name in paths:
            return read_fixture(read_document(paths[name]), name)
        names = sorted(paths)
        hint = f"there are: {', '.join(names)}" if names else "there is no fixtures folder"
        raise InvalidFilesError([Problem(requester, f"no fixture is named {name}", hint)])
