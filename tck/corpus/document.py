"""Read a file of YAML as plain data, with the line of every value; and read lists from JSON.

The corpus uses the part of YAML that all readers of YAML read in the same way.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Final, TypeAlias, cast

import yaml

from tck.corpus.case import Place
from tck.files import shown_path
from tck.schema import violations

Data: TypeAlias = bool | int | Decimal | str | list["Data"] | dict[str, "Data"] | None
#: Keys and positions that lead from the top of a file to a value.
DataPath: TypeAlias = tuple[str | int, ...]

# Plain scalars (texts without quotes) that are not read as texts: NULL, the booleans, integers in
# the form of JSON, and all numbers in the form of JSON.
_NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS: Final = {"true": True, "false": False}
_WHOLE: Final = re.compile(r"-?(0|[1-9][0-9]*)")
_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?")
#: Other plain scalars that some readers of YAML read as a number or a boolean: these are rejected.
_AMBIGUOUS: Final = re.compile(
    r"[-+]?(0[0-9]+|0x[0-9a-fA-F]+|0o[0-7]+|[.](inf|Inf|INF)|[0-9]+[.]|(0[0-9]+)?[.][0-9]+|0[0-9]+[.][0-9]*)"
    r"([eE][-+]?[0-9]+)?|[+][0-9].*|[.](nan|NaN|NAN)|True|TRUE|False|FALSE"
)
#: Half of a surrogate pair, which UTF-8 cannot write.
_HALF: Final = re.compile("[\\ud800-\\udfff]")
#: The greatest depth of values inside one another.
MAX_DEPTH: Final = 100
#: The greatest number of values in a document; the values of an alias count at each of its uses.
MAX_VALUES: Final = 200_000
#: The greatest number of digits of a number; `int` refuses more than 4,300.
MAX_DIGITS: Final = 1_000
#: The greatest depth of values that are passed to the loader in C, which recurses on C's stack.
_SAFE_DEPTH: Final = 2_000
#: The tags of values that the file does not tag itself.
_PLAIN_TAGS: Final = frozenset(f"tag:yaml.org,2002:{kind}" for kind in ("str", "seq", "map"))


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault of a file: its place, a message, and a hint that may be empty."""

    place: Place
    message: str
    hint: str = ""

    def __str__(self) -> str:
        """One line: ``file:line: message (hint)``."""
        return f"{self.place}: {self.message}" + (f" ({self.hint})" if self.hint else "")


@dataclass(eq=False)
class InvalidFilesError(Exception):
    """Files are not valid; it has all their problems, at least one."""

    problems: Sequence[Problem]

    def __str__(self) -> str:
        """One line a problem."""
        return "\n".join(map(str, self.problems))


@dataclass(frozen=True, slots=True)
class Document:
    """The data of a file, and the line of each value by its path."""

    file: str
    data: Data
    lines: Mapping[DataPath, int]

    def place(self, path: DataPath = ()) -> Place:
        """The place of the value at ``path``; without one, of the nearest ancestor that exists."""
        while path not in self.lines:
            path = path[:-1]
        return Place(self.file, self.lines[path])


@dataclass(frozen=True, slots=True)
class YamlNode:
    """A value of a document, with its path.

    The document must be valid by its schema, so that callers know the kind of each value.  A
    property that does not fit the kind fails an assertion.
    """

    document: Document
    path: DataPath
    data: Data

    @property
    def place(self) -> Place:
        """Its line."""
        return self.document.place(self.path)

    @property
    def text(self) -> str:
        """The value, which is a text."""
        assert isinstance(self.data, str)
        return self.data

    @property
    def number(self) -> int:
        """The value, which is a whole number."""
        assert isinstance(self.data, int)
        return self.data

    @property
    def elements(self) -> list["YamlNode"]:
        """The elements of the value, which is a list."""
        assert isinstance(self.data, list)
        return [YamlNode(self.document, (*self.path, i), item) for i, item in enumerate(self.data)]

    @property
    def items(self) -> list[tuple[str, "YamlNode"]]:
        """The keys and values of the value, which is a mapping, in the order of the file."""
        assert isinstance(self.data, dict)
        return [
            (key, YamlNode(self.document, (*self.path, key), v)) for key, v in self.data.items()
        ]

    def get(self, key: str) -> "YamlNode | None":
        """The value of a key of the mapping; None: it has no such key."""
        assert isinstance(self.data, dict)
        if key not in self.data:
            return None
        return YamlNode(self.document, (*self.path, key), self.data[key])

    def required_text(self, key: str) -> str:
        """The text of a key of the mapping, which has it."""
        (text,) = self.texts(key)
        return text

    def texts(self, key: str) -> tuple[str, ...]:
        """The texts of a key of the mapping, whose value is one text or a list of texts.

        Empty if the mapping does not have the key.
        """
        part = self.get(key)
        if part is None:
            return ()
        if isinstance(part.data, str):
            return (part.data,)
        return tuple(element.text for element in part.elements)

    def problem(self, message: str, hint: str = "") -> Problem:
        """A problem at this value."""
        return Problem(self.place, message, hint)


