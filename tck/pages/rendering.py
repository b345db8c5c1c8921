"""Render the templates of the pages, and read the style and the script that all pages share."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from tck.drawing.draw import COLOURS, inset_style
from tck.judging.verdict import VERDICTS
from tck.pages import places
from tck.pages.names import case_link, slug
from tck.terminal.printable import printable

_TEMPLATES: Final = files(str(__package__)) / "templates"

#: The scripts that the pages share, in the order in which they run.
_SCRIPTS: Final = ("base.js", "chapters.js", "parts.js", "list.js", "statements.js", "case.js")


def render(template: str, page: str, **values: object) -> str:
    """A page as HTML, made from a template and ``values``; it uses the files of `shared_files`.

    ``page`` is its path below the report's folder.  Markup in texts is escaped, and control
    characters are shown as escapes.
    """
    values |= {"root": "../" * page.count("/"), "page": page, "verdicts": VERDICTS}
    return _environment().get_template(template).render(values)


def shared_files() -> Mapping[str, str]:
    """The texts of the files that all pages share, by their names in the report's folder."""
    return {
        "report.css": base_style() + _text("style.css"),
        "report.js": "".join(map(_text, _SCRIPTS)),
    }


def base_style() -> str:
    """The CSS rules that all pages share: colours, light and dark, texts, controls, timelines."""
    colours = {name: f"var(--{name})" for name in COLOURS}
    return f"{_text('base.css')}{places.style()}{inset_style(colours)}"


@cache
def _environment() -> Environment:
    """The environment of the templates, with the filters that they use."""
    environment = Environment(
        loader=PackageLoader(str(__package__)),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["slug"] = slug
    environment.filters["case_link"] = case_link
    return environment


def _printable(value: object) -> object:
    """A text without control characters; any other value, also HTML (`Markup`), unchanged."""
    return printable(value) if type(value) is str else value


def _text(name: str) -> str:
    """The text of a file in the folder of the templates."""
    return (_TEMPLATES / name).read_text("utf-8")
