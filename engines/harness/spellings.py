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
from typing import cast

import yaml

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

    Raises ``ValueError`` where the file is something else than texts by case id.
    """
    data: object = yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else None
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise ValueError(f"{path}: spellings are written `case-id: the query`")
    found: dict[str, str] = {}
    for id, text in cast("dict[object, object]", data).items():  # as YAML has it
        if not isinstance(id, str) or not isinstance(text, str):
            raise ValueError(f"{path}: a spelling is `case-id: the query`, not {id}: {text}")
        found[id] = text.strip()
    return found


def read_spellings(path: Path) -> Spellings:
    """The spellings of a file, for the cases of the kit.

    Raises ``ValueError`` also where there is no case of an id.
    """
    texts = read_texts(path)
    if not texts:
        return Spellings()
    cases = {each.id: each for each in kit_corpus().cases}
    strangers = sorted(set(texts) - set(cases))
    if strangers:
        raise ValueError(f"{path}: the kit has no case {', '.join(strangers)}")
    return Spellings({
        Open(cases[id].ddl, cases[id].sql, cases[id].profile): text for id, text in texts.items()
    })  # fmt: skip