def read_document(path: Path) -> Document:
    """The document in a file.

    Raises `InvalidFilesError` if the file cannot be read, or is not in the corpus's part of YAML.
    """
    return parse_document(read_text(path), shown_path(path))


def read_valid(path: Path, schema: str, definition: str = "") -> YamlNode:
    """The top of the document in a file, which is valid by a schema of the kit.

    Raises `InvalidFilesError` as `read_document`, and if the document violates the schema.
    """
    document = read_document(path)
    if problems := schema_problems(document, schema, definition):
        raise InvalidFilesError(problems)
    return YamlNode(document, (), document.data)


def read_json_lists(path: Path, definition: str, hint: str) -> dict[str, list[str]]:
    """The lists of texts by key in a file of JSON, which is read a hundred times as fast as YAML.

    ``definition`` is the definition of ``case.schema.json`` by which each text must be valid.
    Raises `InvalidFilesError` if the file cannot be read, is not an object of such lists, or has a
    key twice; the problem has the ``hint``.
    """
    text = read_text(path)

    def invalid(line: int, message: str) -> InvalidFilesError:
        """The error with one problem, at a line of the file."""
        return InvalidFilesError([Problem(Place(shown_path(path), line), message, hint)])

    def invalid_at(key: str, message: str) -> InvalidFilesError:
        """The error with one problem, at the last occurrence of a key."""
        *_, start = [m.start() for m in re.finditer(re.escape(json.dumps(key)), text)] or [0]
        return invalid(text.count("\n", 0, start) + 1, f"{key[:100]}: {message}")

    try:
        pairs: object = json.loads(text, object_pairs_hook=tuple)  # an array becomes a list
    except json.JSONDecodeError as error:
        raise invalid(error.lineno, f"not JSON: {error.msg}") from None
    except ValueError:  # `int` refuses a number with more than 4,300 digits
        raise invalid(1, "a number has too many digits") from None
    except RecursionError:
        raise invalid(1, "values nest too deeply") from None
    if not isinstance(pairs, tuple):
        raise invalid(1, "the file has to be an object of lists of texts")
    found: dict[str, list[str]] = {}
    valid: set[str] = set()
    for key, value in cast("tuple[tuple[str, object], ...]", pairs):
        if key in found:
            raise invalid_at(key, "the key stands twice")
        texts = cast("list[object]", value) if isinstance(value, list) else [None]
        found[key] = [each for each in texts if isinstance(each, str)]
        if len(found[key]) < len(texts):
            raise invalid_at(key, "the value has to be a list of texts")
        if _HALF.search(key):
            raise invalid_at(key, "half a character in a text")
        for each in set(found[key]) - valid:
            if wrong := violations(each, "case.schema.json", definition):
                raise invalid_at(key, wrong[0].message)
            valid.add(each)
    return found


def read_text(path: Path) -> str:
    """The text of a file.  Raises `InvalidFilesError` if it cannot be read, or is not UTF-8."""
    file = shown_path(path)
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidFilesError([Problem(Place(file, 1), error.strerror or str(error))]) from None
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise InvalidFilesError([Problem(Place(file, line), "the file is not UTF-8")]) from None
    except ValueError as error:  # a character of code 0 in the name
        raise InvalidFilesError([Problem(Place(file, 1), str(error))]) from None


def files_below(folder: Path, endings: Sequence[str]) -> list[Path]:
    """The files below a folder whose names end with one of ``endings``, in the order of the names.

    Folders and pipes are left out.  A link to a missing file is listed, so that its reader reports
    it.
    """
    return sorted(
        path
        for path in folder.rglob("*")
        if path.name.endswith(tuple(endings)) and (path.is_file() or not path.exists())
    )


def parse_document(text: str, file: str) -> Document:
    """The document in a text; ``file`` is its name in messages.  Raises `InvalidFilesError`.

    >>> parse_document("{time: 10:17:00, price: 1.50, old: no}", "f").data
    {'time': '10:17:00', 'price': Decimal('1.50'), 'old': 'no'}
    """
    try:
        node = _composed(text)
    except RecursionError:
        message = f"values nest deeper than {MAX_DEPTH}"
        raise InvalidFilesError([Problem(Place(file, 1), message)]) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        message = " ".join(filter(None, (error.context, error.problem)))
        raise InvalidFilesError([Problem(Place(file, line), message)]) from None
    except yaml.YAMLError as error:
        raise InvalidFilesError([Problem(Place(file, 1), " ".join(str(error).split()))]) from None
    if node is None:
        raise InvalidFilesError([Problem(Place(file, 1), "the file is empty")])
    reader = _Reader(file, {})
    return Document(file, reader.value(node, (), ()), reader.lines)


