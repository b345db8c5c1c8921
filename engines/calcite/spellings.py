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
from tck.protocol import Open

SPELLINGS: Final = Path(__file__).with_name("spellings.yaml")


def main(arguments: Sequence[str]) -> None:
    """Write the file that is named."""
    written = read_spellings(SPELLINGS).texts
    listed = [{"ddl": a.ddl, "sql": a.sql, "text": t} for a, t in (*printed(), *written.items())]
    Path(arguments[0]).write_text(json.dumps(listed, indent=1), encoding="utf-8")


def printed() -> Iterator[tuple[Open, str]]:
    """The queries of the kit whose window table functions Calcite reads in another form."""
    for case in kit_corpus().cases:
        if case.sql is None or case.error is not None:
            continue
        if (text := in_table(case.sql)) is not None:
            yield Open(case.ddl, case.sql, case.profile), text


if __name__ == "__main__":
    main(sys.argv[1:])
