"""Make the names of a report's files, and the links to its cases."""

import re
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlencode

#: The page that shows the cases of a subject.
CASE_PAGE: Final = "case.html"


def slug(text: str) -> str:
    """A text as a part of a file name: lower-case letters, digits and hyphens.

    >>> slug("Stream/../joins <b>")
    'stream-joins-b'
    """
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "none"


def case_link(id: str, engine: str = "") -> str:
    """The link to a case, or to the answer of the engine with the label ``engine``.

    It starts at the report's folder.  It has the id of the case and not its file, so it stays valid
    if the case moves to another file.

    >>> case_link("hop-keys", "flink")
    'case.html#case=hop-keys&engine=flink'
    """
    return f"{CASE_PAGE}#{urlencode({'case': id} | ({'engine': engine} if engine else {}))}"


def distinct_slugs(texts: Sequence[str]) -> list[str]:
    """The slug of each text; if several slugs are equal, the later ones get a number.

    >>> distinct_slugs(["Flink 2", "flink-2", "flink"])
    ['flink-2', 'flink-2-2', 'flink']
    """
    found: list[str] = []
    for text in texts:
        name = unnumbered = slug(text)
        number = 1
        while name in found:
            number += 1
            name = f"{unnumbered}-{number}"
        found.append(name)
    return found
