"""A comparison of two runs as lines for a console, or as Markdown for the summary of a CI job."""

import re
from collections.abc import Iterator

from tck.report.comparison import Change, Comparison
from tck.report.record import Entry


def comparison_text(comparison: Comparison) -> str:
    """The changes as lines, section by section, those for the worse first."""
    lines: list[str] = []
    for title, changes in sections(comparison):
        lines.append(f"{title}: {len(changes)}")
        lines += [f"  {_line(change)}" for change in changes]
    return "".join(f"{line}\n" for line in lines) or "no differences\n"


def comparison_markdown(comparison: Comparison) -> str:
    """The changes as Markdown: a heading, then a section of bullets for each sort of change.

    Texts of a backend are in code spans, where they cannot be markup.
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
    """The sorts of changes that there are, with their titles."""
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
    reason = _reason(change)
    return f"{change.entry.backend} {change.entry.name}: {change_labels(change)}" + (
        f": {reason}" if reason else ""
    )


def _bullet(change: Change) -> str:
    reason = _reason(change)
    name = _code(f"{change.entry.backend} {change.entry.name}")
    return f"{name}: {change_labels(change)}" + (f": {_code(reason)}" if reason else "")


def change_labels(change: Change) -> str:
    """``PASS -> FAIL ORDER``; only one of them if there is only one."""
    labels = [_label(entry) for entry in (change.old, change.new) if entry is not None]
    return " -> ".join(labels)


def _label(entry: Entry) -> str:
    known = " (known to fail)" if entry.known is not None else ""
    return f"{entry.verdict.label}{known}"


def _reason(change: Change) -> str:
    return change.new.verdict.reason if change.new else ""


def _code(text: str) -> str:
    """The text as a code span, with a fence that is not in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {text} {fence}" if longest else f"`{text}`"
