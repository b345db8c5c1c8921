"""The wheel: all packages inside of one, so that a stranger's site-packages gets one name from us.

A checkout has `grammar`, `algebra` and so on next to `rowtime`; the wheel has `rowtime.grammar`,
`rowtime.algebra`.  The difference is the name in import statements, and in the imports of doctests.
No other text of a module may name one: data and templates are found by a module's ``__package__``,
processes are started by its ``__name__``.  An sdist has the files as they are in the repository, so
that a wheel made of it is the same.
"""

import ast
import re
import shutil
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

#: The package that holds all others in the wheel.
OUTER: Final = "rowtime"
#: The packages that are next to it in a checkout.
INNER: Final = ("grammar", "algebra", "reference", "spark_backend", "tck")
#: The parts that are only for developers of rowtime itself.
LEFT_OUT: Final = ("rowtime/score",)

_DOCTEST: Final = re.compile(rf"(?m)^( *>>> from )(?=(?:{'|'.join(INNER)})[. ])")


class OneNamespace(BuildHookInterface[BuilderConfig]):
    """Lays the packages out as the wheel has them; an editable install has them as they are."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the folder that the wheel is packed from."""
        if version == "editable":
            return
        self._made = Path(mkdtemp(prefix="rowtime-wheel-"))
        lay_out(Path(self.root), self._made)
        build_data["force_include"][str(self._made / OUTER)] = OUTER

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove it."""
        if version != "editable":
            shutil.rmtree(self._made)


def lay_out(root: Path, target: Path) -> None:
    """Copy the packages of a checkout into ``target``, all inside of the outer one."""
    for name in (OUTER, *INNER):
        to = target / OUTER if name == OUTER else target / OUTER / name
        left_out = [root / each for each in LEFT_OUT]
        for source in sorted((root / name).rglob("*")):
            if not source.is_file() or source.suffix == ".pyc":
                continue
            if any(source.is_relative_to(each) for each in left_out):
                continue
            path = to / source.relative_to(root / name)
            path.parent.mkdir(parents=True, exist_ok=True)
            if source.suffix == ".py":
                path.write_text(moved_inside(source.read_text("utf-8"), str(source)), "utf-8")
            else:
                shutil.copyfile(source, path)


def moved_inside(source: str, name: str) -> str:
    """A module's source, with the inner packages imported out of the outer one.

    Lines stay where they are.  Raises ValueError for ``import tck.wire`` and ``import tck as x``,
    of which the first would bind another name.
    """
    lines = source.splitlines(keepends=True)
    for node in ast.walk(ast.parse(source)):
        line = node.lineno - 1 if isinstance(node, ast.stmt) else 0
        match node:
            case ast.ImportFrom(module=str(module), level=0) if _is_inner(module):
                lines[line] = _put(lines[line], node.col_offset + len("from "), f"{OUTER}.")
            case ast.Import(names=names) if any(_is_inner(each.name) for each in names):
                if len(names) != 1 or names[0].name not in INNER or names[0].asname:
                    raise ValueError(f"{name}:{node.lineno}: import names out of a module of ours")
                lines[line] = _put(lines[line], node.col_offset, f"from {OUTER} ")
            case _:
                pass
    return _DOCTEST.sub(rf"\g<1>{OUTER}.", "".join(lines))


def _is_inner(module: str) -> bool:
    return module.partition(".")[0] in INNER


def _put(line: str, column: int, text: str) -> str:
    """A line with a text put in at a column, which is counted in bytes as `ast` counts."""
    content = line.encode()
    return (content[:column] + text.encode() + content[column:]).decode()
