"""Pack the data that a page's script draws: as compressed JSON, in text for an HTML element."""

import base64
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from markupsafe import Markup

from tck.terminal.printable import printable

#: A value of JSON; `packed` replaces control characters in its texts.
Data: TypeAlias = "str | int | float | Sequence[Data] | Mapping[str, Data] | None"

#: The escapes by which `json.dumps` writes control characters.
_ESCAPE: Final = re.compile(r"\\[bfnrtu]")


class Places:
    """A list of distinct values, which grows in the order of their first use.

    Data can have the place of a value in this list instead of the value.
    """

    def __init__(self) -> None:
        self._places: dict[str | tuple[str, ...], int] = {}

    def of(self, value: str | tuple[str, ...]) -> int:
        """The place of a value in the list; a new value is added."""
        return self._places.setdefault(value, len(self._places))

    @property
    def values(self) -> Data:
        """The values in the order of their places."""
        return list(self._places)


def packed(data: Data) -> Markup:
    """The data as base64 of zlib's format, which `DecompressionStream` in a browser reads.

    Control characters in texts and keys are replaced by escapes, which a reader sees.
    """
    text = _json(data)
    # `json.dumps` has written control characters as escapes, which are printable.
    if not text.isprintable() or _ESCAPE.search(text):
        text = _json(_printable(data))
    coded = base64.b64encode(zlib.compress(text.encode()))
    return Markup(coded.decode("ascii"))  # noqa: S704  letters, digits, "+", "/" and "="


def unpacked(page: str) -> Any:
    """The data in the element ``data`` of a page."""
    (coded,) = re.findall('<script type="text/plain" id="data">(.*)</script>', page)
    return json.loads(zlib.decompress(base64.b64decode(coded)))


def _json(data: Data) -> str:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)


def _printable(data: Data) -> Data:
    """The data with all texts and keys made printable."""
    if isinstance(data, str):
        return data if data.isprintable() else printable(data)
    if isinstance(data, Mapping):
        return {printable(key): _printable(value) for key, value in data.items()}
    if isinstance(data, Sequence):
        return [_printable(each) for each in data]
    return data
