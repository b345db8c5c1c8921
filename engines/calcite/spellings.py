"""Writes queries in the words of Calcite, as JSON for the backend, which is in Java.

Usage: ``python -m engines.calcite.spellings FILE``.  The file is a list of objects with the
``ddl`` and the ``sql`` of a case, and the ``text`` that Calcite is given in place of ``sql``: that
of `spellings.yaml`, else the query with its windows in Calcite's form.  A query that Calcite is
given as it is has no object.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from engines.calcite.window_tables import in_table
from engines.harness.spellings import read_spellings
from tck.corpus.load import kit_corpus
from tck.corpus.needs import says_stream
from tck.protocol import Open
from tck.wire.window_spelling import with_table_functions

SPELLINGS: Final = Path(__file__).with_name("spellings.yaml")


def main(arguments: Sequence[str]) -> None:
    """Write the file that is named."""
    texts = {**printed(), **read_spellings(SPELLINGS).texts}
    listed = [{"ddl": case.ddl, "sql": case.sql, "text": text} for case, text in texts.items()]
    Path(arguments[0]).write_text(json.dumps(listed, indent=1), encoding="utf-8")


def printed() -> dict[Open, str]:
    """The queries of the kit whose windows Calcite needs in another form, with their texts.

    Calcite reads a window table function only within ``TABLE(…)`` (`in_table`).  It reads, but
    cannot run, a group by TUMBLE or HOP.  Over a table it runs the same query with the window
    table function (`with_table_functions`).  A case with ``schema`` only asks for the columns of
    the query, which is not run.
    """
    texts: dict[Open, str] = {}
    for case in kit_corpus().cases:
        if case.sql is None or case.error is not None:
            continue
        over_tables = case.schema is None and not says_stream(case.sql)
        sql = with_table_functions(case.sql) if over_tables else case.sql
        text = in_table(sql) or sql
        if text != case.sql:
            texts[Open(case.ddl, case.sql, case.profile)] = text
    return texts


if __name__ == "__main__":
    main(sys.argv[1:])
