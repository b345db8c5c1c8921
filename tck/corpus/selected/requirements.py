"""Read the requirements of each release: the cases of the kit whose failure fails a run.

Other cases are run, too, but their failures are only reported.
"""

from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Final

import tck
from tck.corpus.case import Case, Place
from tck.corpus.document import Problem, read_valid

#: The word that users write in place of a release if every case is required.
ALL: Final = "all"

#: The chapter of the cases that no source demands, and so no release requires.
BEYOND: Final = "beyond"


def kit_requirements() -> Path:
    """The folder of the kit's requirements: a file for each release, named by its number."""
    return Path(str(files(tck).joinpath("requirements")))


def releases(folder: Path) -> tuple[str, ...]:
    """The releases that have requirements, the newest last."""
    return tuple(sorted((path.stem for path in folder.glob("[0-9]*.yaml")), key=_number))


def required_ids(folder: Path, release: str) -> frozenset[str]:
    """The ids of the cases that a release requires.

    Raises `InvalidFilesError` if the file cannot be read.
    """
    top = read_valid(folder / f"{release}.yaml", "lists.schema.json", "requirements")
    return frozenset(top.texts("required"))


def vanished(folder: Path, cases: Iterable[Case]) -> Iterator[Problem]:
    """A problem for each id that a release requires, but no case has.

    Raises the errors of `required_ids`.
    """
    known = {case.id for case in cases}
    for release in releases(folder):
        place = Place(str(folder / f"{release}.yaml"), 1)
        for id in sorted(required_ids(folder, release) - known):
            hint = "an id is for ever: bring the case back"
            yield Problem(place, f"release {release} requires {id}, which no case has", hint)


def _number(release: str) -> tuple[int, ...]:
    """The parts of a release's number, by which releases are sorted: (1, 10) for ``1.10``."""
    return tuple(int(part) for part in release.split("."))
