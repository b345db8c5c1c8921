"""The links of the site: each leads to a file that is there, and to an anchor that is on it.

``python -m docs.website.links FOLDER`` lists those that do not, and is then 1.  It needs no
network; a link to another host is taken as it is.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


@dataclass
class _Page(HTMLParser):
    """The links and anchors of a page."""

    links: list[str] = field(default_factory=list[str])
    anchors: set[str] = field(default_factory=set[str])

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag links to, and its own name."""
        for name, value in attrs:
            match name:
                case "href" | "src" if value is not None and tag != "base":
                    self.links.append(value)
                case "id" if value is not None:
                    self.anchors.add(value)
                case "name" if value is not None and tag == "a":
                    self.anchors.add(value)
                case _:
                    pass


def broken_links(folder: Path) -> Iterator[str]:
    """Each link of the pages in a folder that leads nowhere, as ``page: link``."""
    top = folder.resolve()
    for path in sorted(top.rglob("*.html")):
        for link in sorted(set(_read(path).links)):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            to = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if to.is_dir():
                to /= "index.html"
            there = to.is_relative_to(top) and to.is_file()
            anchor = unquote(parts.fragment)
            # What holds a "=" is the state of a script, as of the filters of the report.
            if there and anchor and "=" not in anchor and to.suffix == ".html":
                there = anchor in _read(to).anchors
            if not there:
                yield f"{path.relative_to(top)}: {link}"


@cache
def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text("utf-8"))
    return page


if __name__ == "__main__":
    broken = list(broken_links(Path(sys.argv[1])))
    print("\n".join(broken) if broken else "every link leads somewhere")
    sys.exit(bool(broken))
