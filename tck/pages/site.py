"""Make all pages of a report, and write them into a folder."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path, PurePath
from typing import Final

from tck.corpus.ledger import Entry as Statement
from tck.corpus.ledger import entry_of
from tck.corpus.selected.requirements import BEYOND
from tck.files import write_whole
from tck.judging.verdict import Kind
from tck.pages.abilities import MARKS, Group, group, groups
from tck.pages.age import age_of
from tck.pages.case.data import case_page_data
from tck.pages.case.view import case_view
from tck.pages.case_list import case_list
from tck.pages.engine_view import engine_view
from tck.pages.engines import Engine, count_verdicts
from tck.pages.items import Item
from tck.pages.names import CASE_PAGE
from tck.pages.packed import Data, packed
from tck.pages.rendering import render, shared_files
from tck.pages.sources import FAMILIES
from tck.pages.statement_list import statement_list
from tck.report.states import STATES

#: The pages about all engines and cases.
_OVERVIEWS: Final = ("index.html", "cases.html", "features.html", "statements.html", CASE_PAGE)


@dataclass(frozen=True, slots=True)
class Site:
    """The data of all pages: engines, cases, and the statements of the ledger by id.

    ``digests`` has a digest of each case of the corpus, by its id.  A result whose digest differs
    is older than its case.
    """

    engines: tuple[Engine, ...]
    items: tuple[Item, ...]
    statements: Mapping[str, Statement]
    digests: Mapping[str, str]


def write_site(site: Site, folder: Path) -> Iterator[str]:
    """Write all files, one at each step of the iterator, and yield its name.  Raises `OSError`.

    Existing files with these names are replaced, and other files in the folder stay.
    """
    for name, page in pages(site):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, page)
        yield name


def count_pages(site: Site) -> int:
    """The number of files that `pages` makes."""
    case_files = {item.file for item in site.items}
    return len(shared_files()) + len(_OVERVIEWS) + len(site.engines) + len(case_files)


def pages(site: Site) -> Iterator[tuple[str, str]]:
    """The name and the text of each file; the same runs always give the same files."""
    yield from shared_files().items()
    engines, items = site.engines, site.items
    # No requirement demands the cases of the chapter BEYOND, so they are not in the totals.
    main = [item for item in items if item.chapter != BEYOND]
    beyond = [item for item in items if item.chapter == BEYOND]
    needs = groups(engines, items, lambda item: item.needs)
    needs = tuple(sorted(needs, key=lambda each: each.name))

    # The states that the tables of the pages list; they always list ``pass`` and ``fail``.
    occurring = {engine.state(item.id) for engine in engines for item in items}
    states = [each for each in STATES if each in occurring | {"pass", "fail"}]

    def page(name: str, template: str, **values: object) -> tuple[str, str]:
        """The name and the text of a page that is made from a template."""
        values |= {"engines": engines, "states": states, "mark_names": MARKS}
        return name, render(template, name, **values)

    yield page(
        "index.html",
        "index.html.j2",
        sections=_chapters_by_section(engines, main),
        total=group("all", engines, main),
        whose=[count_verdicts(engine, (item.id for item in main)) for engine in engines],
        beyond=group(BEYOND, engines, beyond) if beyond else None,
        places={engine.label: place for place, engine in enumerate(engines)},
        ages=[age_of(engine, site.digests) for engine in engines],
    )
    yield page(
        "cases.html",
        "cases.html.j2",
        data=packed(case_list(items, engines)),
        chapters=list(dict.fromkeys(item.chapter for item in items)),
        needs=[each.name for each in needs],
        kinds=list(Kind),
    )
    yield page("features.html", "features.html.j2", needs=needs)
    data = packed(statement_list(_statements_by_family(site), engines))
    yield page("statements.html", "statements.html.j2", data=data)
    by_id = {item.id: item for item in items}
    for engine in engines:
        view = engine_view(engine, items, needs)
        age = age_of(engine, site.digests)
        yield page(engine.page, "engine.html.j2", view=view, age=age, by_id=by_id)
    by_file = groupby(sorted(items, key=lambda item: item.file), lambda item: item.file)
    files: dict[str, Data] = {}
    for name, listed in by_file:
        views = [case_view(item, engines, site.statements, site.digests) for item in listed]
        files[name] = [view.item.id for view in views]
        yield name, f'receive("{packed(case_page_data(views, engines))}");\n'
    yield page(CASE_PAGE, "case.html.j2", data=packed(files))


def _chapters_by_section(
    engines: Sequence[Engine], items: Sequence[Item]
) -> dict[str, list[Group]]:
    """The chapters by their section: a folder of the corpus, such as ``window functions``.

    The file of a case is ``…/cases/SECTION/CHAPTER/FILE``.  A chapter whose files have another path
    is in the section "".
    """
    found: dict[str, list[Group]] = {}
    for each in groups(engines, items, lambda item: [item.chapter]):
        folders = PurePath(each.items[0].place.file).parts
        section = folders[-3].replace("_", " ") if folders[-4:-3] == ("cases",) else ""
        found.setdefault(section, []).append(each)
    return found


def _statements_by_family(site: Site) -> dict[str, list[tuple[Group, Statement | None]]]:
    """By the title of a family: its cited statements and clauses, in the order of the ledger.

    Each has the group of the cases that cite it, and its statement, or None if the ledger does not
    have it.
    """
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
