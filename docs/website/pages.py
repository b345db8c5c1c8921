"""The pages of the site: which file of the repository each is, and its text for the generator."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from typing import Final

from docs.website.markdown import with_code, with_links, with_prose
from tests.rule_index import RULES, rules

ROOT: Final = Path(__file__).parents[2]

#: The pages whose list items define an id, such as ``- **S-503.b** …``, by the letters of the id.
DEFINING: Final = {"S": "semantics.md", "CAL": "sources.md", "MON": "sources.md"} | {
    "EXT": "sources.md",
    "RTB": "sources.md",
    "E": "sources.md",
}

#: The navigation: pages below headings, by their names on the site; the remaining pages are in the
#: last.
NAVIGATION: Final[Mapping[str, tuple[str, ...]]] = {
    "Meaning": ("semantics", "rules/index", "functions", "monotonicity", "metadata", "glossary"),
    "Use": (
        "first-steps",
        "newcomers",
        "files",
        "unit-tests",
        "engine",
        "pipelines",
        "spark",
        "traces",
    ),
    "The kit": (
        "adding-a-backend",
        "ci",
        "case-format",
        "sqllogictest",
        "clauses",
        "sources",
        "score",
    ),
    "Engines": ("engines/index", "docket/index", "differences", "benchmarks"),
    "Project": ("readme", "architecture", "changelog"),
}

#: The page of terms, which the search lists first.
GLOSSARY: Final = ROOT / "docs" / "glossary.md"

#: Files that are shown as they are; others are texts.
PICTURES: Final = (".svg", ".png")

_DEFINITION: Final = re.compile(r"(?m)^( *(?:- |\| ))\*\*([A-Z]+-\d+(?:\.[a-z]+)?)\*\*")
_MENTION: Final = re.compile(rf"\b(?:{'|'.join(DEFINING)})-\d+(?:\.[a-z]+)?\b")
_RULE: Final = re.compile(r"(?m)^### (S-\d{3,4}) .*\n")


@dataclass(slots=True)
class Sources:
    """The sources of the site: texts by their paths there, and the files that they link to.

    ``cases`` is the page of each case in the report, below the site, by the case's id.
    """

    cases: Mapping[str, str] = field(default_factory=dict[str, str])
    texts: dict[str, str] = field(default_factory=dict[str, str])
    files: set[Path] = field(default_factory=set[Path])
    ids: set[str] = field(default_factory=set[str])


def page_files() -> dict[Path, str]:
    """Each file of the repository that is a page, with its path among the sources."""
    docs = ROOT / "docs"
    found = {path: path.relative_to(docs).as_posix() for path in sorted(docs.rglob("*.md"))}
    found[docs / "index.md"] = "clauses.md"
    return {ROOT / "README.md": "readme.md", ROOT / "CHANGELOG.md": "changelog.md", **found}


def sources(cases: Mapping[str, str]) -> Sources:
    """The sources of all pages that are files of the repository."""
    made = Sources(cases)
    pages = page_files()
    for path, name in pages.items():
        found = _DEFINITION.finditer(path.read_text("utf-8"))
        made.ids |= {each[2] for each in found if _defines(name, each[2])}
    made.ids |= {rule.id for rule in rules()}
    for path, name in pages.items():
        made.texts[name] = page_text(made, path, name)
    return made


def add_first_page(made: Sources, text: str) -> None:
    """Add the first page, which has the table of contents of all pages that are there."""
    made.texts["index.md"] = text + _navigation(sorted(made.texts))


def page_text(made: Sources, path: Path, name: str) -> str:
    """The text of a page for the generator."""
    text = path.read_text("utf-8")
    if path == RULES:
        text = _RULE.sub(r'<span class="rule" id="\1"></span>\n\n\g<0>', text)
        text = _with_cases(text)
    if path == GLOSSARY:
        text = with_terms(text)
    text = _DEFINITION.sub(partial(_anchored, name), text)
    return re.sub(r"(?m)^```csv$", "```text", linked(made, path, name, text))


def _defines(name: str, id: str) -> bool:
    """Whether a page is the one that defines an id."""
    return DEFINING.get(id.partition("-")[0]) == name


def _anchored(name: str, found: re.Match[str]) -> str:
    """The beginning of a list item; its id is an anchor, and a link to itself, if defined here."""
    id = found[2]
    if not _defines(name, id):
        return found[0]
    return f'{found[1]}<a class="clause" id="{id}" href="#{id}">{id}</a>'


def linked(made: Sources, path: Path, name: str, text: str) -> str:
    """A text of a file, as it stands on a page: links, ids and names of cases lead on."""
    text = with_links(text, partial(_link, made, path, name))
    text = with_prose(text, partial(_linked_ids, made.ids, name))
    return with_code(text, partial(_case_link, made.cases, name))


def _linked_ids(ids: set[str], page: str, text: str) -> str:
    """A text in which ids of rules, clauses and statements lead to where they are defined."""

    def link(found: re.Match[str]) -> str:
        id = found[0]
        if id not in ids:
            return id
        target = DEFINING[id.partition("-")[0]].replace(".md", ".html")
        return f'<a class="id" href="{_relative(target, page)}#{id}">{id}</a>'

    return _MENTION.sub(link, text)


def with_terms(text: str) -> str:
    """The glossary with a definition for each row of its tables: the search lists terms first."""
    seen = set[str]()

    def terms(found: re.Match[str]) -> str:
        section = re.findall(r"(?m)^## (.*)$", text[: found.start()])[-1]
        lines = (_term(line, section, seen) for line in found[0].splitlines()[2:])
        return "```{glossary}\n" + "\n".join(lines) + "\n```\n"

    return re.sub(r"(?m)^\| term \|.*\n(?:\|.*\n?)+", terms, text)


def _term(line: str, section: str, seen: set[str]) -> str:
    """A row of the glossary as a definition, below the term and its other forms.

    A term that was ``seen`` before, in another section, has its section in brackets.
    """
    names, meaning, source, elsewhere = (each.strip() for each in line.strip("|").split("|"))
    forms = [each.strip() for each in re.split(r",(?![^()]*\))", names)]
    heads = "\n".join(f"{each} ({section})" if each in seen else each for each in forms)
    seen.update(forms)
    notes = [
        f"*Source:* {source}." if source else "",
        f"*Elsewhere:* {elsewhere}." if elsewhere else "",
    ]
    below = "  ".join(filter(None, notes))
    return f"{heads}\n  {meaning}" + (f"\n\n  {below}" if below else "") + "\n"


def _with_cases(text: str) -> str:
    """The rules, each with a link to its cases at its end."""
    parts = re.split(r'(?m)^(?=<span class="rule"|## )', text)
    for place, part in enumerate(parts):
        if found := re.match(r'<span class="rule" id="(S-\d{3,4})">', part):
            link = f'<a href="rules/{found[1]}.html">The cases of {found[1]}, with timelines</a>'
            parts[place] = f"{part.rstrip()}\n\n{link}\n\n"
    return "".join(parts)


def _link(made: Sources, path: Path, name: str, link: str, anchor: str) -> tuple[str, str]:
    """The texts before and after the text of a link; nothing, if it leads to a mere folder."""
    to = Path(normpath(path.parent / link)) if link else path
    pages = page_files()
    if to in pages:
        own = pages[to] == name
        return "[", f"]({'' if own else _relative(pages[to], name)}{anchor})"
    if to.is_dir():
        return "", ""
    made.files.add(to)
    file = _relative(f"files/{to.relative_to(ROOT)}", name)
    if to.suffix in PICTURES:
        return "[", f"]({file})"
    return f'<a href="{file}.txt">', "</a>"


def _case_link(cases: Mapping[str, str], page: str, code: str) -> str:
    """A piece of code, as a link if it is the id of a case."""
    target = cases.get(code.strip("`"))
    if target is None:
        return code
    return f'<a href="{_relative(target, page)}"><code>{code.strip("`")}</code></a>'


def _relative(target: str, page: str) -> str:
    return relpath(target, PurePosixPath(page).parent)


def _navigation(names: list[str]) -> str:
    """The table of contents, which no page shows: it is in the bar next to all pages."""
    listed = {each for entries in NAVIGATION.values() for each in entries} | {"index"}
    left = [name.removesuffix(".md") for name in names if name.removesuffix(".md") not in listed]
    engines = [name for name in left if name.startswith("engines/")]
    others = [name for name in left if name not in engines]
    text = ""
    for heading, entries in NAVIGATION.items():
        more = {"Engines": engines, "Project": others}.get(heading, [])
        pages = "\n".join([*entries, *more])
        text += f"\n```{{toctree}}\n:hidden:\n:caption: {heading}\n\n{pages}\n```\n"
    return text
