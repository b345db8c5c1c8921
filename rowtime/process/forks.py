"""Objects that only one process may use: the child of a fork leaves them to its parent."""

import os
from typing import Final, Protocol
from weakref import WeakSet


class BelongsToProcess(Protocol):
    """An object of the process that has made it, such as an open database."""

    def leave_to_parent(self) -> None:
        """Close the object in the child of a fork; it stays as it is in the parent."""
        ...


#: The objects that the child of a fork must leave to this process.
_OF_THIS_PROCESS: Final = WeakSet[BelongsToProcess]()


def leave_in_child(made: BelongsToProcess) -> None:
    """Let each child that this process forks leave ``made`` to this process."""
    _OF_THIS_PROCESS.add(made)


def _leave_all_to_parent() -> None:
    """Close all objects that belong to the parent; called in the child after each fork."""
    for each in list(_OF_THIS_PROCESS):
        each.leave_to_parent()
    _OF_THIS_PROCESS.clear()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_leave_all_to_parent)
