"""Expand series: a series is a case with a table, and each line of the table makes a case.

The value of ``$name`` in the case is that of the column ``name`` of the line.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from tck.corpus.document import Data, DataPath, Document, Problem, YamlNode

#: The key of a case that has the table; the first line of the table names its columns.
SERIES: Final = "series"
#: The key of a mapping whose entries are added to the surrounding mapping.
MERGE: Final = "<<"

#: A placeholder such as ``$bound``; the group is the name of the column.
_PLACEHOLDER: Final = re.compile(r"\$([a-z][a-z0-9_]*)")


def expand_series(document: Document) -> tuple[Document, list[Problem]]:
    """The document with each series replaced by its cases, and the faults of the series.

    The cases are in the order of the lines.  The id of a case is that of the series, a hyphen, and
    that of the line.  The place of a case is its line of the table, and the place of a value is the
    line in which it is written.

    The document must be valid by its schema.  The result may be invalid, because values are
    inserted, so the caller must validate it again.
    """
    top = YamlNode(document, (), document.data)
    listed = top.get("cases")
    assert listed is not None
    if not any(case.get(SERIES) for case in listed.elements):
        return document, []
    expansion = _Expansion()
    cases: list[Data] = []
    for case in listed.elements:
        if table := case.get(SERIES):
            for line in expansion.lines_of(case, table):
                cases.append(expansion.case_of(case, line, ("cases", len(cases))))
        else:
            cases.append(expansion.copy(case, ("cases", len(cases)), {}))
    data = {key: expansion.copy(value, (key,), {}) for key, value in top.items if key != "cases"}
    places = {(): document.place().line, ("cases",): listed.place.line, **expansion.places}
    return Document(document.file, {**data, "cases": cases}, places), expansion.problems


def series_ids(document: Document) -> list[str | None]:
    """The id of the series of each case of the expanded document, in order; None: it has none."""
    listed = YamlNode(document, (), document.data).get("cases")
    ids: list[str | None] = []
    for case in listed.elements if listed else ():
        table, id = case.get(SERIES), case.get("id")
        # The first line of a table has the names of its columns.
        ids += [id.text if id else None] * (len(table.elements) - 1) if table else [None]
    return ids


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a table (``node``), with its values by the names of the columns."""

    node: YamlNode
    values: Mapping[str, YamlNode]


@dataclass(frozen=True, slots=True)
class _Expansion:
    """Makes the values of the expanded document, and collects their places and the faults.

    ``places`` has the line of each value by its path in the expanded document.
    """

    places: dict[DataPath, int] = field(default_factory=dict[DataPath, int])
    problems: list[Problem] = field(default_factory=list[Problem])

    def lines_of(self, case: YamlNode, table: YamlNode) -> list[_Line]:
        """The lines of a table that make cases.

        The first line has the names of the columns.  A line with a wrong number of values is left
        out, and is a problem; so is a column that the case does not use.
        """
        head, *listed = table.elements
        names = [cell.text for cell in head.elements]
        used = _placeholders(case)
        for cell in head.elements[1:]:
            if cell.text not in used:
                self.problems.append(cell.problem(f"no ${cell.text} stands in the case"))
        lines: list[_Line] = []
        for line in listed:
            if len(line.elements) == len(names):
                values = dict(zip(names, line.elements, strict=True))
                lines.append(_Line(line, values))
            else:
                what = f"{len(line.elements)} values for {len(names)} columns: {', '.join(names)}"
                self.problems.append(line.problem(what))
        return lines

    def case_of(self, case: YamlNode, line: _Line, path: DataPath) -> Data:
        """The case of a line of a series; ``path`` is its path in the expanded document."""
        rest = YamlNode(
            case.document, case.path, {key: v.data for key, v in case.items if key != SERIES}
        )
        data = self.copy(rest, path, line.values)
        assert isinstance(data, dict)
        self.places[path] = line.node.place.line
        return {**data, "id": f"{data['id']}-{line.values['id'].text}"}

    def copy(self, node: YamlNode, path: DataPath, values: Mapping[str, YamlNode]) -> Data:
        """The value of a node with ``values`` in place of placeholders.

        ``path`` is its path in the expanded document.  Without ``values``, it is copied as it is.
        """
        self.places[path] = node.place.line
        match node.data:
            case dict():
                return self._mapping(node, path, values)
            case list():
                return [self.copy(e, (*path, i), values) for i, e in enumerate(node.elements)]
            case str() if values:
                return self._text(node, path, values)
            case _:
                return node.data

    def _mapping(self, node: YamlNode, path: DataPath, values: Mapping[str, YamlNode]) -> Data:
        """The mapping of a node, with the entries of the mapping at the key `MERGE` added."""
        mapping: dict[str, Data] = {}
        for key, value in node.items:
            merged = key == MERGE and bool(values)
            copied = self.copy(value, path if merged else (*path, key), values)
            if not merged:
                added = {key: copied}
            elif isinstance(copied, dict):
                added = copied
            else:
                self.problems.append(value.problem(f"{MERGE} stands before a mapping"))
                continue
            for twice in added.keys() & mapping.keys():
                self.problems.append(value.problem(f"the key {twice} stands twice"))
            mapping |= added
        # Again, because the copy of a merged mapping has set its own line for this path.
        self.places[path] = node.place.line
        return mapping

    def _text(self, node: YamlNode, path: DataPath, values: Mapping[str, YamlNode]) -> Data:
        """A text with its placeholders replaced; a lone placeholder becomes its column's value."""
        if whole := _PLACEHOLDER.fullmatch(node.text):
            value = self._value(whole[1], node, values)
            return None if value is None else self.copy(value, path, {})
        return _PLACEHOLDER.sub(lambda found: self._inserted(found[1], node, values), node.text)

    def _inserted(self, name: str, node: YamlNode, values: Mapping[str, YamlNode]) -> str:
        """The text that takes the place of a placeholder inside a longer text."""
        value = self._value(name, node, values)
        match value.data if value else "":
            case str(text):
                return text
            case bool() | None | list() | dict():
                self.problems.append(node.problem(f"${name} in a text must be a text or a number"))
                return ""
            case int(number):
                return str(number)
            case Decimal() as number:
                return f"{number:f}"

    def _value(self, name: str, node: YamlNode, values: Mapping[str, YamlNode]) -> YamlNode | None:
        """The value of a placeholder; None, and a problem, if there is no such column."""
        if name not in values:
            columns = ", ".join(values)
            self.problems.append(
                node.problem(f"the series has no column for ${name}", f"it has: {columns}")
            )
        return values.get(name)


def _placeholders(node: YamlNode) -> set[str]:
    """The names of all placeholders in a value."""
    match node.data:
        case dict():
            return {name for _, value in node.items for name in _placeholders(value)}
        case list():
            return {name for element in node.elements for name in _placeholders(element)}
        case str():
            return set(_PLACEHOLDER.findall(node.text))
        case _:
            return set()
