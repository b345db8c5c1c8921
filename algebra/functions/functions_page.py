"""The generator of docs/functions.md, from the tables by which functions are bound.

So the page lists exactly the built-in functions that a query can call.
"""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from algebra.functions.aggregates import TABLE, WINDOW_TABLE
from algebra.functions.scalar_functions import FUNCTIONS, UNIFYING
from algebra.functions.signature import Signature
from algebra.functions.special_functions import GROUPS, SYNTAX, TABLES

#: Where the page is kept.
PAGE: Final = Path(__file__).parents[2] / "docs" / "functions.md"

_HEAD: Final = """\
# Functions

This page lists all functions of rowtime's SQL.  The columns of the tables are:

- *Takes* states what each argument must be, in the order of the arguments.  A semicolon stands
  between two arguments.
- *Gives* states the type of the result.
- *NULL* states when the result is NULL.
- *Errors* lists the errors that a call can raise at run time.
- *Source* names the rules ([semantics.md](semantics.md)), the statements of the documentation
  ([sources.md](sources.md)) or the clauses of SQL:2016 that define the function.  *ours* is a
  ruling of this project.

A name from another dialect (`LENGTH`, `NVL`, `IFNULL`, …) is rejected, and the hint of the error
gives the name that this language has for the function.  Operators, CASE and CAST are not
functions.  S-202, S-204 and S-207 of [semantics.md](semantics.md) define them.

This page is made by `python -m algebra.functions.functions_page --write`.
"""
_COLUMNS: Final = ("Written", "Takes", "Gives", "NULL", "Errors", "Source")

_NOTE_ON_AGGREGATES: Final = """\
Every aggregate accepts FILTER (WHERE …).  An aggregate without WITHIN GROUP accepts OVER.  Of the
aggregates with WITHIN GROUP, only `PERCENTILE_CONT(0.5)` accepts OVER, because it is the same as
MEDIAN.  An aggregate accepts DISTINCT unless the table states that DISTINCT is not allowed.

The fraction of PERCENTILE_CONT and PERCENTILE_DISC is a constant from 0 to 1.  The separator of
LISTAGG is a constant; if the separator is omitted, it is a comma.  If LISTAGG has DISTINCT, it can
be ordered only by `x`, the text that LISTAGG joins."""

_NOTE_ON_TABLES: Final = """\
The outer `TABLE(…)` around the call may be left out.  The arguments may be given by
name.  The names for TUMBLE are DATA, TIMECOL, SIZE and OFFSET.  HOP has these names and SLIDE;
CUMULATE has these names and STEP.  The names for SESSION are DATA, TIMECOL and GAP."""

#: The sections of the page: the title, a text above the table, and the functions in the table.
_SECTIONS: Final = (
    ("Scalar functions", "", tuple(dict.fromkeys(FUNCTIONS.values()))),
    ("Functions of values with a common type", "", tuple(UNIFYING.values())),
    (
        "Functions with a syntax of their own",
        "",
        tuple(SYNTAX.values()),
    ),
    ("Aggregates", _NOTE_ON_AGGREGATES, TABLE),
    (
        "Window functions",
        "Window functions require OVER, and accept neither DISTINCT nor FILTER.",
        tuple(WINDOW_TABLE.values()),
    ),
    ("Functions of GROUP BY", "", tuple(GROUPS.values())),
    (
        "Functions in FROM",
        _NOTE_ON_TABLES,
        tuple(TABLES.values()),
    ),
)


def page() -> str:
    """The text of docs/functions.md.

    Defines: S-203.w
    """
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    """The lines of the page: the head, then each section with its note and its table."""
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
    """The line of a function in a table."""
    forms = ", ".join(f"`{each}`" for each in row.forms)
    return _row((forms, row.takes, row.gives, row.nulls, row.errors, row.source))


def _row(cells: Iterable[str]) -> str:
    """A line of a Markdown table; a ``|`` in a cell is escaped."""
    return "| " + " | ".join(each.replace("|", r"\|") for each in cells) + " |"


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page(), "utf-8")
    else:
        sys.stdout.write(page())
