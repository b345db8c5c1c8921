"""Find the classes of backends in Python: by ``module:Class``, or by the name of an entry point."""

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

from tck.protocol import Backend
from tck.wire.faults import BackendStartError, UnknownBackendError, described

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

#: The group of entry points by which packages offer backends.
GROUP: Final = "rowtime.backends"


def installed() -> dict[str, str]:
    """The backends that are installed: ``module:Class`` by name, in the order of names."""
    return {point.name: point.value for point in _entry_points()}


def entry_point(name: str) -> "EntryPoint":
    """The entry point with the name of a backend.  Raises `UnknownBackendError` if none has it."""
    points = {point.name: point for point in _entry_points()}
    if name in points:
        return points[name]
    hint = f"installed: {', '.join(points)}" if points else "none is installed"
    raise UnknownBackendError(f"no backend is named {name}", f"{hint}; or give module:Class")


def load_backend(name: str, path: str | None = None) -> Backend:
    """Start a backend in this process, and return it; its answers are not checked.

    It is for commands that use a backend, but do not test it.  ``name`` is the name of an entry
    point, or ``module:Class``.  ``path`` is the ``module:Class`` of the backend, which messages
    call ``name``; None: the class that ``name`` leads to.

    Raises `UnknownBackendError` if there is no such backend, `BackendStartError` if it cannot be
    started.
    """
    make = factory(name, path or (name if ":" in name else entry_point(name).value))
    try:
        backend = make()
        backend.start()
    except Exception as error:
        raise BackendStartError(f"{name} cannot be started: {described(error)}") from error
    return backend


def factory(name: str, path: str) -> Callable[[], Backend]:
    """The callable object, usually a class, to which the ``module:Class`` in ``path`` leads.

    ``name`` is the name by which messages call the backend.  Raises `UnknownBackendError` if there
    is no such class, `BackendStartError` if its module cannot be imported.
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
    target: object = module
    for part in attribute.split("."):
        target = getattr(target, part, None)
    if not callable(target):
        raise UnknownBackendError(f"{module_name} has no class {attribute}", "give module:Class")
    # The result of the object can be checked only when it is called.
    return cast("Callable[[], Backend]", target)


@cache
def _entry_points() -> "tuple[EntryPoint, ...]":
    """The entry points of all installed backends, in the order of their names."""
    # Cached, because reading them takes longer than preparing a query, and they do not change while
    # a process runs.  Imported here, because few commands need the module.
    from importlib.metadata import entry_points

    return tuple(sorted(entry_points(group=GROUP)))
