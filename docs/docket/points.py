"""The points of the docket, as ``points.yaml`` lists them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypedDict, cast

import yaml

#: The list of the points.
FILE: Final = Path(__file__).with_name("points.yaml")


@dataclass(frozen=True, slots=True)
class Point:
    """A question, and the clauses, the cases and the reason that answer it.

    ``id`` is the name of its page.  ``clauses`` are ids of docs/semantics.md, first the one that
    decides; ``cases`` are ids of the corpus.
    """

    id: str
    question: str
    clauses: tuple[str, ...]
    cases: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Docket:
    """The points, in the order of the file."""

    points: tuple[Point, ...]


class _PointFields(TypedDict):
    id: str
    question: str
    clauses: list[str]
    cases: list[str]
    reason: str


class _File(TypedDict):
    points: list[_PointFields]


def read_docket(file: Path = FILE) -> Docket:
    """The docket in a file.  Raises ``KeyError`` if a point lacks a key."""
    data = cast("_File", yaml.safe_load(file.read_text(encoding="utf-8")))  # a file of this folder
    return Docket(
        tuple(
            Point(
                each["id"],
                each["question"],
                tuple(each["clauses"]),
                tuple(each["cases"]),
                each["reason"],
            )
            for each in data["points"]
        ),
    )
