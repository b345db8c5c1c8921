"""Write the ledger as a page in Markdown: the statements of the sources, each with its cases."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from tck.corpus.case import Case
from tck.corpus.ledger import CoveredEntry, Entry, coverage

#: The families in the order of the page, each with its title and a sentence about its contents.
FAMILIES: Final[Mapping[str, tuple[str, str]]] = {
    "CAL": (
        "CAL: streaming SQL in Calcite",
        "These statements come from both versions of Apache Calcite's streaming page.",
    ),
    "MON": (
        "MON: monotonic expressions",
        "These statements come from SQLstream's page on monotonic expressions.",
    ),
    "EXT": (
        "EXT: streaming extensions to SQL",
        "These statements come from SQLstream's page on its extensions to SQL.",
    ),
    "RTB": (
        "RTB: rowtime bounds",
        "These statements come from SQLstream's pages on rowtimes and their bounds.",
    ),
    "E": (
        "E: errata",
        "At these places the documentation is wrong, contradicts itself or is incomplete.",
    ),
    "S": (
        "S: rulings",
        "Each line has the subject of a rule; [semantics.md](semantics.md) has the rules in full.",
    ),
}

_OPENING: Final = """\
# Sources

This page lists the statements that the kit tests.  There are three kinds:

- *statements* of the SQLstream and Calcite documentation of streaming SQL, in our own words;
- *errata*, which correct that documentation;
- *rulings*, which settle the questions that the documentation leaves open.

Cases cite the numbers of these statements.

Each statement has a status:

- *tested*: cases test the statement.  If a case cannot express the statement, a test of the code
  tests it.  The ids of the cases or tests follow.  The cases of a series (a table of similar cases)
  are shown as one pattern with their number, such as `grid-tumble-*` (19).
- *timed*: the statement is about the moment at which rows are emitted.  An engine that is judged
  only by its final result (at the tier `final`) is not tested for the statement.
- *not testable*: no case can test the statement, and the reason follows.
- *open*: the statement has no case yet.

`rowtime tck list --only CASE` prints the file of a case, and `rowtime tck run --only CASE` runs it.
The command `rowtime tck sources > docs/sources.md` makes this page from `tck/ledger/*.yaml` and the
cases.
"""


def sources(entries: Iterable[Entry], cases: Iterable[Case]) -> str:
    """The page in Markdown: a section for each family, with an item for each entry, in order.

    Families that are not in `FAMILIES` follow at the end, titled by their letters.
    """
    listed, known = tuple(entries), tuple(cases)
    status = {covered.id: covered for covered in coverage(listed, known)}
    series = {case.id: f"{case.series}-*" for case in known if case.series}
    families = dict.fromkeys((*FAMILIES, *(entry.family for entry in listed)))
    sections = [_OPENING]
    for family in families:
        of_family = [entry for entry in listed if entry.family == family]
        if of_family:
            title, about = FAMILIES.get(family, (family, ""))
            sections.append(
                f"## {title}\n\n{about}\n{_contents(of_family, status, series)}".strip() + "\n"
            )
    return "\n".join(sections)


def _contents(
    entries: Iterable[Entry], status: Mapping[str, CoveredEntry], series: Mapping[str, str]
) -> str:
    """The items of a family, with a heading wherever the section of the source changes.

    ``status`` has the coverage by the id of an entry.  ``series`` has, by the id of a case, the
    pattern that stands for all cases of its series.
    """
    lines: list[str] = []
    section = ""
    for entry in entries:
        page, _, part = entry.source.partition(": ")
        if part != section:
            section = part
            lines.append(f"\n### {section}\n")
        elif not lines:  # the first entry has no section: a blank line begins the list
            lines.append("")
        lines.append(_statement(entry, page, status[entry.id], series))
    return "\n".join(lines)


def _statement(entry: Entry, page: str, covered: CoveredEntry, series: Mapping[str, str]) -> str:
    """An item: id, source, statement and correction; then status, with cases or the reason."""
    right = f" *Right:* {entry.right}" if entry.right else ""
    names = Counter(series.get(case, case) for case in covered.cases)
    cited = (f"`{name}`" + (f" ({n})" if n > 1 else "") for name, n in names.items())
    named = (f"`{each}`" for each in covered.tests)
    tests = ", ".join((*cited, *named)) or covered.reason or "no case yet"
    return f"- **{entry.id}** ({page}) {entry.says}{right}\n  *{covered.status}*: {tests}"
