"""The bar above the pages of a site, which leads from its documentation to the playground and back.

The documentation, the report and the playground are made by three programs. The bar is the same in
all of them, so it is added to their pages when all are in one folder.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from markupsafe import Markup

#: The name under which pages have the bar's style in a file, below the folder of the site.
STYLE: Final = "places.css"
#: The place of the bar: after the link that skips it, else at the beginning.
_SKIP: Final = re.compile(r'<a [^>]*class="[^"]*\bskip-[^"]*"[^>]*>[^<]*</a>')
_BODY: Final = re.compile(r"<body\b[^>]*>")


@dataclass(frozen=True, slots=True)
class Place:
    """A part of the site: its name, its first page, and the folder of its pages, empty: the top."""

    name: str
    page: str
    folder: str


PLACES: Final = (
    Place("Documentation", "index.html", ""),
    Place("Playground", "playground/index.html", "playground"),
    Place("Engines", "report/index.html", "report"),
)


@cache
def style() -> str:
    """The CSS rules of the bar, which need no other rule."""
    return (files(str(__package__)) / "templates" / STYLE).read_text("utf-8")


def bar(page: str, there: tuple[Place, ...] = PLACES) -> Markup:
    """The bar of a page, by the page's path below the folder; it has the places that are ``there``.

    >>> print(bar("docket/engines/a.html", PLACES[:1]).partition(">")[2])
    <a href="../../index.html" aria-current="true">Documentation</a></nav>
    """
    root, folder = "../" * page.count("/"), page.partition("/")[0] if "/" in page else ""
    folders = {each.folder for each in PLACES}
    here = folder if folder in folders else ""
    links = Markup("").join(
        Markup('<a href="{}"{}>{}</a>').format(
            f"{root}{each.page}",
            Markup(' aria-current="true"') if each.folder == here else "",
            each.name,
        )
        for each in there
    )
    return Markup('<nav class="places" aria-label="Parts of the site">{}</nav>').format(links)


def add_bars(folder: Path) -> None:
    """Add the bar to all pages below a folder, which then has all places that are there."""
    there = tuple(each for each in PLACES if (folder / each.page).is_file())
    for path in _pages(folder):
        text = path.read_text("utf-8")
        if '<nav class="places"' in text:
            continue
        made = bar(path.relative_to(folder).as_posix(), there)
        if found := _SKIP.search(text) or _BODY.search(text):
            path.write_text(f"{text[: found.end()]}\n{made}{text[found.end() :]}", "utf-8")


def _pages(folder: Path) -> Iterator[Path]:
    """The pages, without those that only show a file."""
    for path in sorted(folder.rglob("*.html")):
        if path.relative_to(folder).parts[0] not in ("files", "_static", "_sources"):
            yield path
