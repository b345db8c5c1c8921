"""Read and write the file of result types: the columns of the result of each case.

``result-types.json`` in the root of a corpus maps the id of a case to its columns, each as
``NAME TYPE``.  A case that lists its columns (``schema``) is not in the file.  The expected rows
are read by these types.  They are not expectations: a backend may use other column names, and other
types that `tck.judging.rows.widening` allows.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, TypeAlias

from tck.corpus.case import Case, Place
from tck.corpus.document import Problem, read_json_lists
from tck.corpus.rows import column, identifier_text
from tck.files import shown_path
from tck.protocol import ColumnInfo

#: The columns of results by case id, without NOT NULL.
ResultTypes: TypeAlias = Mapping[str, tuple[ColumnInfo, ...]]

TYPES_FILE: Final = "result-types.json"
#: The hint of all problems of the file.
_WRITE: Final = "`rowtime tck lint --write-types` writes the file"


def read_types(root: Path) -> ResultTypes:
    """The result types of a corpus; empty if it has no such file.  Raises `InvalidFilesError`."""
    path = root / TYPES_FILE
    if not path.is_file():
        return {}
    listed = read_json_lists(path, "column", _WRITE)
    return {id: tuple(map(column, columns)) for id, columns in listed.items()}


def types_problems(root: Path, cases: Iterable[Case]) -> Iterator[Problem]:
    """A problem for each case that the file of result types lacks, and each entry without a case.

    There are no problems if the corpus has no such file.
    """
    types = read_types(root)
    if not types:
        return
    place = Place(shown_path(root / TYPES_FILE), 1)
    listed = {case.id for case in cases if _is_listed(case)}
    for id in sorted(listed ^ types.keys()):
        what = "has no types of its result" if id in listed else "is not a case that needs an entry"
        yield Problem(place, f"{id} {what}", _WRITE)


def types_text(cases: Iterable[Case]) -> str:
    """The file of the result types of some cases, one line each, in the order of ids.

    A case with ``schema``, or without rows, is left out.
    """
    lines = [
        f"{json.dumps(case.id)}: "
        + json.dumps([f"{identifier_text(each.name)} {each.type}" for each in case.result])
        for case in sorted(cases, key=lambda case: case.id)
        if _is_listed(case) and case.result is not None
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _is_listed(case: Case) -> bool:
    """Whether a case must be in the file: it expects rows, but does not list their types."""
    return case.runs and case.schema is None
