"""Add a bar to all pages of a site, with links to the documentation, the playground and the report.

These parts of the site are made by three programs.  The bar is added to their pages afterwards,
when all parts are in one folder.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from markupsafe import Markup

#: The file with the bar's style: its name in `templates`, and in the folder of the site.
STYLE: Final = "places.css"
#: The bar is inserted after the skip link of a page, or else after the tag `<body>`.
_SKIP: Final = re.compile(r'<a [^>]*class="[^"]*\bskip-[^"]*"[^>]*>[^<]*</a>')
_BODY: Final = re.compile(r"<body\b[^>]*>")


@dataclass(frozen=True, slots=True)
class Place:
    """A part of the site: its name, its first page, and the folder of its pages.

    ``folder`` is empty for the pages at the top of the site.
    """

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


def bar(page: str, existing: tuple[Place, ...] = PLACES) -> Markup:
    """The bar of a page, with a link to each of the ``existing`` places.

    ``page`` is the path of the page below the folder of the site.

    >>> print(bar("docket/engines/a.html", PLACES[:1]).partition(">")[2])
    <a href="../../index.html" aria-current="true">Documentation</a></nav>
    """
    root = "../" * page.count("/")
    folder = page.partition("/")[0] if "/" in page else ""
    # A page in the folder of no place belongs to the place at the top, the documentation.
    current = folder if folder in {each.folder for each in PLACES} else ""
    links = Markup("").join(
        Markup('<a href="{}"{}>{}</a>').format(
            f"{root}{each.page}",
            Markup(' aria-current="true"') if each.folder == current else "",
            each.name,
        )
        for each in existing
    )
    return Markup('<nav class="places" aria-label="Parts of the site">{}</nav>').format(links)


def add_bars(folder: Path) -> None:
    """Add the bar to all pages below a folder.

    The bar leads to those places whose first page is in the folder.  A page that has a bar already,
    or has neither a skip link nor a body, is left alone.
    """
    existing = tuple(each for each in PLACES if (folder / each.page).is_file())
    for path in _pages(folder):
        text = path.read_text("utf-8")
        if '<nav class="places"' in text:
            continue
        links = bar(path.relative_to(folder).as_posix(), existing)
        if found := _SKIP.search(text) or _BODY.search(text):
            path.write_text(f"{text[: found.end()]}\n{links}{text[found.end() :]}", "utf-8")


def _pages(folder: Path) -> Iterator[Path]:
    """The pages below a folder, without the folders whose pages only show a file."""
    for path in sorted(folder.rglob("*.html")):
        if path.relative_to(folder).parts[0] not in ("files", "_static", "_sources"):
            yield path
