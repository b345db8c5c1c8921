"""Data of a page that its script draws: JSON, compressed, as text that can stand in an element."""

import base64
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from markupsafe import Markup

from tck.terminal.printable import printable

#: A value of JSON; a text in it is one line, and is shown without control characters.
Data: TypeAlias = "str | int | float | Sequence[Data] | Mapping[str, Data] | None"

#: The escapes of JSON for control characters and others.
_ESCAPE: Final = re.compile(r"\\[bfnrtu]")


class Places:
    """Distinct values, each with its place; they are listed in the order of their first use."""

    def __init__(self) -> None:
        self._places: dict[str | tuple[str, ...], int] = {}

    def of(self, value: str | tuple[str, ...]) -> int:
        """The place of a value."""
        return self._places.setdefault(value, len(self._places))

    @property
    def values(self) -> Data:
        """The values in the order of their places."""
        return list(self._places)


def packed(data: Data) -> Markup:
    """The data as base64 of zlib's format, which `DecompressionStream` of a browser reads.

    Control characters of texts and of keys are replaced by escapes.
    """
    text = _json(data)
    if not text.isprintable() or _ESCAPE.search(text):
        text = _json(_shown(data))
    coded = base64.b64encode(zlib.compress(text.encode()))
    return Markup(coded.decode("ascii"))  # noqa: S704  letters, digits, "+", "/" and "="


def unpacked(page: str) -> Any:
    """The data in the element ``data`` of a page."""
    (coded,) = re.findall('<script type="text/plain" id="data">(.*)</script>', page)
    return json.loads(zlib.decompress(base64.b64decode(coded)))


def _json(data: Data) -> str:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)


def _shown(data: Data) -> Data:
    if isinstance(data, str):
        return data if data.isprintable() else printable(data)
    if isinstance(data, Mapping):
        return {printable(key): _shown(value) for key, value in data.items()}
    if isinstance(data, Sequence):
        return [_shown(each) for each in data]
    return data
