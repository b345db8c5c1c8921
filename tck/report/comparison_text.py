"""Write the comparison of two runs as lines for a console, or as Markdown for a CI summary."""

import re
from collections.abc import Iterator

from tck.report.comparison import Change, Comparison
from tck.report.record import Entry


def comparison_text(comparison: Comparison) -> str:
    """The changes as lines, section by section; the sections for worse results come first."""
    lines: list[str] = []
    for title, changes in sections(comparison):
        lines.append(f"{title}: {len(changes)}")
        lines += [f"  {_line(change)}" for change in changes]
    return "".join(f"{line}\n" for line in lines) or "no differences\n"


def comparison_markdown(comparison: Comparison) -> str:
    """The changes as Markdown: a heading, then a section of bullets for each sort of change.

    Texts of a backend are in code spans, because other texts could be taken for markup.
    """
    verdict = "worse than before" if comparison.worse else "no worse than before"
    lines = [f"## Streaming SQL conformance: {verdict}", ""]
    found = list(sections(comparison))
    for title, changes in found:
        lines += [f"### {title}: {len(changes)}", ""]
        lines += [f"- {_bullet(change)}" for change in changes]
        lines.append("")
    if not found:
        lines += ["No differences.", ""]
    return "\n".join(lines)


def sections(comparison: Comparison) -> Iterator[tuple[str, tuple[Change, ...]]]:
    """The title and the changes of each sort of which there are changes."""
    for title, changes in (
        ("New failures", comparison.failures),
        ("Vanished", comparison.vanished),
        ("Judged before, skipped now", comparison.unjudged),
        ("Failing otherwise", comparison.changed),
        ("Mended", comparison.mended),
    ):
        if changes:
            yield title, changes


def _line(change: Change) -> str:
    """A change as a line for a console."""
    reason = _reason(change)
    return f"{change.entry.backend} {change.entry.name}: {change_labels(change)}" + (
        f": {reason}" if reason else ""
    )


def _bullet(change: Change) -> str:
    """A change as the text of a bullet in Markdown."""
    reason = _reason(change)
    name = _code(f"{change.entry.backend} {change.entry.name}")
    return f"{name}: {change_labels(change)}" + (f": {_code(reason)}" if reason else "")


def change_labels(change: Change) -> str:
    """The older and the newer verdict: ``PASS -> FAIL ORDER``; one label if only one run has it."""
    labels = [_label(entry) for entry in (change.old, change.new) if entry is not None]
    return " -> ".join(labels)


def _label(entry: Entry) -> str:
    known = " (known to fail)" if entry.known is not None else ""
    return f"{entry.verdict.label}{known}"


def _reason(change: Change) -> str:
    """The reason of the newer verdict; empty if the newer run does not have the case."""
    return change.new.verdict.reason if change.new else ""


def _code(text: str) -> str:
    """The text as a code span; its fence is longer than any sequence of backticks in the text."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {text} {fence}" if longest else f"`{text}`"
