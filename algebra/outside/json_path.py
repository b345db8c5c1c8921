"""Paths to members of JSON objects: `$.user.name`, `$['first name']`, `$.items[0]`."""

import re
from typing import Any, Final, TypeAlias

#: The name of a member, or the position in an array from 0, at each step from the object.
JsonPath: TypeAlias = tuple[str | int, ...]

#: One step of a path: ``.name``, ``[0]`` or ``['first name']``.
_STEP: Final = re.compile(r"\.(?P<name>[^\W\d]\w*)|\[(?P<place>\d{1,9})\]|\['(?P<quoted>[^']+)'\]")
_PATH: Final = re.compile(rf"\$(?:{_STEP.pattern})+")


def json_path(text: str) -> JsonPath | None:
    """The path that ``text`` denotes; None if it is not a path.

    >>> json_path("$.user['first name'].parts[0]")
    ('user', 'first name', 'parts', 0)
    """
    return _steps(text) if _PATH.fullmatch(text) else None


def _steps(path: str) -> JsonPath:
    """The steps of a path that is valid."""
    steps = _STEP.finditer(path)
    return tuple(int(s["place"]) if s["place"] else s["name"] or s["quoted"] for s in steps)


def value_at(value: Any, path: JsonPath) -> Any:  # Any: a value of JSON
    """The part of a JSON value to which ``path`` leads; None (SQL's NULL) if it leads nowhere."""
    for step in path:
        if isinstance(value, str):  # its characters are not elements
            return None
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value
