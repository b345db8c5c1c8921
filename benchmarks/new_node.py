"""How many files a new operator touches: the files that fail to type-check with a new plan node.

    python -m benchmarks.new_node

A node is added to the union of the plans, in a copy of the tree: once without a shape, and once for
each shape of `algebra.plan` from which it may inherit.  mypy then finds each match that does not
know the node.  The last lines count the files that name an operator that exists.  Tests are not
counted, and neither is the file of the plans.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory
from typing import Final

PACKAGES: Final = ("algebra", "reference", "spark_backend", "engines", "rowtime")
PLANS: Final = "algebra/plan.py"
NAMED: Final = ("AsofJoin", "Session", "WindowJoin", "Hop")
#: The classes from which a node may inherit, each with the fields that it then has to add.
SHAPES: Final = {
    "Node": '    input: "Plan"\n',
    "Unary": "",
    "Passing": "",
    "Widening": "",
    "Joining": "",
}


def main() -> None:
    """Print the files."""
    for shape, fields in SHAPES.items():
        failing = files_failing(shape, fields)
        print(f"a node of the shape {shape}: {len(failing)} files")
        print("".join(f"    {each}\n" for each in failing), end="")
    for name in NAMED:
        print(f"files that name {name}: {len(list(files_naming(name)))}")


def files_failing(shape: str, fields: str) -> list[str]:
    """The files that do not know a new node of ``shape``, in order."""
    with TemporaryDirectory() as folder:
        for each in (*PACKAGES, "grammar", "tck", ".ci", ".mypy_cache", "pyproject.toml"):
            copy(Path(each), Path(folder) / each)
        plans = Path(folder) / PLANS
        plans.write_text(with_node(plans.read_text(), shape, fields))
        command = [sys.executable, "-m", "mypy", "--no-error-summary", *PACKAGES]
        output = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        found = {line.split(":")[0] for line in output.stdout.splitlines() if ": error:" in line}
        return sorted(found - {PLANS})


def copy(source: Path, target: Path) -> None:
    """A file or a folder, if there is one."""
    if source.is_dir():
        copytree(source, target)
    elif source.exists():
        target.write_text(source.read_text())


def with_node(plans: str, shape: str, fields: str) -> str:
    """The module of the plans with one more node."""
    node = f"@dataclass(frozen=True, slots=True)\nclass NewNode({shape}):\n{fields or '    pass'}\n"
    union = "Plan: TypeAlias = (\n"
    assert plans.count(union) == 1, "the union of the plans is defined once"
    return plans.replace(union, f"{node}\n\n{union}    NewNode |\n")


def files_naming(name: str) -> Iterator[Path]:
    """The files with ``name`` as a word."""
    for package in PACKAGES:
        for each in sorted(Path(package).rglob("*.py")):
            if str(each) != PLANS and re.search(rf"\b{name}\b", each.read_text()):
                yield each


if __name__ == "__main__":
    main()
