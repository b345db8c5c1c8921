"""The parts of README.md and docs/ that are made of the engines' reports.

``python -m engines.harness.pages`` writes them again; with files of JSON lines as arguments it
first takes the marks of this project's own backends from them, and leaves those of others as they
were.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from engines.harness.differences import differences, scripts, summary
from engines.harness.disagreement import disagreement
from engines.harness.matrix import columns, read_ours, results, table, write_ours
from engines.harness.reports import ROOT, read_report, report_files
from tck.report.record import read_record

#: The folder of the repository.
TOP: Final = ROOT.parent


def blocks() -> dict[str, str]:
    """The generated texts by the name of their block."""
    reports = [read_report(each) for each in report_files()]
    others = [column for each in reports for column in columns(each.record)]
    return {
        "disagreement": disagreement(reports),
        "results": results([*read_ours(), *others]),
        "matrix": table([*others, *read_ours()]),
        "summary": summary(reports),
        "scripts": scripts(TOP / "docs" / "engines"),
        "differences": differences(reports),
    }


#: The files with a generated part.
FILES: Final = (
    TOP / "README.md",
    TOP / "docs" / "engines" / "index.md",
    TOP / "docs" / "differences.md",
)


def with_blocks(text: str, found: dict[str, str]) -> str:
    """``text`` with the blocks between ``<!-- begin NAME … -->`` and ``<!-- end NAME -->``."""
    for name, block in found.items():
        begin = re.search(rf"<!-- begin {name}\b.*-->\n", text)
        end = text.find(f"<!-- end {name} -->")
        if begin is not None and end >= 0:
            text = f"{text[: begin.end()]}\n{block}\n\n{text[end:]}"
    return text


def pages(found: dict[str, str]) -> Iterator[tuple[Path, str, str]]:
    """Each file with its text as it is, and as it should be with the ``found`` `blocks`."""
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        yield path, text, with_blocks(text, found)


def main(records: list[str]) -> None:
    """Write the generated parts."""
    if records:
        write_ours([column for each in records for column in columns(read_record(Path(each)))])
    for path, _, text in pages(blocks()):
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
