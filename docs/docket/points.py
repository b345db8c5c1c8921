"""The points of the docket, as ``points.yaml`` lists them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tck.corpus.document import YamlNode, read_valid

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


def read_docket(file: Path = FILE) -> Docket:
    """The docket in a file.  Raises `InvalidFilesError`."""
    listed = read_valid(file, "lists.schema.json", "docket").get("points")
    assert listed is not None, "the schema asks for points"
    return Docket(tuple(map(_point, listed.elements)))


def _point(node: YamlNode) -> Point:
    return Point(
        node.required_text("id"),
        node.required_text("question"),
        node.texts("clauses"),
        node.texts("cases"),
        node.required_text("reason"),
    )
