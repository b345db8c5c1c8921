"""Write the cited statements as data, from which the script of their page draws the rows."""

from collections.abc import Mapping, Sequence

from tck.corpus.ledger import Entry as Statement
from tck.pages.abilities import Group
from tck.pages.engines import Engine
from tck.pages.packed import Data, Places


def statement_list(
    sections: Mapping[str, Sequence[tuple[Group, Statement | None]]], engines: Sequence[Engine]
) -> Data:
    """The data of the page that lists the statements.

    A row is either the title of a section, alone, or a statement: its id, its text, the correct
    text that an erratum gives, and for each engine a place in ``abilities``.  There an ability is a
    pair: the state whose colour and sign it has, and its text.  The text of a clause is empty.
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
