"""Read the core: a small part of the kit's cases that detects nearly all mistakes.

`rowtime tck core` chooses these cases by means of an implementation, and writes the file.
"""

from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path

import tck
from tck.corpus.case import Case, Place
from tck.corpus.document import Problem, read_valid


def kit_core() -> Path:
    """The file of the kit's core: the ids of its cases, each with the reasons for it."""
    return Path(str(files(tck).joinpath("requirements", "core.yaml")))


def core_ids(file: Path) -> frozenset[str]:
    """The ids of the cases in the core.  Raises `InvalidFilesError` if the file cannot be read."""
    listed = read_valid(file, "lists.schema.json", "core").get("core")
    assert listed is not None, "the schema asks for the core"
    return frozenset(id for id, _ in listed.items)


def vanished_from_core(file: Path, cases: Iterable[Case]) -> Iterator[Problem]:
    """A problem for each id in the core that no case has.  Raises the errors of `core_ids`."""
    for id in sorted(core_ids(file) - {case.id for case in cases}):
        what = f"{id} is in the core, but no case has this id"
        yield Problem(Place(str(file), 1), what, "choose the core again: rowtime tck core --write")
