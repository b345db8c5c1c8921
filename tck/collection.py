"""Make Python's garbage collector rarer, because its search for cycles of objects takes time.

It is switched off while the kit makes many records, and seldom runs while cases run.
"""

import gc
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

#: The arguments of `gc.set_threshold`.  Python searches the newest objects after 20,000 new ones; a
#: middle generation after ten such searches; and all objects after ten searches of that generation.
RARE: Final = (20_000, 10, 10)


@contextmanager
def without_collection() -> Generator[None]:
    """A context, or a decorator, in which the collector does not search for cycles of objects.

    It is for code that makes no cycles.  There the search would take half of the time for a hundred
    thousand rows, and a quarter of the time for the kit's cases.  Afterwards the collector is on
    again if it was on before.
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
    """A context, or a decorator, in which the collector seldom searches for cycles of objects.

    The records of a corpus do not form cycles, but each search visits them, too: with Python's own
    thresholds the searches take a tenth of the time of a run on the reference.  Afterwards the
    thresholds are again those from before.
    """
    before = gc.get_threshold()
    gc.set_threshold(*RARE)
    try:
        yield
    finally:
        gc.set_threshold(*before)
