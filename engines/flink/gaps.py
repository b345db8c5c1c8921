"""What Flink lacks, in the kit's words, each with the reason."""

from collections.abc import Mapping
from typing import Final

GAPS: Final[Mapping[str, str]] = {
    "ordered-output": "the order of a table's rows is open, but for ORDER BY",
    "refusals": "refuses with messages of its own, which have no codes",
    "failures": "fails with messages of its own, which have no codes",
    "failure-places": "a failure has no place in the text",
    "scripts": "refuses with messages of its own, which have no codes",
    "plan": "plans are Flink's own",
    "monotonicity": "nothing is deduced but the time attribute",
    "metadata": "nothing is deduced but the time attribute",
    "late": "late rows are dropped by windows and OVER without a word, and pass all else",
    "now": "the clock is the machine's",
    "producers": "a table has no producers",
    "warnings": "a watermark in the past is ignored without a word",
    "step": "no STEP",
    "monotonic-function": "no MONOTONIC",
    "versioned-tables": "tables have no declared periods",
    "user-functions": "no functions in SQL",
    "check-constraints": "no CHECK",
    "upsert": "no UPSERT",
    "update-delete": "of connectors that support it alone",
    "merge": "no MERGE",
    "expedited": "no INSERT EXPEDITED",
    "column-defaults": "no DEFAULT",
    "month-windows": "windows of months are refused",
    "groups-frames": "no GROUPS",
    "frame-exclusion": "no EXCLUDE",
    "nth-value": "NTH_VALUE is not implemented",
    "median": "no MEDIAN",
    "every-some": "no EVERY and no SOME",
    "covariances": "no CORR, COVAR_POP and COVAR_SAMP",
    "following-frames": "frames end with the current row",
    "history": "a stream has no history that a query could read while it runs",
    "relational": "only streaming queries are put to it here",
}
