"""`python -m tests.release_requirements 1.1`: write the list of the cases that a release requires.

A release requires all cases of the kit, except those of the chapter `beyond`.  The file of a
release is written once, because the list of a release never changes.
"""

import sys
from collections.abc import Iterable
from pathlib import Path

from tck.corpus.case import Case
from tck.corpus.load import kit_corpus
from tck.corpus.selected.requirements import BEYOND, kit_requirements


def requirements_text(release: str, ids: Iterable[str]) -> str:
    """The text of the file of a release that requires the cases with these ids."""
    return f"release: '{release}'\nrequired:\n" + "".join(f"- {id}\n" for id in sorted(ids))


def write_requirements(folder: Path, release: str, cases: Iterable[Case]) -> None:
    """Write the file of a release.  Raises `FileExistsError` if the release has a file."""
    required = {case.id for case in cases if case.chapter != BEYOND}
    with (folder / f"{release}.yaml").open("x", encoding="utf-8") as file:
        file.write(requirements_text(release, required))


if __name__ == "__main__":
    (release,) = sys.argv[1:]
    write_requirements(kit_requirements(), release, kit_corpus().cases)
