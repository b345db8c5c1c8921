"""docs/functions.md, generated from the tables that functions are bound by."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from algebra.functions.aggregates import TABLE, WINDOW_TABLE
from algebra.functions.scalar_functions import FUNCTIONS, UNIFYING
from algebra.functions.signature import Signature
from algebra.functions.special_functions import GROUPS, SYNTAX

#: Where the page is kept.
PAGE: Final = Path(__file__).parents[2] / "docs" / "functions.md"

_HEAD: Final = """\
# Functions

Made by `python -m algebra.functions.functions_page --write` of the tables that the binder works
from; a test holds the two together.  *Gives* is a type, which is nullable as *NULL* says.  Other
dialects' names (`LENGTH`, `NVL`, `IFNULL`, …) are refused with the name to write.  Operators, CASE
and CAST are no functions; they follow S-202, S-204 and S-207 of [semantics.md](semantics.md).
"""
_COLUMNS: Final = ("Written", "Takes", "Gives", "NULL", "Errors", "Source")

_OF_AGGREGATES: Final = """\
All take FILTER (WHERE …), DISTINCT unless it says otherwise, and OVER without WITHIN GROUP;
`PERCENTILE_CONT(0.5)` is MEDIAN, and so goes with OVER.  PERCENTILE_CONT and PERCENTILE_DISC take a
constant fraction from 0 to 1, LISTAGG a constant separator, a comma if none is said; with DISTINCT
it is ordered by `x` alone."""

_SECTIONS: Final = (
    ("Scalar functions", "", tuple(dict.fromkeys(FUNCTIONS.values()))),
    ("Functions of values that go together", "", tuple(UNIFYING.values())),
    (
        "Functions with a syntax of their own",
        "",
        tuple(SYNTAX.values()),
    ),
    ("Aggregates", _OF_AGGREGATES, TABLE),
    (
        "Window functions",
        "They stand only before OVER, and take neither DISTINCT nor FILTER.",
        tuple(WINDOW_TABLE.values()),
    ),
    ("Functions of GROUP BY", "", tuple(GROUPS.values())),
)


def page() -> str:
    """The text of docs/functions.md.

    Defines: S-203.w
    """
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield _HEAD.rstrip("\n")
    for title, note, rows in _SECTIONS:
        yield f"\n## {title}\n"
        if note:
            yield f"{note}\n"
        yield _row(_COLUMNS)
        yield _row("-" * len(each) for each in _COLUMNS)
        for each in rows:
            yield _function(each if isinstance(each, Signature) else each.signature)


def _function(row: Signature) -> str:
    forms = ", ".join(f"`{each}`" for each in row.forms)
    return _row((forms, row.takes, row.gives, row.nulls, row.errors, row.source))


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(each.replace("|", r"\|") for each in cells) + " |"


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page(), "utf-8")
    else:
        sys.stdout.write(page())
