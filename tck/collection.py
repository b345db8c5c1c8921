"""The search for cycles of objects: switched off while records are made, rare while cases run."""

import gc
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

#: How many new objects, or searches of newer ones, come before a search: `gc.set_threshold`.
RARE: Final = (20_000, 10, 10)


@contextmanager
def without_collection() -> Generator[None]:
    """A context, or a decorator, in which nothing searches for cycles of objects.

    The search would find none, and take half of the time for a hundred thousand rows, and a quarter
    of the time for the kit's cases. Afterwards the collector is on again if it was on before.
    """
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


@contextmanager
def rare_collection() -> Generator[None]:
    """A context, or a decorator, in which cycles of objects are seldom searched for.

    The records of a corpus are in no cycle, but the search passes through them, too: with Python's
    own thresholds it takes a tenth of the time of a run on the reference.  Afterwards the
    thresholds are those from before.
    """
    before = gc.get_threshold()
    gc.set_threshold(*RARE)
    try:
        yield
    finally:
        gc.set_threshold(*before)
