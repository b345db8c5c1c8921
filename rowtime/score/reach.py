"""Finds the functions of the reference that are called while a context is open.

A wrong backend is tried only on the cases that reach the changed function.
"""

import sys
from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager, contextmanager
from cProfile import Profile
from pathlib import Path
from types import CodeType
from typing import TypeAlias

from rowtime.score.change import PACKAGES

#: A function that opens a context with an empty set.  At the end of the context, the set has the
#: places (functions or statements) that were reached in it.
Tracing: TypeAlias = Callable[[], AbstractContextManager[set[str]]]


@contextmanager
def functions_called() -> Generator[set[str]]:
    """A set that is filled, at the end of the context, with the functions called in it.

    A function of the reference is ``module:function``.  A nested function counts as the outermost
    one.
    """
    called: set[str] = set()
    # The profiler is written in C; a Python function for each call would take three times as long.
    profile = Profile(subcalls=False, builtins=False)
    try:
        with profile:
            yield called
    finally:
        codes = [each.code for each in profile.getstats()]
        called.update(_named(each for each in codes if isinstance(each, CodeType)))


def _named(codes: Iterable[CodeType]) -> set[str]:
    """The names of the functions of the reference that have one of these codes."""
    files = _modules()
    return {
        f"{files[code.co_filename]}:{code.co_qualname.partition('.<locals>')[0]}"
        for code in codes
        if code.co_filename in files
    }


def _modules() -> dict[str, str]:
    """The names of the loaded modules of the reference, by their files."""
    return {
        str(Path(module.__file__)): name
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] in PACKAGES and module.__file__
    }
