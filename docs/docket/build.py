"""Write the pages of the docket: ``python -m docs.docket.build``."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from docs.docket.pages import FOLDER, docket_pages
from docs.docket.points import read_docket
from engines.harness.reports import EngineReport, read_report, report_files
from tck.report.record import read_record


def made() -> dict[Path, str]:
    """The text of each page by its path."""
    return docket_pages(read_docket(), list(reports()))


def reports() -> Iterator[EngineReport]:
    """The report of each engine, with its answers to cases that are newer than the report."""
    for path in report_files():
        report = read_report(path)
        newer = path.with_name(path.name.replace("report", "docket"))
        if newer.exists():
            entries = (*report.record.entries, *read_record(newer).entries)
            report = replace(report, record=replace(report.record, entries=entries))
        yield report


def main() -> None:
    """Write the pages, and remove those of points that are no longer listed."""
    texts = made()
    for path in FOLDER.glob("*.md"):
        if path not in texts:
            path.unlink()
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
