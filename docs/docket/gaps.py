"""The reason for which an engine gave no answer to a case, in the words of today's driver."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from engines.chdb.gaps import GAPS as CHDB
from engines.duckdb.gaps import GAPS as DUCKDB
from engines.flink.gaps import GAPS as FLINK
from engines.harness.reports import ROOT
from engines.sparknative.gaps import GAPS as SPARKNATIVE
from engines.sqlite.gaps import GAPS as SQLITE

#: The gaps of drivers in Python, by the folder of the engine.
_IN_PYTHON: Final[Mapping[str, Mapping[str, str]]] = {
    "chdb": CHDB,
    "duckdb": DUCKDB,
    "flink": FLINK,
    "sparknative": SPARKNATIVE,
    "sqlite": SQLITE,
}
#: The name that a report gives to the feature of a query that the engine itself rejected.
_UNSUPPORTED: Final = "unsupported"


def skip_reason(folder: str, recorded: str) -> str:
    """The reason of a skipped case, in words for a reader.

    ``recorded`` is ``FEATURE: REASON``, as in the engine's report.  A reason that the driver words
    differently since the run is shown in the driver's words of today.
    """
    feature, _, reason = recorded.partition(": ")
    if feature == _UNSUPPORTED:
        return f"it does not support the query (“{reason}”)"
    words = declared_gaps(folder).get(feature, reason)
    has = "the engine has " if words.startswith("no ") else ""
    return f"the case needs the feature `{feature}`, which is declared as missing: {has}{words}"


@cache
def declared_gaps(folder: str) -> Mapping[str, str]:
    """The features that an engine lacks, each with the reason, as its driver declares them."""
    if folder in _IN_PYTHON:
        return _IN_PYTHON[folder]
    (hello,) = Path(ROOT / folder).rglob("hello.json")
    gaps: dict[str, str] = json.loads(hello.read_text("utf-8"))["gaps"]
    return gaps
