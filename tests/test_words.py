"""The names of the packages: the field's words, none of those that they have replaced."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

_TOP: Final = Path(__file__).parent.parent

#: The packages and folders whose names are held to the words below.
_FOLDERS: Final = ("grammar", "algebra", "reference", "spark_backend", "tck", "rowtime")

#: Folders that are left out, each with the reason.
_LEFT_OUT: Final = {
    "grammar/generated": "ANTLR generates it from the grammar",
}

#: Words that no name may have as a segment, and the field's words for what they stood for.
_WORDS: Final = {
    "above": "context",
    "account": "provenance",
    "admission": "ingress",
    "arrangement": "orderings",
    "aside": "driver-side Arrow read",
    "asked": "requested, required",
    "endless": "unbounded",
    "falling": "descending",
    "falls": "descending",
    "farthest": "max_distance",
    "flowed": "endpoint progress",
    "foremost": "lazy min-heap",
    "forget": "evict, expire",
    "freed": "evicted, expired",
    "gate": "ingress",
    "gates": "ingress",
    "gauges": "metrics",
    "given": "emitted, input",
    "gone": "evicted, expired",
    "ground": "column origin",
    "grounds": "column origins",
    "held": "buffered, retained",
    "kept": "retained",
    "lattice": "monotonicity tables",
    "mend": "suggestion",
    "observed": "metrics",
    "outlet": "emission queue",
    "parting": "eviction",
    "prompt": "emits at the bound",
    "said": "known, reported",
    "settles": "fires, is determined",
    "stands": "context",
    "steady": "non-inlined literal",
    "stray": "out of order",
    "strays": "out of order",
    "stretch": "duration, interval",
    "told": "reported",
    "totals": "partial aggregates",
    "waiting": "pending",
    "wake": "timer, fires",
    "wanted": "requested",
    "ways": "context",
    "whichever": "min_of, max_of",
}

#: Runs of segments that no name may have, and what stands for them.
_PHRASES: Final = {
    "at_once": "immediate, simultaneous",
    "by_row": "per-row retention",
    "come_to": "advance to",
    "equal_rows": "set-operation groups",
    "groups_of_groups": "nested aggregates",
    "hidden_clock": "implicit rowtime",
    "last_rows": "retained rows",
    "let_go": "evict, expire",
    "needed_inputs": "required inputs",
    "on_time": "monotonic filter",
    "open_pairs": "join state",
    "open_rows": "pending frames",
    "past_rows": "retained prefix",
    "placed_rows": "row ids, lineage",
}

#: As many modules a reader takes in at a glance.
_MOST_MODULES: Final = 15
_MOST_LINES: Final = 500

#: Names that may have such a word, each with the reason; there is none now.
_EXCEPTIONS: Final[dict[str, str]] = {}


def _files() -> Iterator[str]:
    """The modules that are held to the words, by their paths below the project's folder."""
    for folder in _FOLDERS:
        for path in sorted((_TOP / folder).rglob("*.py")):
            name = path.relative_to(_TOP).as_posix()
            if not name.startswith(tuple(f"{each}/" for each in _LEFT_OUT)):
                yield name


def _names(node: ast.Module | ast.ClassDef) -> Iterator[tuple[str, int]]:
    """The names that a module or class defines, with their lines.

    Those of modules, classes, functions, constants and fields, also of fields that methods set on
    ``self``, and of all parameters; not local variables.
    """
    for each in node.body:
        match each:
            case ast.Assign(targets=targets):
                yield from ((t.id, t.lineno) for t in targets if isinstance(t, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name, each.lineno
            case ast.ClassDef(name=name):
                yield name, each.lineno
                yield from _names(each)
            case ast.FunctionDef(name=name):
                yield name, each.lineno
                for inner in ast.walk(each):
                    match inner:
                        case (
                            ast.arg(arg=name)
                            | ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store())
                        ):
                            yield name, inner.lineno
                        case _:
                            pass
            case _:
                pass


def _segments(name: str) -> list[str]:
    """The words of a name in snake_case or CamelCase, in lower case.

    >>> _segments("BoundSource"), _segments("_row_ids2")
    (['bound', 'source'], ['row', 'ids'])
    """
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def _retired(name: str) -> str | None:
    """What stands in a name's place, if it has a retired word or phrase; else None."""
    segments = _segments(name)
    for word, better in _WORDS.items():
        if word in segments:
            return f"{name}: not {word}, but {better}"
    joined = f"_{'_'.join(segments)}_"
    for phrase, better in _PHRASES.items():
        if f"_{phrase}_" in joined:
            return f"{name}: not {phrase}, but {better}"
    return None


@pytest.mark.parametrize("file", list(_files()))
def test_names_have_the_words_of_the_field(file: str) -> None:
    tree = ast.parse((_TOP / file).read_text("utf-8"))
    named = [(part, 1) for part in file.removesuffix(".py").split("/")] + list(_names(tree))
    retired = [
        f"{file}:{line}: {problem}"
        for name, line in named
        if name not in _EXCEPTIONS and (problem := _retired(name))
    ]
    assert retired == []


def test_no_folder_of_a_package_has_more_than_fifteen_modules() -> None:
    """What is next to one another can then be seen at a glance (docs/architecture.md)."""
    sizes: dict[str, int] = {}
    for file in _files():
        folder, _, name = file.rpartition("/")
        sizes[folder] = sizes.get(folder, 0) + (name != "__init__.py")
    assert {folder: size for folder, size in sizes.items() if size > _MOST_MODULES} == {}


def test_no_module_of_a_package_has_more_than_five_hundred_lines() -> None:
    """A module has one subject, which can be read in one go (docs/architecture.md)."""
    sizes = {file: len((_TOP / file).read_text("utf-8").splitlines()) for file in _files()}
    assert {file: size for file, size in sizes.items() if size > _MOST_LINES} == {}
