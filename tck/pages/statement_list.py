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
    text that an erratum gives, and for each engine the place of its ability in ``abilities``.  Each
    member of ``abilities`` is a pair: the state whose colour and sign the ability has, and a text.
    The texts of a clause such as ``S-203.a`` are empty, because the ledger only has its rule.
    """
    abilities = Places()
    rows: list[Data] = []
    for title, listed in sections.items():
        rows.append([title])
        for each, statement in listed:
            is_clause = "." in each.name
            entry = None if is_clause else statement
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
