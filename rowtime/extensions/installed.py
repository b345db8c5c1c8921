"""The extensions that are installed: those shipped here, and plug-ins found by entry point."""

import logging
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import entry_points
from typing import Any, Final

from rowtime.extensions.regexp_extract import RegexpExtract
from rowtime.extensions.tail import Tail

#: The groups of extensions, by the names of the entry points that declare plug-ins.
FUNCTIONS: Final = "rowtime.functions"
TABLE_FUNCTIONS: Final = "rowtime.table_functions"
ADAPTERS: Final = "rowtime.adapters"

#: The extensions in this package, by group and name.
_SHIPPED: Final[Mapping[str, Mapping[str, object]]] = {
    FUNCTIONS: {"regexp_extract": RegexpExtract()},
    TABLE_FUNCTIONS: {},
    ADAPTERS: {"tail": Tail},
}

LOG: Final = logging.getLogger("rowtime.extensions")


@cache
def installed(group: str) -> Mapping[str, Any]:  # Any: the type of a plug-in is not known
    """The extensions of a group, by name; the plug-ins are searched only at the first call.

    A plug-in replaces an extension of this package that has the same name.  A plug-in that cannot
    be imported is left out, and logged as an ERROR.
    """
    return {**_SHIPPED[group], **dict(_plug_ins(group))}


def _plug_ins(group: str) -> Iterator[tuple[str, object]]:
    """The plug-ins of a group that can be imported, each with the name of its entry point."""
    for each in entry_points(group=group):
        try:
            yield each.name, each.load()
        except Exception as error:
            LOG.error("%s: plug-in %s cannot be loaded: %s", group, each.value, error)
