"""What an object keeps in memory, as a test can count it."""

import gc
from types import FunctionType, ModuleType


def reached_from(start: object) -> int:
    """How many tuples, lists and the like can be reached from an object."""
    seen: set[int] = set()
    waiting = [start]
    while waiting:
        each = waiting.pop()
        if id(each) not in seen and not isinstance(each, type | ModuleType | FunctionType):
            seen.add(id(each))
            waiting += gc.get_referents(each)
    return len(seen)
