"""The gaps of DuckDB, by the kit's words, each with the reason."""

from typing import Final

GAPS: Final = {
    "streaming": "DuckDB has no streaming queries",
    "bounds": "a table has no bounds",
    "late": "rows are never late for a table",
    "disorder": "a table has no order",
    "now": "the clock is the machine's, and cannot be set",
    "current-time": "the clock is the machine's",
    "producers": "a table has no producers",
    "warnings": "a table has no bounds that could move backwards",
    "refusals": "rowtime's own binder would reject the query, so the kit would judge that binder",
    "scripts": "rowtime's own binder would reject the script, so the kit would judge that binder",
    "failures": "failures have DuckDB's own codes, and no place in the text",
    "schema": "columns of a result are never declared NOT NULL, and intervals have no fields",
    "plan": "DuckDB prints plans in a form of its own",
    "monotonicity": "DuckDB deduces no monotonic columns",
    "metadata": "DuckDB deduces no collation, latency or state of a query",
    "step": "no STEP",
    "window-join": "no windows on the inputs of a join",
    "group-id": "no GROUP_ID",
    "initcap": "no INITCAP",
    "count-of-several": "COUNT has one argument",
    "interval-casts": "an INTERVAL can be cast only from a text and to a text",
}
