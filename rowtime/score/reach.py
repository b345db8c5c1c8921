"""Which functions of the reference a piece of work calls."""

import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from cProfile import Profile
from pathlib import Path
from types import CodeType

from rowtime.score.change import PACKAGES


@contextmanager
def traced() -> Generator[set[CodeType]]:
    """A set to which the end of the context adds the code of each Python function called in it."""
    called: set[CodeType] = set()
    # The profiler is written in C: a function of ours for each call would take thrice as long.
    profile = Profile(subcalls=False, builtins=False)
    try:
        with profile:
            yield called
    finally:
        codes = [each.code for each in profile.getstats()]
        called.update(each for each in codes if isinstance(each, CodeType))


def functions_called(codes: Iterable[CodeType]) -> frozenset[str]:
    """The functions of the reference among codes, each as ``module:function``.

    A function inside another counts as the outermost one.
    """
    files = _modules()
    return frozenset(
        f"{files[code.co_filename]}:{code.co_qualname.partition('.<locals>')[0]}"
        for code in codes
        if code.co_filename in files
    )


def _modules() -> dict[str, str]:
    """The modules of the reference that are loaded, by their files."""
    return {
        str(Path(module.__file__)): name
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] in PACKAGES and module.__file__
    }
