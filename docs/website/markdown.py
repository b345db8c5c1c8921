"""The parts of a Markdown text: prose, and parts that must stay unchanged."""

import re
from collections.abc import Callable, Iterator
from typing import Final

#: Fenced and indented blocks, headings, code in a line, links, elements of HTML.
_KEPT: Final = re.compile(
    r"(?ms)^```.*?^```$"
    r"|(?<=\n\n)(?:    [^\n]*\n|\n(?=    ))+"
    r"|^#+ [^\n]*$"
    r"|`[^`\n]+`"
    r"|!?\[(?:[^\[\]]|\[[^\]]*\])*\]\([^)]*\)"
    r"|<a [^>]*>.*?</a>|<!--.*?-->|<[a-z/][^>]*>"
)
_LINK: Final = re.compile(r"(?<=\]\()(?P<path>[^)#:\s]*)(?P<anchor>#[^)\s]*)?(?=\))")
_BLOCK: Final = re.compile(r"(?ms)^```.*?^```$|(?<=\n\n)(?:    [^\n]*\n|\n(?=    ))+")


def with_prose(text: str, change: Callable[[str], str]) -> str:
    """A text whose prose is changed; blocks, headings, code and links stay."""
    return "".join(change(part) if prose else part for prose, part in _parts(_KEPT, text))


def with_code(text: str, change: Callable[[str], str]) -> str:
    """A text whose pieces of code in a line are changed, each with its backticks."""

    def changed(part: str) -> str:
        return re.sub(r"(?<!\[)`[^`\n]+`(?!\])", lambda found: change(found[0]), part)

    return "".join(changed(part) if prose else part for prose, part in _parts(_BLOCK, text))


def with_links(text: str, change: Callable[[str, str], tuple[str, str]]) -> str:
    """A text whose links within the repository are changed.

    ``change`` has, for path and anchor, what stands before the text of the link, and after it.
    """

    def changed(part: str) -> str:
        for found in reversed(list(_LINK.finditer(part))):
            begin = _opening(part, found.start() - 2)
            before, behind = change(found["path"], found["anchor"] or "")
            words = part[begin + 1 : found.start() - 2]
            part = f"{part[:begin]}{before}{words}{behind}{part[found.end() + 1 :]}"
        return part

    return "".join(changed(part) if prose else part for prose, part in _parts(_BLOCK, text))


def _parts(kept: re.Pattern[str], text: str) -> Iterator[tuple[bool, str]]:
    """The parts of a text in order, each with whether it is changed."""
    end = 0
    for found in kept.finditer(text):
        yield True, text[end : found.start()]
        yield False, found[0]
        end = found.end()
    yield True, text[end:]


def _opening(text: str, end: int) -> int:
    """The place of the bracket that the one at ``end`` closes."""
    depth = 0
    for place in range(end, -1, -1):
        depth += (text[place] == "]") - (text[place] == "[")
        if depth == 0:
            return place
    raise ValueError(f"nothing opens the bracket before {text[end : end + 80]!r}")
