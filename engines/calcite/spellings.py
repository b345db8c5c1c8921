"""Writes queries in the words of Calcite, as JSON for the backend, which is in Java.

Usage: ``python -m engines.calcite.spellings FILE``.  The file is a list of objects with the
``ddl`` and the ``sql`` of a case, and the ``text`` that Calcite is given in place of ``sql``: that
of `spellings.yaml`, else the query with its window table functions in Calcite's form.
"""

import json
import sys
from collections.abc import Iterator, Sequence
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
    written = read_spellings(SPELLINGS).texts
    listed = [{"ddl": a.ddl, "sql": a.sql, "text": t} for a, t in (*printed(), *written.items())]
    Path(arguments[0]).write_text(json.dumps(listed, indent=1), encoding="utf-8")


def printed() -> Iterator[tuple[Open, str]]:
    """The queries of the kit with a window that Calcite reads, or can run, in another form alone.

    Calcite cannot run a group by TUMBLE or HOP, but over a table it runs the table function.
    """
    for case in kit_corpus().cases:
        if case.sql is None or case.error is not None:
            continue
        over_tables = case.schema is None and not says_stream(case.sql)
        sql = with_table_functions(case.sql) if over_tables else case.sql
        text = in_table(sql)
        if text is not None or sql != case.sql:
            yield Open(case.ddl, case.sql, case.profile), text or sql


if __name__ == "__main__":
    main(sys.argv[1:])
