"""Spellings: queries that a person has written in an engine's dialect, by the id of their case.

.. code-block:: yaml

    tumble-over-history: |
      SELECT time_bucket(INTERVAL 1 HOUR, rowtime) AS w, COUNT(*) FROM ORDERS GROUP BY ALL

Such a text is used in place of the printer's.  Tables are called as in the case, in upper case and
with their schema before a dot, ``"SALES.ORDERS"``.  The engine's tests run each of them on its
case's rows and compare the answer with the reference's.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tck.corpus.document import InvalidFilesError, YamlNode, read_valid
from tck.corpus.load import kit_corpus
from tck.protocol import Open


@dataclass(frozen=True, slots=True)
class Spellings:
    """The texts of a file, by script, query and profile of their cases."""

    texts: Mapping[Open, str] = field(default_factory=dict[Open, str])

    def find(self, request: Open) -> str | None:
        """The text for a query; None: there is none, so that a printer says it."""
        return self.texts.get(request)


def read_texts(path: Path) -> dict[str, str]:
    """The texts of the file by case id; none if there is no such file.

    Raises `InvalidFilesError` where the file is something else than texts by case id.
    """
    return {id: node.text.strip() for id, node in _nodes(path)}


def _nodes(path: Path) -> list[tuple[str, YamlNode]]:
    if not path.exists():
        return []
    return read_valid(path, "lists.schema.json", "spellings").items


def read_spellings(path: Path) -> Spellings:
    """The spellings of a file, for the cases of the kit.

    Raises `InvalidFilesError` also where there is no case of an id.
    """
    nodes = _nodes(path)
    if not nodes:
        return Spellings()
    cases = {each.id: each for each in kit_corpus().cases}
    strangers = [node.problem(f"the kit has no case {id}") for id, node in nodes if id not in cases]
    if strangers:
        raise InvalidFilesError(strangers)
    return Spellings({
        Open(cases[id].ddl, cases[id].sql, cases[id].profile): node.text.strip()
        for id, node in nodes
    })  # fmt: skip
