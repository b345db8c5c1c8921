"""The models of dbt: files of SQL whose calls of ``ref`` and ``source`` name tables."""

import re
from pathlib import Path
from typing import Final

from tck.corpus.document import InvalidFilesError, YamlNode, read_text
from tck.files import shown_path

#: The file in the top folder of a project of dbt.
_PROJECT: Final = "dbt_project.yml"
_TEXT: Final = r"""\s*(?:'([^']*)'|"([^"]*)")\s*"""
_CALL: Final = re.compile(rf"(?:ref|source)\({_TEXT}(?:,{_TEXT})?\)")
_EXPRESSION: Final = re.compile(r"\{\{-?(.*?)-?\}\}", re.DOTALL)
_COMMENT: Final = re.compile(r"\{#.*?#\}", re.DOTALL)
_MODEL: Final = re.compile(r"[\w-][\w.-]*")
_CONFIG: Final = re.compile(r"config\(.*\)", re.DOTALL)


def input_name(call: str) -> str | None:
    """The name of the table that ``ref(…)`` or ``source(…)`` names; None: it is neither.

    >>> input_name("ref('orders')"), input_name("source('shop', 'orders')"), input_name("this")
    ('orders', 'orders', None)
    """
    match = _CALL.fullmatch(call.strip())
    return None if match is None else next(each for each in reversed(match.groups()) if each)


def model_sql(node: YamlNode, path: Path) -> str:
    """The query of the model that ``node`` names, as SQL without templates.

    The file ``MODEL.sql`` is below the folder of ``path``, or else somewhere in the project.
    Raises `InvalidFilesError` at ``node`` if there is no such file, there are several, or the
    template has anything but ``ref``, ``source`` and ``config``.
    """
    if not _MODEL.fullmatch(node.text):
        hint = "it has letters, digits, _, - and ."
        raise InvalidFilesError([node.problem(f"{node.text!r} is not the name of a model", hint)])
    folder = path.resolve().parent
    project = next((each for each in folder.parents if (each / _PROJECT).exists()), folder)
    for top in (folder, project):
        found = _files_of_model(top, node.text)
        if len(found) > 1:
            names = ", ".join(shown_path(each) for each in found)
            raise InvalidFilesError(
                [node.problem(f"several files are the model {node.text}", names)]
            )
        if found:
            return _without_templates(read_text(found[0]), node, found[0])
    hint = f"it is the view {node.text} of a script, or a file {node.text}.sql"
    raise InvalidFilesError([node.problem(f"there is no model {node.text}", hint)])


def _files_of_model(top: Path, name: str) -> list[Path]:
    """The files of a model below a folder; none if no file can have such a name."""
    try:
        return sorted(top.rglob(f"{name}.sql"))
    except OSError:
        return []


def _without_templates(text: str, node: YamlNode, file: Path) -> str:
    def name(match: re.Match[str]) -> str:
        expression = match[1].strip()
        if _CONFIG.fullmatch(expression):
            return ""
        called = input_name(expression)
        return match[0] if called is None else called

    text = _EXPRESSION.sub(name, _COMMENT.sub("", text))
    left = re.search(r"\{\{.*?\}\}|\{%.*?%\}", text, re.DOTALL)
    if left is not None:
        message = f"{shown_path(file)} has {left[0]}"
        hint = "of the templates of dbt, ref, source and config are read"
        raise InvalidFilesError([node.problem(message, hint)])
    return text.strip().removesuffix(";")
