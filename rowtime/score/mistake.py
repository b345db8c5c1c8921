"""Mistakes: a change of the reference with a name and a description, and the hand-written ones.

The hand-written mistakes are read from the folder `mistakes`.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from rowtime.score.change import Change
from tck.corpus.document import InvalidFilesError, Problem, YamlNode, read_valid

#: Whether a person wrote the mistake, or a mutation tool.
Origin: TypeAlias = Literal["by hand", "by tool"]

#: The folder of the mistakes written by hand, a file for each subject.
FOLDER: Final = Path(__file__).with_name("mistakes")


@dataclass(frozen=True, slots=True)
class Mistake:
    """A wrong backend: the reference with one change.

    ``id`` is its name, and ``says`` a line that describes it.  ``subject`` is its group in the
    report, such as "joins".  ``timing``: the mistake changes *when* something happens or is known
    (rows, bounds, lateness).  Then transcripts must detect it: cases whose steps list when rows are
    emitted.
    """

    id: str
    subject: str
    says: str
    change: Change
    origin: Origin
    timing: bool = False


def by_hand(folder: Path = FOLDER) -> tuple[Mistake, ...]:
    """The mistakes of a folder's files, subject by subject, in the order of the files.

    Raises `InvalidFilesError`, also if two mistakes have one name.
    """
    found: dict[str, Mistake] = {}
    problems: list[Problem] = []
    for file in sorted(folder.glob("*.yaml")):
        try:
            top = read_valid(file, "lists.schema.json", "mistakes")
        except InvalidFilesError as error:
            problems.extend(error.problems)
            continue
        subject, listed = top.required_text("subject"), top.get("mistakes")
        assert listed is not None, "the schema asks for mistakes"
        for node in listed.elements:
            each = _mistake(node, subject, timing=_is_true(top, "timing", default=False))
            if each.id in found:
                problems.append(node.problem(f"the name {each.id} is taken"))
            found[each.id] = each
    if problems:
        raise InvalidFilesError(problems)
    return tuple(found.values())


def _mistake(node: YamlNode, subject: str, *, timing: bool) -> Mistake:
    """A mistake of a file; ``subject`` is that of the file, and ``timing`` the file's default."""
    module, _, function = node.required_text("in").partition(":")
    was = "".join(node.texts("was"))
    return Mistake(
        node.required_text("id"),
        subject,
        node.required_text("says"),
        Change(module, function, was, node.required_text("now")),
        "by hand",
        _is_true(node, "timing", default=timing),
    )


def _is_true(node: YamlNode, key: str, *, default: bool) -> bool:
    """Whether the value of a key is true; ``default`` if the node does not have the key."""
    value = node.get(key)
    return default if value is None else value.data is True
