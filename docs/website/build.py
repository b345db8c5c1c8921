"""The sources of the site, and files of its pages: ``python -m docs.website.build SOURCES PAGES``.

The report of the kit is at ``PAGES/report`` already: its pages of cases are linked.
"""

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from docs.website.landing import landing
from docs.website.pages import PICTURES, ROOT, add_first_page, sources
from docs.website.rule_pages import add_rule_pages
from tck.corpus.load import kit_corpus
from tck.drawing.draw import COLOURS, DARK_COLOURS, inset_style
from tck.pages import places
from tck.pages.names import CASE_PAGE, case_link
from tck.pages.packed import unpacked

_HERE: Final = Path(__file__).parent


def build(target: Path, pages: Path) -> None:
    """Write the sources into an empty folder, and copy the files that they link to."""
    made, corpus = sources(cases_in(pages)), kit_corpus().cases
    add_rule_pages(made, corpus)
    has_playground = (pages / "playground" / "index.html").is_file()
    add_first_page(made, landing(ROOT / "docs", len(corpus), has_playground=has_playground))
    if has_playground:
        _link_rules(pages / "playground" / "index.html")
    shutil.rmtree(target, ignore_errors=True)
    for name, text in made.texts.items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    for file in made.files:
        kept = file.suffix in PICTURES
        path = pages / "files" / f"{file.relative_to(ROOT)}{'' if kept else '.txt'}"
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, path)
        if kept:  # Sphinx copies pictures itself, out of its sources
            beside = target / "files" / file.relative_to(ROOT)
            beside.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, beside)
    shutil.copyfile(_HERE / "conf.py", target / "conf.py")
    shutil.copytree(_HERE / "templates", target / "_templates")
    shutil.copytree(_HERE / "static", target / "_static")
    style = inset_style({name: f"var(--{name})" for name in COLOURS})
    (target / "_static" / "timeline.css").write_text(f"{_colours()}{style}", "utf-8")
    (target / "_static" / places.STYLE).write_text(places.style(), "utf-8")


def _colours() -> str:
    """The colours of timelines and SQL as properties, in the theme of the pages."""
    light, dark = (
        " ".join(f"--{name}: {colour};" for name, colour in colours.items())
        for colours in ({**COLOURS, "literal": "#1a6b34"}, {**DARK_COLOURS, "literal": "#63c384"})
    )
    automatic = f'body:not([data-theme="light"]) {{ {dark} }}'
    return (
        f"body {{ {light} }}\n@media not print {{\n"
        f'body[data-theme="dark"] {{ {dark} }}\n'
        f"@media (prefers-color-scheme: dark) {{ {automatic} }}\n}}\n"
    )


def _link_rules(playground: Path) -> None:
    """Tell the playground where the rules are that its reasons name."""
    page = playground.read_text("utf-8")
    link = '<meta name="rules" content="../semantics.html#">'
    playground.write_text(page.replace("<!-- rules -->", link), "utf-8")


def cases_in(pages: Path) -> Mapping[str, str]:
    """The link to each case of the report, from the folder ``pages``, by the case's id."""
    files = unpacked((pages / "report" / CASE_PAGE).read_text("utf-8"))
    return {id: f"report/{case_link(id)}" for ids in files.values() for id in ids}


if __name__ == "__main__":
    build(Path(sys.argv[1]), Path(sys.argv[2]))
