"""What DuckDB lacks, by the kit's words, each with the reason."""

from typing import Final

GAPS: Final = {
    "streaming": "DuckDB has no streaming queries",
    "bounds": "a table has no bounds",
    "late": "rows are never late for a table",
    "disorder": "a table has no order",
    "now": "the clock is the machine's",
    "current-time": "the clock is the machine's",
    "producers": "a table has no producers",
    "warnings": "a table has no bounds that could go back",
    "refusals": "queries go through rowtime's own binder, which would judge itself",
    "scripts": "scripts go through rowtime's own binder, which would judge itself",
    "failures": "failures have codes of DuckDB's own, and no place in the text",
    "schema": "columns of a result are never declared NOT NULL, and intervals have no fields",
    "plan": "plans are DuckDB's own",
    "monotonicity": "nothing is deduced",
    "metadata": "nothing is deduced",
    "step": "no STEP",
    "window-join": "no windows on the inputs of a join",
    "group-id": "no GROUP_ID",
    "initcap": "no INITCAP",
    "count-of-several": "COUNT has one argument",
    "interval-casts": "an INTERVAL is cast from text, and to it, alone",
}
