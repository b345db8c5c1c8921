"""Backends, found by the name of an entry point or as ``module:Class``, and started."""

import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Final, cast

from tck.protocol import Backend, Hello

GROUP: Final = "rowtime.backends"


@dataclass(eq=False)
class UnknownBackendError(Exception):
    """There is no backend of that name."""

    message: str
    hint: str

    def __str__(self) -> str:
        """One line."""
        return f"{self.message} ({self.hint})"


@dataclass(eq=False)
class BackendStartError(Exception):
    """A backend that cannot be started; ``absent``: since a package that it needs is missing."""

    message: str
    absent: bool = False

    def __str__(self) -> str:
        """One line."""
        return self.message


def installed() -> dict[str, str]:
    """The backends that are installed: ``module:Class`` by name, in the order of names."""
    # Imported here: it takes as long as a small query, and not every command needs it.
    from importlib.metadata import entry_points

    return {point.name: point.value for point in sorted(entry_points(group=GROUP))}


@dataclass(slots=True)
class RunningBackend:
    """A backend that has been started, and can be replaced by a new one when it crashes."""

    name: str
    make: Callable[[], Backend]
    backend: Backend
    hello: Hello

    def stop(self) -> None:
        """Release the backend's resources; one that fails to is left to the end of the process."""
        with suppress(Exception):
            self.backend.stop()

    def restart(self) -> None:
        """Replace the backend by a new one.  Raises `BackendStartError`."""
        self.stop()
        fresh = start(self.name, self.make)
        self.backend, self.hello = fresh.backend, fresh.hello


def start_backend(spec: str, path: str | None = None) -> RunningBackend:
    """The backend with an entry point's name, or ``module:Class``, started.

    ``path``: what is made for the name instead, as ``module:Class``; None: the entry point.
    Raises `UnknownBackendError` if there is none, `BackendStartError` if it cannot be started.
    """
    if path is not None:
        return start(spec, _factory(spec, path))
    there = {} if ":" in spec else installed()
    if ":" not in spec and spec not in there:
        hint = f"installed: {', '.join(there)}" if there else "none is installed"
        raise UnknownBackendError(f"no backend is named {spec}", f"{hint}; or give module:Class")
    return start(spec, _factory(spec, there.get(spec, spec)))


def start(name: str, make: Callable[[], Backend]) -> RunningBackend:
    """The backend that ``make`` makes, started.  Raises `BackendStartError`."""
    try:
        backend = make()
        hello = backend.start()
    except Exception as error:
        raise BackendStartError(f"{name} cannot be started: {described(error)}") from error
    return RunningBackend(name, make, backend, hello)


def described(error: BaseException) -> str:
    """An exception in one line: its class, and the first line of its message."""
    text = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _factory(spec: str, path: str) -> Callable[[], Backend]:
    module_name, _, attribute = path.partition(":")
    if "" not in sys.path:
        sys.path.insert(0, "")  # so that a class in the current folder is found
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:
        if spec == path and error.name and module_name.startswith(error.name):
            hint = "give module:Class; is its folder on PYTHONPATH?"
            raise UnknownBackendError(f"there is no module {module_name}", hint) from None
        message = f"{spec} is not installed: {described(error)}"
        raise BackendStartError(message, absent=True) from error
    except Exception as error:
        raise BackendStartError(f"{spec} cannot be imported: {described(error)}") from error
    made: object = module
    for part in attribute.split("."):
        made = getattr(made, part, None)
    if not callable(made):
        raise UnknownBackendError(f"{module_name} has no class {attribute}", "give module:Class")
    return cast("Callable[[], Backend]", made)  # what it makes is known only when it is used
