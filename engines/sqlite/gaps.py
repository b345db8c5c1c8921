"""What SQLite lacks, by the kit's words, each with the reason."""

from typing import Final

GAPS: Final = {
    "streaming": "SQLite has no streaming queries",
    "bounds": "a table has no bounds",
    "late": "rows are never late for a table",
    "disorder": "a table has no order",
    "now": "the clock is the machine's",
    "current-time": "the clock is the machine's",
    "producers": "a table has no producers",
    "refusals": "queries go through rowtime's own binder, which would judge itself",
    "scripts": "scripts go through rowtime's own binder, which would judge itself",
    "failures": "failures have codes of SQLite's own, and no place in the text",
    "schema": "types belong to values, not to columns",
    "plan": "plans are SQLite's own",
    "monotonicity": "nothing is deduced",
    "metadata": "nothing is deduced",
}
