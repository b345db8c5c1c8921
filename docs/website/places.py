"""The last step of the site: ``python -m docs.website.places FOLDER`` changes all pages.

They get the bar that leads to the other parts of the site, and what pages of the theme lack for
people who cannot see them, or use no mouse.
"""

import re
import sys
from pathlib import Path
from typing import Final

from tck.pages.places import add_bars

#: Elements of the theme, and the same with all that assistive programs need.
_NAMED: Final = {
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All pages">',
    '<aside class="toc-drawer">': '<aside class="toc-drawer" aria-label="This page">',
    # Code and tables that are wider than the page are scrolled by keys, too.
    "<pre>": '<pre tabindex="0">',
    '<div class="table-wrapper ': '<div tabindex="0" class="table-wrapper ',
    '<div id="search-results"></div>': (
        '<h1>Search</h1>\n<div id="search-results" aria-live="polite"></div>'
    ),
}
#: The head of a column without a name; assistive programs expect a plain cell there.
_EMPTY_HEAD: Final = re.compile(r"<th([^>]*)><p></p></th>")


def name_landmarks(folder: Path) -> None:
    """Add the names and levels to the pages that Sphinx has made."""
    for path in sorted(folder.rglob("*.html")):
        if path.relative_to(folder).parts[0] in ("report", "playground", "files"):
            continue
        text = path.read_text("utf-8")
        for before, after in _NAMED.items():
            text = text.replace(before, after)
        text = _EMPTY_HEAD.sub(r"<td\1></td>", text)
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    add_bars(Path(sys.argv[1]))
    name_landmarks(Path(sys.argv[1]))