def _composed(text: str) -> yaml.Node | None:
    """The tree of YAML nodes of the document in ``text``; None: the text is empty.

    A base loader does not resolve types, so each scalar is the written text.  The loader in C,
    which PyYAML has on most machines, reads the corpus in a seventh of the time.  A text that it
    rejects is read again by the loader in Python, so that messages are the same on all machines.
    Raises `RecursionError` if values are nested too deeply.
    """
    if _may_be_deep(text):
        _check_depth(text)
    if not isinstance(fast := getattr(yaml, "CBaseLoader", None), type):
        return yaml.compose(text, Loader=yaml.BaseLoader)
    try:
        return yaml.compose(text, Loader=fast)
    except yaml.YAMLError:
        return yaml.compose(text, Loader=yaml.BaseLoader)


def _may_be_deep(text: str) -> bool:
    """Whether values may be nested deeper than `_SAFE_DEPTH`, by a quick upper bound of the depth.

    Each level needs a bracket somewhere before, or an indentation, ``-`` or ``?`` in its line.
    """
    brackets = text.count("[") + text.count("{")
    return any(
        brackets + (len(line) - len(line.lstrip(" "))) + line.count("-") + line.count("?")
        > _SAFE_DEPTH
        for line in text.splitlines() or [""]
    )


def _check_depth(text: str) -> None:
    """Raise `RecursionError` if values are nested deeper than `_SAFE_DEPTH`.

    It reads the events of the parser, which does not recurse.
    """
    depth = 0
    # The loader in C is a hundred times as fast.
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    for event in yaml.parse(text, Loader=loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > _SAFE_DEPTH:
            raise RecursionError


@dataclass(frozen=True, slots=True)
class _Reader:
    """Turns YAML nodes into data, and records their lines."""

    file: str
    lines: dict[DataPath, int]

    def value(self, node: yaml.Node, path: DataPath, ancestors: tuple[yaml.Node, ...]) -> Data:
        """The data of a node at ``path``; ``ancestors`` are the nodes that contain it."""
        self.lines[path] = node.start_mark.line + 1
        if len(path) >= MAX_DEPTH:
            raise self._invalid(node, f"values nest deeper than {MAX_DEPTH}")
        if len(self.lines) > MAX_VALUES:
            raise self._invalid(node, f"the file has more than {MAX_VALUES:,} values")
        if any(node is ancestor for ancestor in ancestors):
            raise self._invalid(node, "an alias inside its own anchor")
        if node.tag not in _PLAIN_TAGS:
            raise self._invalid(node, f"tags are not used here: {node.tag}")
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if isinstance(node, yaml.SequenceNode):
            return [
                self.value(item, (*path, place), (*ancestors, node))
                for place, item in enumerate(node.value)
            ]
        assert isinstance(node, yaml.MappingNode)
        mapping: dict[str, Data] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise self._invalid(key_node, "a key must be text")
            key = str(key_node.value)
            if key in mapping:
                raise self._invalid(key_node, f"the key {key} stands twice")
            mapping[key] = self.value(value_node, (*path, key), (*ancestors, node))
            self.lines[*path, key] = key_node.start_mark.line + 1
        return mapping

    def _scalar(self, node: yaml.ScalarNode) -> Data:
        """The value of a scalar: a text, if it is quoted; else it can be another value."""
        text = str(node.value)
        if node.style:  # a plain scalar has None, or "" from the loader in C
            return text
        if text in _NULLS:
            return None
        if text in _BOOLEANS:
            return _BOOLEANS[text]
        if _NUMBER.fullmatch(text) and len(text) > MAX_DIGITS:
            raise self._invalid(node, f"a number has at most {MAX_DIGITS:,} digits")
        if _WHOLE.fullmatch(text):
            return int(text)
        if _NUMBER.fullmatch(text):
            return Decimal(text)
        if _AMBIGUOUS.fullmatch(text):
            message = f"readers of YAML read a plain {text} differently"
            raise self._invalid(node, message, "quote it, or write it as JSON does")
        return text

    def _invalid(self, node: yaml.Node, message: str, hint: str = "") -> InvalidFilesError:
        """The error with one problem, at the line of ``node``."""
        return InvalidFilesError(
            [Problem(Place(self.file, node.start_mark.line + 1), message, hint)]
        )


def schema_problems(document: Document, schema: str, definition: str = "") -> list[Problem]:
    """The violations of a schema of the kit, in the order of the document's lines.

    ``schema`` is the schema's file name.  ``definition`` is the name of one of its ``$defs``;
    empty: the whole schema.
    """
    problems = [
        Problem(
            document.place(each.path), ": ".join(filter(None, (_dotted(each.path), each.message)))
        )
        for each in violations(document.data, schema, definition)
    ]
    return sorted(problems, key=lambda problem: (problem.place.line, problem.message))


def _dotted(path: DataPath) -> str:
    """The path as messages write it: ``cases.0.steps``."""
    return ".".join(map(str, path))
