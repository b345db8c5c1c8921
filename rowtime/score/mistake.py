"""Wrong backends: a change of the reference, its name, and a description of the fault."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

import yaml

from rowtime.score.change import Change

#: Whether a person wrote the mistake, or a mutation tool.
Origin: TypeAlias = Literal["by hand", "by tool"]

#: The folder of the mistakes written by hand, a file for each subject.
FOLDER: Final = Path(__file__).with_name("mistakes")


@dataclass(frozen=True, slots=True)
class Mistake:
    """A wrong backend: the reference with one change.

    ``id`` is its name, ``says`` a line that describes it. ``timing``: it changes *when* something
    happens or is known (rows, bounds, lateness), so that transcripts must detect it.
    """

    id: str
    subject: str
    says: str
    change: Change
    origin: Origin
    timing: bool = False


def by_hand(folder: Path = FOLDER) -> tuple[Mistake, ...]:
    """The mistakes of a folder's files, subject by subject, in the order of the files."""
    return tuple(each for file in sorted(folder.glob("*.yaml")) for each in _read(file))


def _read(file: Path) -> Iterator[Mistake]:
    document = yaml.safe_load(file.read_text("utf-8"))
    subject, timing = document["subject"], document.get("timing", False)
    for each in document["mistakes"]:
        module, _, function = each["in"].partition(":")
        change = Change(module, function, each.get("was", ""), str(each["now"]))
        timed = each.get("timing", timing)
        yield Mistake(each["id"], subject, each["says"], change, "by hand", timed)
