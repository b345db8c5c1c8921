"""The makers of backends in this process: ``module:Class``, or an entry point, imported."""

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

from tck.protocol import Backend
from tck.wire.faults import BackendStartError, UnknownBackendError, described

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP: Final = "rowtime.backends"


def installed() -> dict[str, str]:
    """The backends that are installed: ``module:Class`` by name, in the order of names."""
    return {point.name: point.value for point in _entry_points()}


def entry_point(name: str) -> "EntryPoint":
    """The entry point of a backend's name.  Raises `UnknownBackendError`."""
    there = {point.name: point for point in _entry_points()}
    if name in there:
        return there[name]
    hint = f"installed: {', '.join(there)}" if there else "none is installed"
    raise UnknownBackendError(f"no backend is named {name}", f"{hint}; or give module:Class")


def load_backend(name: str, path: str | None = None) -> Backend:
    """The backend of an entry point's name, or ``module:Class``, started in this process.

    Its answers are not checked: it serves a user, not the kit. ``path`` is the ``module:Class``
    that is used for the name; None: that of the entry point.  Raises `UnknownBackendError` if there
    is none, `BackendStartError` if it cannot be started.
    """
    make = factory(name, path or (name if ":" in name else entry_point(name).value))
    try:
        backend = make()
        backend.start()
    except Exception as error:
        raise BackendStartError(f"{name} cannot be started: {described(error)}") from error
    return backend


def factory(name: str, path: str) -> Callable[[], Backend]:
    """The object that ``module:Class`` names; ``name`` is the user's name for it.

    Raises `UnknownBackendError` if there is no such class, `BackendStartError` if its module cannot
    be imported.
    """
    module_name, _, attribute = path.partition(":")
    if "" not in sys.path:
        sys.path.insert(0, "")  # so that a class in the current folder is found
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:
        if name == path and error.name and module_name.startswith(error.name):
            hint = "give module:Class; is its folder on PYTHONPATH?"
            raise UnknownBackendError(f"there is no module {module_name}", hint) from None
        message = f"{name} is not installed: {described(error)}"
        raise BackendStartError(message, absent=True) from error
    except Exception as error:
        raise BackendStartError(f"it cannot be imported: {described(error)}") from error
    made: object = module
    for part in attribute.split("."):
        made = getattr(made, part, None)
    if not callable(made):
        raise UnknownBackendError(f"{module_name} has no class {attribute}", "give module:Class")
    return cast("Callable[[], Backend]", made)  # its result is known only when it is used


@cache
def _entry_points() -> "tuple[EntryPoint, ...]":
    # Read once: installed packages do not change while a process runs, and reading them takes
    # longer than preparing a query.  Imported here, because not every command needs it.
    from importlib.metadata import entry_points

    return tuple(sorted(entry_points(group=GROUP)))
