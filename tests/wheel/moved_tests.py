"""The tests as they are for the wheel: with its names of modules, in a folder without a package."""

import re
import shutil
from pathlib import Path
from typing import Final

from hatch_build import INNER, OUTER, moved_inside
from tests.wheel.environments import ROOT

#: The folders of the tests, and of the modules that they import.
FOLDERS: Final = ("tests", "benchmarks")
#: The files that tests read next to themselves.
_READ: Final = ("docs", "README.md", "CHANGELOG.md", "Makefile", "pyproject.toml", "action.yml")


def move_tests(target: Path) -> None:
    """Copy the tests, and what they import and read, into a folder."""
    naming = _naming()
    for folder in FOLDERS:
        for source in sorted((ROOT / folder).rglob("*")):
            if not source.is_file() or source.suffix == ".pyc":
                continue
            path = target / source.relative_to(ROOT)
            path.parent.mkdir(parents=True, exist_ok=True)
            if source.suffix == ".py":
                text = moved_inside(source.read_text("utf-8"), str(source))
                path.write_text(naming.sub(f"{OUTER}.", text), "utf-8")
            else:
                shutil.copyfile(source, path)
    for name in _READ:
        (target / name).symlink_to(ROOT / name)


def _naming() -> re.Pattern[str]:
    """The beginning of a text that names an inner module, or a name in it, which a test patches."""
    names = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for inner in INNER
        for path in (ROOT / inner).rglob("*.py")
    } - set(INNER)
    inner = "|".join(re.escape(each) for each in sorted(names))
    return re.compile(rf"""(?<=["'])(?=(?:{inner})(?:[.:]\w+)*["'])""")
