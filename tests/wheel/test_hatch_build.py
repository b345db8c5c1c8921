"""What the wheel changes in modules: the names in imports, and nothing else."""

import ast
import re
from pathlib import Path
from typing import Final

import pytest

from hatch_build import INNER, LEFT_OUT, OUTER, lay_out, moved_inside

ROOT: Final = Path(__file__).parents[2]
MODULES: Final = [
    path
    for folder in (*INNER, OUTER)
    for path in sorted((ROOT / folder).rglob("*.py"))
    if not any(path.is_relative_to(ROOT / each) for each in LEFT_OUT)
]


@pytest.mark.parametrize(
    ("source", "moved"),
    [
        ("from tck.wire import serve\n", "from rowtime.tck.wire import serve\n"),
        ("from tck import examples\n", "from rowtime.tck import examples\n"),
        ("import tck\n", "from rowtime import tck\n"),
        ("if x:\n    import tck\n", "if x:\n    from rowtime import tck\n"),
        ("def f():\n    'é'; import tck\n", "def f():\n    'é'; from rowtime import tck\n"),
        ("from rowtime.run import a\n", "from rowtime.run import a\n"),
        ("from tckit.wire import serve\n", "from tckit.wire import serve\n"),
        ("from referencing import x\nimport re\n", "from referencing import x\nimport re\n"),
        ("x = 'from tck.wire import y'\n", "x = 'from tck.wire import y'\n"),
        (
            "'''Doc.\n\n    >>> from algebra.types import INTEGER\n'''\n",
            "'''Doc.\n\n    >>> from rowtime.algebra.types import INTEGER\n'''\n",
        ),
    ],
)
def test_imports_of_inner_packages_go_through_the_outer_one(source: str, moved: str) -> None:
    assert moved_inside(source, "m.py") == moved


@pytest.mark.parametrize(
    "source", ["import tck.wire\n", "import tck as kit\n", "import tck, algebra\n"]
)
def test_an_import_that_would_bind_another_name_is_an_error(source: str) -> None:
    with pytest.raises(ValueError, match=r"m\.py:1: "):
        moved_inside(source, "m.py")


def test_no_text_of_a_module_names_a_module() -> None:
    """Such a text would name nothing in the wheel, where the module has another name."""
    names = sorted({_name(path) for path in MODULES} - {OUTER})
    inner = "|".join(re.escape(each) for each in names if each.partition(".")[0] in INNER)
    naming = re.compile(rf"(?:{inner})(?:[.:]\w+)*")
    found = [
        f"{path.relative_to(ROOT)}:{text.lineno}"
        for path in MODULES
        for text in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(text, ast.Constant)
        and isinstance(text.value, str)
        and "." in text.value
        and naming.fullmatch(text.value)
        and not any(path.parent.rglob(text.value))  # the name of a file
    ]
    assert found == []


def _name(path: Path) -> str:
    relative = path.relative_to(ROOT).with_suffix("")
    return ".".join(relative.parts).removesuffix(".__init__")


def test_every_import_of_the_wheel_finds_its_module(tmp_path: Path) -> None:
    """Each module is laid out once, inside of the outer package, and imports none next to it.

    Of what is left out, `rowtime.cli` finds out by itself that it is not there.
    """
    lay_out(ROOT, tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == [OUTER]
    assert (tmp_path / OUTER / "py.typed").is_file()  # a stranger's backend can be type-checked
    laid_out = sorted((tmp_path / OUTER).rglob("*.py"))
    assert len(laid_out) == len(MODULES)
    for path in laid_out:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.ImportFrom):
                continue
            assert node.module is not None
            first, *rest = node.module.split(".")
            assert first not in INNER, f"{path}:{node.lineno}"
            if first == OUTER and not "/".join([OUTER, *rest]).startswith(LEFT_OUT):
                there = tmp_path.joinpath(OUTER, *rest)
                assert there.is_dir() or there.with_suffix(".py").is_file(), f"{path}:{node.lineno}"
