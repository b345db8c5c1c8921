"""With patterns, only the files are read in which a case can match one."""

from pathlib import Path

import pytest

from tck.corpus.load import load_corpus
from tests.tck.corpora import write_cases

SERIES = """
id: grid
cites: [CAL-010]
sql: SELECT STREAM * FROM Orders WHERE units > $least
rows: $rows
series:
- [id, least, rows]
- [low, 6, [['10:05', 10, 7]]]
- [high-up, 9, []]
"""
ALONE = """
id: alone
cites: [CAL-010]
sql: SELECT STREAM * FROM Orders WHERE units > 6
rows: [['10:05', 10, 7]]
"""
FLOW = "{id: flow, cites: [CAL-010], rows: [], sql: SELECT STREAM * FROM Orders WHERE FALSE}"


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    write_cases(tmp_path, SERIES, name="area/one/series.yaml")
    write_cases(tmp_path, ALONE, name="area/two/alone.yaml")
    write_cases(tmp_path, ALONE.replace("alone", "'quoted'"), name="area/two/quoted.yaml")
    write_cases(tmp_path, FLOW, name="area/three/flow.yaml")
    return tmp_path


SERIES_IDS = ["grid-low", "grid-high-up"]


@pytest.mark.parametrize(
    ("only", "ids"),
    [
        (["one/grid-low"], SERIES_IDS),
        (["grid-high-up"], SERIES_IDS),
        (["alone"], ["alone"]),
        (["quoted"], ["quoted"]),
        (["flow"], ["flow"]),
        (["alone", "three/flow"], ["flow", "alone"]),
        (["two/*"], ["alone", "quoted"]),
        (["t*/*"], ["flow", "alone", "quoted"]),
        (["t*"], [*SERIES_IDS, "flow", "alone", "quoted"]),  # it may be two/… or an id
        (["[t/]*o/alone"], [*SERIES_IDS, "flow", "alone", "quoted"]),
        (["one/alone"], []),
        (["nothing"], []),
        ([], [*SERIES_IDS, "flow", "alone", "quoted"]),
    ],
)
def test_the_cases_of_the_files_that_are_read(cases: Path, only: list[str], ids: list[str]) -> None:
    corpus = load_corpus([cases / "area"], only)
    assert not corpus.problems
    order = {case.id: place for place, case in enumerate(load_corpus([cases / "area"]).cases)}
    assert [case.id for case in corpus.cases] == sorted(ids, key=order.__getitem__)


def test_an_invalid_file_of_another_chapter_is_not_read(cases: Path) -> None:
    (cases / "area" / "one" / "broken.yaml").write_text("cases: [")
    assert not load_corpus([cases / "area"], ["two/alone"]).problems
    assert load_corpus([cases / "area"], ["one/*"]).problems
    assert load_corpus([cases / "area"]).problems
