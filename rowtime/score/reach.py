"""Which functions of the reference a piece of work calls."""

import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType

from rowtime.score.change import PACKAGES


@contextmanager
def traced() -> Generator[set[CodeType]]:
    """A context in which each Python function that is called adds its code to the set."""
    called: set[CodeType] = set()

    def note(frame: FrameType, _event: str, _argument: object) -> None:
        called.add(frame.f_code)

    before = sys.gettrace()
    sys.settrace(note)
    try:
        yield called
    finally:
        sys.settrace(before)


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
