"""The mistakes that no case kills: equivalent ones, and those for which a case is missing."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import yaml

from rowtime.score.mistake import Mistake

#: The survivors that are known.
FILE: Final = Path(__file__).with_name("survivors.yaml")


@dataclass(frozen=True, slots=True)
class Survivor:
    """The reason why no case kills a mistake.

    ``equivalent``: no case can kill it, because it behaves as the reference does, or as the rules
    permit. Else a case is missing.
    """

    why: str
    equivalent: bool


def known_survivors(file: Path = FILE) -> Mapping[str, Survivor]:
    """The survivors of a file, by the identities of their mistakes (`identity`)."""
    document = yaml.safe_load(file.read_text("utf-8"))
    return {
        each["mistake"]: Survivor(each["why"], group == "equivalent")
        for group in ("equivalent", "missed")
        for each in document[group] or ()
    }


def identity(mistake: Mistake) -> str:
    """The identity of a mistake: its name; for a mutant, its place and the changed lines.

    So a mutant keeps its identity if other lines of its function change.
    """
    if mistake.origin == "by hand":
        return mistake.id
    return f"{mistake.change.where}: {mistake.says}"


def is_of_mutant(identity: str) -> bool:
    """Whether an `identity` is that of a mutant."""
    return ": " in identity
