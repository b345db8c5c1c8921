"""The mistakes that no case kills: equivalent ones, and those for which a case is missing."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rowtime.score.mistake import Mistake
from tck.corpus.document import InvalidFilesError, Problem, read_valid

#: The file of the known survivors.
FILE: Final = Path(__file__).with_name("survivors.yaml")


@dataclass(frozen=True, slots=True)
class Survivor:
    """The reason why no case kills a mistake.

    ``equivalent``: no case can kill the mistake, because the wrong backend behaves as the reference
    does, or as the rules permit.  If it is false, a case is missing.
    """

    why: str
    equivalent: bool


def known_survivors(file: Path = FILE) -> Mapping[str, Survivor]:
    """The survivors of a file, by the identities of their mistakes (`identity`).

    Raises `InvalidFilesError`, also if a mistake is listed twice.
    """
    found: dict[str, Survivor] = {}
    problems: list[Problem] = []
    for group, listed in read_valid(file, "lists.schema.json", "survivors").items:
        for each in listed.elements if listed.data else ():
            mistake, why = map(each.required_text, ("mistake", "why"))
            if mistake in found:
                problems.append(each.problem(f"{mistake} is listed twice"))
            found[mistake] = Survivor(why, group == "equivalent")
    if problems:
        raise InvalidFilesError(problems)
    return found


def identity(mistake: Mistake) -> str:
    """The text by which files list a mistake.

    For a hand-written mistake it is the name.  For a mutant it is the function and the changed
    lines, so that edits of other lines of the function do not change it.
    """
    if mistake.origin == "by hand":
        return mistake.id
    return f"{mistake.change.where}: {mistake.says}"


def is_of_mutant(identity: str) -> bool:
    """Whether an `identity` is that of a mutant; the names of other mistakes have no ": "."""
    return ": " in identity
