"""The pages of a report, written into a folder."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path, PurePath

from tck.corpus.ledger import Entry as Statement
from tck.corpus.ledger import entry_of
from tck.corpus.selected.requirements import BEYOND
from tck.files import write_whole
from tck.judging.verdict import Kind
from tck.pages.abilities import MARKS, Group, group, groups
from tck.pages.case_list import case_list
from tck.pages.case_view import case_view
from tck.pages.engine_view import engine_view
from tck.pages.engines import STATES, Engine, count_verdicts
from tck.pages.items import Item
from tck.pages.rendering import render
from tck.pages.sources import FAMILIES


@dataclass(frozen=True, slots=True)
class Site:
    """The data of the pages: engines, cases, and the statements that cases cite, by id."""

    engines: tuple[Engine, ...]
    items: tuple[Item, ...]
    statements: Mapping[str, Statement]


def write_site(site: Site, folder: Path) -> Path:
    """Write all pages; the path of the first, ``index.html``.  Raises `OSError`.

    Files of the same names are replaced, and others in the folder are left alone.
    """
    for name, page in pages(site):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, page)
    return folder / "index.html"


def pages(site: Site) -> Iterator[tuple[str, str]]:
    """The name and the text of each page; the same runs always give the same pages."""
    engines, items = site.engines, site.items
    main = [item for item in items if item.chapter != BEYOND]
    beyond = [item for item in items if item.chapter == BEYOND]
    needs = groups(engines, items, lambda item: item.needs)
    needs = tuple(sorted(needs, key=lambda each: each.name))

    found = {engine.state(item.id) for engine in engines for item in items} | {"pass", "fail"}
    states = [each for each in STATES if each in found]

    def page(name: str, template: str, **values: object) -> tuple[str, str]:
        values |= {"engines": engines, "states": states, "mark_names": MARKS}
        return name, render(template, name, **values)

    yield page(
        "index.html",
        "index.html.j2",
        sections=_sections_of_chapters(engines, main),
        total=group("all", engines, main),
        whose=[count_verdicts(engine, (item.id for item in main)) for engine in engines],
        beyond=group(BEYOND, engines, beyond) if beyond else None,
    )
    yield page(
        "cases.html",
        "cases.html.j2",
        data=case_list(items, engines),
        chapters=list(dict.fromkeys(item.chapter for item in items)),
        needs=[each.name for each in needs],
        kinds=list(Kind),
    )
    yield page("features.html", "features.html.j2", needs=needs)
    yield page("statements.html", "statements.html.j2", sections=_sections(site))
    for engine in engines:
        view = engine_view(engine, items, needs)
        yield page(engine.page, "engine.html.j2", view=view)
    by_page = groupby(sorted(items, key=lambda item: item.page), lambda item: item.page)
    for name, listed in by_page:
        views = [case_view(item, engines, site.statements) for item in listed]
        yield page(name, "subject.html.j2", views=views, first=views[0].item)


def _sections_of_chapters(
    engines: Sequence[Engine], items: Sequence[Item]
) -> dict[str, list[Group]]:
    """The chapters by the folder that they are in; by "" if their files are not so deep."""
    found: dict[str, list[Group]] = {}
    for each in groups(engines, items, lambda item: [item.chapter]):
        folders = PurePath(each.items[0].place.file).parts
        section = folders[-3].replace("_", " ") if folders[-4:-3] == ("cases",) else ""
        found.setdefault(section, []).append(each)
    return found


def _sections(site: Site) -> dict[str, list[tuple[Group, Statement | None]]]:
    """The cited statements and clauses by the title of their family, in the order of the ledger."""
    order = {id: place for place, id in enumerate(site.statements)}
    cited = groups(site.engines, site.items, lambda item: item.cites)
    found: dict[str, list[tuple[Group, Statement | None]]] = {
        title: [] for title, _ in FAMILIES.values()
    }
    for each in sorted(cited, key=lambda c: (order.get(entry_of(c.name), len(order)), c.name)):
        family = each.name.partition("-")[0]
        title = FAMILIES.get(family, (family, ""))[0]
        found.setdefault(title, []).append((each, site.statements.get(entry_of(each.name))))
    return {title: listed for title, listed in found.items() if listed}
