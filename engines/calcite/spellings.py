"""Writes `spellings.yaml` as JSON for the backend, which is in Java and knows no case by its id.

Usage: ``python -m engines.calcite.spellings FILE``.  The file is a list of objects with the
``ddl`` and the ``sql`` of a case, and the ``text`` that Calcite is given in place of ``sql``.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from engines.harness.spellings import read_spellings

SPELLINGS: Final = Path(__file__).with_name("spellings.yaml")


def main(arguments: Sequence[str]) -> None:
    """Write the file that is named."""
    texts = read_spellings(SPELLINGS).texts
    listed = [{"ddl": asked.ddl, "sql": asked.sql, "text": text} for asked, text in texts.items()]
    Path(arguments[0]).write_text(json.dumps(listed, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
