"""The first page of the site: a sentence, a run that plays, three ways on, and the engines."""

import re
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Final

from docs.website.sql import highlighted
from rowtime.playground.answer import Answer, Question, answer
from rowtime.playground.first import first_question

#: The page whose table of the engines' last runs this page shows, below docs/.
ENGINES: Final = "engines/index.md"
#: The verdicts that have a column of their own.
_VERDICTS: Final = ("engine-defect", "dialect", "missing", "open")
#: The widths of the two pictures, in pixels: on a screen, and on a phone.
_WIDE: Final = 860
_NARROW: Final = 340


def landing(docs: Path, cases: int, *, has_playground: bool) -> str:
    """The page as a text for the generator; ``cases`` is their number in the kit."""
    return "\n".join(_parts(docs, cases, has_playground=has_playground))


def _parts(docs: Path, cases: int, *, has_playground: bool) -> Iterator[str]:
    yield "---\nhide-toc: true\n---\n\n# rowtime\n"
    yield (
        '<p class="sentence">A streaming query emits rows while its input still arrives. '
        f"rowtime defines which rows, when, and why, and tests engines with {cases:,} cases.</p>\n"
    )
    yield from _run(first_question())
    yield from _ways(has_playground=has_playground)
    yield "## What engines answer\n"
    yield from _engines((docs / ENGINES).read_text("utf-8"))


# --- the run --------------------------------------------------------------------------------------


def _run(question: Question) -> Iterator[str]:
    """A run with its query; the script of the page plays it event by event."""
    yield '<div class="live">'
    yield f"<pre>{highlighted(question.query)}</pre>"
    yield (
        '<p class="played"><button type="button" hidden>Pause</button> '
        '<span class="moment">The rows of a stream arrive from top to bottom; a diamond is a row '
        "that the query emits.</span></p>"
    )
    for name, width in (("wide", _WIDE), ("narrow", _NARROW)):
        shown = answer(Question(question.schema, question.query, question.script, width=width))
        yield _picture(name, shown)
    yield "</div>\n"


def _picture(name: str, shown: Answer) -> str:
    ends = " ".join(f"{each.end:.0f}" for each in shown.moments)
    words = "|".join(
        "; ".join([each.event, *each.faults, *(f"emitted: {row}" for row in each.rows)])
        for each in shown.moments
    )
    lines = "".join(line.strip() + "\n" for line in shown.svg.splitlines() if line.strip())
    lines = lines.replace('aria-label="script"', 'aria-label="A run of the query"', 1)
    return (
        f'<div class="drawn {name}" tabindex="0" role="group" aria-label="Timeline" '
        f'data-ends="{ends}" data-words="{escape(words)}">\n{lines}</div>'
    )


# --- the ways -------------------------------------------------------------------------------------


def _ways(*, has_playground: bool) -> Iterator[str]:
    first = ("playground/index.html", "the playground") if has_playground else (
        "first-steps.html",
        "first steps",
    )  # fmt: skip
    ways = (
        (
            "Try it",
            "Write a query and rows, and see which rows come out, when, and why.",
            (first, ("semantics.html", "the rules")),
        ),
        (
            "Test your engine",
            "Connect it in a minute, in any language, and see which rules it keeps.",
            (("adding-a-backend.html", "connect an engine"), ("ci.html", "run it in CI")),
        ),
        (
            "Who is right?",
            "Where engines differ: the question, the ruling with its source, each answer.",
            (("docket/index.html", "the docket"), ("report/index.html", "all results")),
        ),
    )
    yield '<div class="ways">'
    for title, text, links in ways:
        shown = " · ".join(f'<a href="{to}">{name}</a>' for to, name in links)
        yield f"<div><p><strong>{title}</strong></p><p>{text}</p><p>{shown}</p></div>"
    yield "</div>\n"


# --- the engines ----------------------------------------------------------------------------------


def _engines(page: str) -> Iterator[str]:
    """The table of the page of engines, with the share of right answers as a bar."""
    rows = list(_table(page))
    yield '<div class="engines" tabindex="0" role="group" aria-label="Results of engines">'
    yield "<table><thead><tr><th scope=col>engine</th><th scope=col>version</th>"
    yield "<th scope=col>cases judged</th><th scope=col>right</th>"
    yield "".join(f"<th scope=col>{each}</th>" for each in _VERDICTS) + "</tr></thead><tbody>"
    for row in rows:
        name, target = re.findall(r"\[([^\]]*)\]\(([^)]*)\.md\)", row["engine"])[0]
        judged, right = int(row["judged"]), int(row["passed"])
        share = 100 * right / judged if judged else 0
        yield (
            f'<tr><th scope=row><a href="engines/{target}.html">{escape(name)}</a></th>'
            f"<td>{escape(row['version'])}</td><td class=number>{judged:,}</td>"
            f'<td><meter min=0 max=100 value="{share:.1f}" aria-hidden=true></meter> '
            f"{share:.0f} %</td>"
            + "".join(f"<td class=number>{int(row[each]):,}</td>" for each in _VERDICTS)
            + "</tr>"
        )
    yield "</tbody></table></div>\n"
    yield (
        '<p><a href="engines/index.html">What the columns mean, and the results by topic</a> · '
        '<a href="differences.html">each difference</a> · '
        '<a href="readme.html">the README, with the results of rowtime itself</a></p>\n'
    )


def _table(page: str) -> Iterator[dict[str, str]]:
    """The rows of the first table of a page, each by the heads of its columns."""
    heads, _, *rows = page[page.index("\n|") + 1 :].partition("\n\n")[0].splitlines()
    for row in rows:
        yield dict(zip(_cells(heads), _cells(row), strict=True))


def _cells(line: str) -> Sequence[str]:
    return [each.strip() for each in line.strip().strip("|").split("|")]
