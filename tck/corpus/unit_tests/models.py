"""Read the models of dbt: files with a query in which ``ref`` and ``source`` name tables.

These calls stand in templates: ``{{ ref('orders') }}``.
"""

import re
from pathlib import Path
from typing import Final

from tck.corpus.document import InvalidFilesError, YamlNode, read_text
from tck.files import shown_path

#: The file in the top folder of a project of dbt.
_PROJECT: Final = "dbt_project.yml"
#: A text in quotes; one of the two groups is its content.
_TEXT: Final = r"""\s*(?:'([^']*)'|"([^"]*)")\s*"""
#: A call of ``ref`` or ``source`` with one or two texts.
_CALL: Final = re.compile(rf"(?:ref|source)\({_TEXT}(?:,{_TEXT})?\)")
#: A template with an expression, which is the group.
_EXPRESSION: Final = re.compile(r"\{\{-?(.*?)-?\}\}", re.DOTALL)
#: A template that is a comment.
_COMMENT: Final = re.compile(r"\{#.*?#\}", re.DOTALL)
#: The name of a model.
_MODEL: Final = re.compile(r"[\w-][\w.-]*")
#: A call that configures a model, which does not change its rows.
_CONFIG: Final = re.compile(r"config\(.*\)", re.DOTALL)


def input_name(call: str) -> str | None:
    """The table that ``ref(…)`` or ``source(…)`` names; None: ``call`` is another expression.

    >>> input_name("ref('orders')"), input_name("source('shop', 'orders')"), input_name("this")
    ('orders', 'orders', None)
    """
    match = _CALL.fullmatch(call.strip())
    # The last text is the table's name.
    return None if match is None else next(each for each in reversed(match.groups()) if each)


def model_sql(node: YamlNode, path: Path) -> str:
    """The query of the model that ``node`` names, as SQL without templates.

    ``path`` is the file of the test.  The model is in ``MODEL.sql`` below the folder of this file,
    or else below the folder of the project.  Raises `InvalidFilesError` at ``node`` if there is no
    such file, if there are several, or if a template has something else than ``ref``, ``source``
    and ``config``.
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
    """The files of a model below a folder; none if the name is too long for a file."""
    try:
        return sorted(top.rglob(f"{name}.sql"))
    except OSError:
        return []


def _without_templates(text: str, node: YamlNode, file: Path) -> str:
    """The query in ``text`` with the names of tables in place of templates."""

    def replacement(match: re.Match[str]) -> str:
        """The text in place of a template; the template itself if it has another expression."""
        expression = match[1].strip()
        if _CONFIG.fullmatch(expression):
            return ""
        table = input_name(expression)
        return match[0] if table is None else table

    text = _EXPRESSION.sub(replacement, _COMMENT.sub("", text))
    other = re.search(r"\{\{.*?\}\}|\{%.*?%\}", text, re.DOTALL)
    if other is not None:
        message = f"{shown_path(file)} has {other[0]}"
        hint = "of the templates of dbt, ref, source and config are read"
        raise InvalidFilesError([node.problem(message, hint)])
    return text.strip().removesuffix(";")
