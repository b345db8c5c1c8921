"""The cited statements as data, from which the script of their page draws the rows."""

from collections.abc import Mapping, Sequence

from tck.corpus.ledger import Entry as Statement
from tck.pages.abilities import Group
from tck.pages.engines import Engine
from tck.pages.packed import Data, Places


def statement_list(
    sections: Mapping[str, Sequence[tuple[Group, Statement | None]]], engines: Sequence[Engine]
) -> Data:
    """The statements as data of their page.

    ``rows`` are in order: the title of a section alone, or a statement with its id, its text, the
    text that is right instead, and the place of each engine's ability in ``abilities``.  These are
    pairs: a state, whose look and sign it has, and the words.  Clauses have no text.
    """
    abilities = Places()
    rows: list[Data] = []
    for title, listed in sections.items():
        rows.append([title])
        for each, statement in listed:
            entry = statement if "." not in each.name else None
            rows.append(
                [
                    each.name,
                    entry.says if entry else "",
                    entry.right if entry else "",
                    [abilities.of(ability.shown) for ability in each.abilities],
                ]
            )
    return {
        "engines": [engine.label for engine in engines],
        "rows": rows,
        "abilities": abilities.values,
    }
