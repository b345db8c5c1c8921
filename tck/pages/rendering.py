"""The templates of the pages, and what every page has: its style, its script, its way to others."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tck.drawing.draw import COLOURS, inset_style
from tck.judging.verdict import VERDICTS
from tck.pages.items import slug
from tck.pages.policy import allowed
from tck.pages.sql import highlighted
from tck.printable import printable

_TEMPLATES: Final = files(str(__package__)) / "templates"


def render(template: str, page: str, **values: object) -> str:
    """A page as HTML that needs no other file: the style and the script are in it.

    ``page`` is its path below the report's folder.  Every text is escaped, and its control
    characters are shown as escapes.
    """
    values |= {"root": "../" * page.count("/"), "page": page, "verdicts": VERDICTS, **_inlined()}
    return _environment().get_template(template).render(values)


@cache
def _inlined() -> Mapping[str, str]:
    """The style and the script of every page, and the names by which its policy allows them."""
    style = Markup(base_style() + _text("style.css"))  # noqa: S704  our own files
    script = Markup(_text("script.js"))  # noqa: S704  as above
    return {
        "style": style,
        "script": script,
        "allowed_style": allowed(style),
        "allowed_script": allowed(script),
    }


def base_style() -> str:
    """The CSS rules that all pages share: colours, light and dark, texts, controls, timelines."""
    colours = {name: f"var(--{name})" for name in COLOURS}
    return f"{_text('base.css')}{inset_style(colours)}"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(str(__package__)),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["sql"] = highlighted
    environment.filters["slug"] = slug
    environment.filters["sentence"] = _sentence
    return environment


def _sentence(text: str) -> str:
    """The text with a capital letter in front and a full stop at its end."""
    text = text.strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def _printable(value: object) -> object:
    """The written form of a value: text without control characters; HTML unchanged."""
    return printable(value) if type(value) is str else value


def _text(name: str) -> str:
    return (_TEMPLATES / name).read_text("utf-8")
