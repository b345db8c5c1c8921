"""The names of a report's files and anchors."""

import re
from collections.abc import Sequence


def slug(text: str) -> str:
    """A text as a part of a file name.

    >>> slug("Stream/../joins <b>")
    'stream-joins-b'
    """
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "none"


def distinct_slugs(texts: Sequence[str]) -> list[str]:
    """The slug of each text; where several are alike, the later ones have a number.

    >>> distinct_slugs(["Flink 2", "flink-2", "flink"])
    ['flink-2', 'flink-2-2', 'flink']
    """
    found: list[str] = []
    for text in texts:
        name = wanted = slug(text)
        number = 1
        while name in found:
            number += 1
            name = f"{wanted}-{number}"
        found.append(name)
    return found
