"""The page docs/index.md: for each clause of the rules its definition, its cases and its tests.

Three places are read as text, so that no package need import another:

- docs/semantics.md has the clauses; one with *(no code: reason)* needs no definition.
- A line ``Defines: S-203.a, S-203.b`` ends the docstring of the one function, class or module that
  defines these clauses, or the ``#:`` comment above a table.
- Cases name rules and clauses under ``cites``, tests wherever they name one.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tck.corpus.load import kit_corpus

ROOT: Final = Path(__file__).parents[1]
RULES: Final = ROOT / "docs" / "semantics.md"
PAGE: Final = ROOT / "docs" / "index.md"
PACKAGES: Final = ("grammar", "algebra", "reference", "spark_backend", "tck", "rowtime")

_OPENING: Final = """\
# Index: from a clause to its definition, its cases and its tests

This page lists, for each clause of [semantics.md](semantics.md), the code that defines it, and the
cases and tests that cite it.  To find a clause, search for a word of its rule's title or of its
first words.

- *defined by*: the one function, class, module or table that implements the clause.
- *cited by*: the files of cases and tests that cite the clause itself.  The lines below each table
  list the files that cite the rule or any of its clauses.  If several cases of a file cite the
  clause or the rule, the number of these cases follows the name of the file.

`make index` writes this page from semantics.md, the `Defines:` lines of docstrings, the `cites` of
cases, and the tests that name a clause or a rule.
"""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its number, its title, and its clauses' texts by their ids, as they are written."""

    id: str
    title: str
    clauses: Mapping[str, str]

    @property
    def anchor(self) -> str:
        """The anchor of its heading in docs/semantics.md, as GitHub makes it."""
        heading = f"{self.id} {self.title}".lower()
        return re.sub(r"[^\w -]", "", heading).replace(" ", "-")


@dataclass(frozen=True, slots=True)
class Definition:
    """Where a clause is defined: a file, from the repository's root, and a name in it, or none."""

    file: str
    name: str

    @property
    def module(self) -> str:
        """The dotted name of the file's module."""
        return self.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


_CLAUSE: Final = r"\*\*(S-\d{3,4}\.[a-z]+)\*\*"
_CITED: Final = re.compile(r"\bS-\d{3,4}(?:\.[a-z]+\b)?")
_DEFINES: Final = re.compile(
    r"(?m)^ *(?:#: )?Defines: (S-\d{3,4}\.[a-z]+(?:,\s+(?:#: )?S-\d{3,4}\.[a-z]+)*)"
)
_NO_CODE: Final = re.compile(r"\*\((no code: [^)]*)\)\*")


def rules() -> list[Rule]:
    """The rules of docs/semantics.md, in its order."""
    found: list[Rule] = []
    for part in re.split(r"(?m)^(?=#{2,3} )", RULES.read_text("utf-8")):
        if heading := re.match(r"### (S-\d{3,4}) (.*)\n", part):
            pieces = re.split(rf"(?m)^ *(?:- |\| ){_CLAUSE}", part)
            pairs = zip(pieces[1::2], pieces[2::2], strict=True)
            texts = {id: " ".join(text.split()).strip(" |") for id, text in pairs}
            found.append(Rule(heading[1], heading[2], texts))
    return found


def needs_no_code(text: str) -> bool:
    """Whether a clause is marked as one that nothing in the code defines."""
    return _NO_CODE.search(text) is not None


def definitions() -> list[tuple[str, Definition]]:
    """The clauses that ``Defines:`` lines name, each with its place, in the order of the files."""
    return [
        found
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        for found in _definitions_in(path)
    ]


def _definitions_in(path: Path) -> Iterator[tuple[str, Definition]]:
    text = path.read_text("utf-8")
    if "Defines:" not in text:
        return
    file, tree = path.relative_to(ROOT).as_posix(), ast.parse(text)
    for match in _DEFINES.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        is_comment = match[0].lstrip().startswith("#:")
        name = _assigned(tree, line) if is_comment else _enclosing(tree, line)
        for clause in re.findall(r"S-\d{3,4}\.[a-z]+", match[1]):
            yield clause, Definition(file, name)


