"""The kit's own corpus, read once for all tests; and small ones, written to a folder as files."""

from functools import cache
from pathlib import Path
from textwrap import dedent, indent

from tck.corpus.case import Case
from tck.corpus.ledger import Entry, kit_ledger, read_ledger
from tck.corpus.load import load_corpus
from tck.result_types import typed


@cache
def kit_entries() -> tuple[Entry, ...]:
    """The statements, errata and rulings of the kit's ledger."""
    return read_ledger(kit_ledger())


FIXTURE = """\
fixture: a few orders
date: 2015-02-15
ddl: CREATE STREAM Orders (rowtime TIMESTAMP(3) ASCENDING, productId INTEGER, units INTEGER);
columns:
  Orders: [rowtime TIMESTAMP(3) NOT NULL, productId INTEGER NOT NULL, units INTEGER]
tables:
  Orders: [['09:00', 10, 1]]
streams:
  Orders: [['10:00', 10, 4], ['10:00', 20, 1], ['10:05', 10, 7]]
"""


def write_cases(folder: Path, *cases: str, name: str = "chapter/subject.yaml") -> Path:
    """The folder, with cases in one file: each a mapping without its dash."""
    (folder / "fixtures").mkdir(parents=True, exist_ok=True)
    (folder / "fixtures" / "few.yaml").write_text(FIXTURE)
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    items = "".join(f"- {indent(dedent(case).strip(), '  ').strip()}\n" for case in cases)
    file.write_text(f"subject: toys\ngiven: few\ncases:\n{items}")
    return folder


def load_cases(folder: Path, *cases: str) -> tuple[Case, ...]:
    """The cases, which must be valid; with the types of their results, where they have rows."""
    corpus = load_corpus([write_cases(folder, *cases)])
    assert not corpus.problems, list(map(str, corpus.problems))
    return tuple(map(typed, corpus.cases))


def load_case(folder: Path, case: str) -> Case:
    """The one case, which must be valid."""
    (loaded,) = load_cases(folder, case)
    return loaded


def problems(folder: Path, *cases: str) -> list[str]:
    """The problems of the cases, without the folder in their places."""
    found = load_corpus([write_cases(folder, *cases)]).problems
    return [str(problem).replace(f"{folder}/", "") for problem in found]