def _enclosing(tree: ast.Module, line: int) -> str:
    """The dotted name of the innermost function or class around a line, or nothing."""
    names: list[str] = []
    for node in ast.walk(tree):  # breadth first: the outer ones before the inner ones
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            assert node.end_lineno is not None, "the parser always sets it"
            if node.lineno <= line <= node.end_lineno:
                names.append(node.name)
    return ".".join(names)


def _assigned(tree: ast.Module, line: int) -> str:
    """The name that is first assigned, or the function or class first defined, below a line."""
    below = min(
        (
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.AnnAssign | ast.Assign | ast.FunctionDef | ast.ClassDef)
            and node.lineno > line
        ),
        key=lambda node: node.lineno,
    )
    match below:
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
            return name
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case _:
            raise ValueError(f"line {line} stands above no name")


def citing_cases() -> Mapping[str, Counter[str]]:
    """For each rule and clause that cases cite, the number of those cases in each file."""
    found: dict[str, Counter[str]] = {}
    for case in kit_corpus().cases:
        file = Path(case.place.file).resolve().relative_to(ROOT).as_posix()
        for cited in {part for id in case.cites for part in (id, id.partition(".")[0])}:
            found.setdefault(cited, Counter())[file] += 1
    return found


def citing_tests() -> Mapping[str, list[str]]:
    """For each rule and clause that a test names, the files of those tests."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        cited = set(_CITED.findall(path.read_text("utf-8")))
        for id in cited | {id.partition(".")[0] for id in cited}:
            found.setdefault(id, []).append(path.relative_to(ROOT).as_posix())
    return found


def page() -> str:
    """The whole of docs/index.md."""
    defined: dict[str, list[Definition]] = {}
    for clause, definition in definitions():
        defined.setdefault(clause, []).append(definition)
    cited, tested = citing_cases(), citing_tests()
    sections = [_OPENING]
    for rule in rules():
        lines = [
            f"## {rule.id} {rule.title}\n",
            f"| [clause](semantics.md#{rule.anchor}) | says | defined by | cited by |",
            "|---|---|---|---|",
        ]
        for clause, text in rule.clauses.items():
            places = ", ".join(_linked(each) for each in defined.get(clause, []))
            reason = _NO_CODE.search(text)
            cells = (
                clause,
                _first_words(text),
                places or (f"*{reason[1]}*" if reason else ""),
                _files(cited.get(clause, Counter()) + Counter(tested.get(clause, []))),
            )
            lines.append(f"| {' | '.join(cells)} |")
        lines.append(f"\nCases: {_files(cited.get(rule.id, Counter())) or 'none'}.")
        lines.append(f"\nTests: {_files(Counter(tested.get(rule.id, []))) or 'none'}.\n")
        sections.append("\n".join(lines))
    return "\n".join(sections)


def _linked(definition: Definition) -> str:
    name = f"`{definition.name}` in " if definition.name else ""
    return f"{name}[{definition.module}](../{definition.file})"


def _files(numbers: Counter[str]) -> str:
    """Links to files, each with its number of cases if that is above one."""
    return ", ".join(
        f"[{'/'.join(Path(file).parts[-2:])}](../{file}){f' {number}' if number > 1 else ''}"
        for file, number in sorted(numbers.items())
    )


def _first_words(text: str) -> str:
    """The beginning of a clause, up to ten words, without sources; code in it stays whole."""
    plain = re.sub(r"\*\([^)]*\)\*", "", text)
    words: Sequence[str] = re.findall(r"`[^`]*`\S*|\S+", plain)
    kept = " ".join(words[:10])
    return kept.replace("|", r"\|").replace(r"\\|", r"\|") + (" …" if len(words) > 10 else "")


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
