"""Known failures are a file that the kit reads and writes."""

from pathlib import Path

import pytest

from tck.corpus.document import InvalidFilesError
from tck.judging.known_failures import known_text, read_known
from tck.judging.verdict import PASSED, Kind, Outcome, Result, Verdict, failed, skipped
from tests.tck.corpora import load_cases


def read(folder: Path, text: str) -> dict[str, dict[str, str]]:
    (folder / "known.yaml").write_text(text)
    return {name: dict(reasons) for name, reasons in read_known(folder / "known.yaml").items()}


def test_what_is_written_is_what_went_wrong_and_can_be_read(tmp_path: Path) -> None:
    names = ("a", "b", "c", "d", "e")
    a, b, c, d, e = load_cases(
        tmp_path, *(f"id: {n}\ncites: [S-1]\nsql: S\nrows: []" for n in names)
    )
    wrong = failed(Kind.ORDER, "row 2: 'is' #another")
    results = [
        Result("spark", a, PASSED),
        Result("spark", b, wrong),
        Result("spark", c, wrong),
        Result("spark", d, Verdict(Outcome.ERROR, None, "boom")),
        Result("spark", e, skipped("no")),
    ]
    before = {"spark": {"a": "old", "c": "ours", "e": "stays", "z": "not run"}, "toy": {"a": "x"}}
    assert read(tmp_path, known_text(results, before)) == {
        "spark": {
            "b": "ORDER: row 2: 'is' #another",
            "c": "ours",
            "d": "ERROR: boom",
            "e": "stays",
            "z": "not run",
        },
        "toy": {"a": "x"},
    }


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("- a\n", "1: known failures are written"),
        ("spark: a\n", "1: known failures are written"),
        ("spark:\n  a: why\n  b:\n", "3: b is known to fail, but not why"),
        ("spark: {a: 1, a: 2}\n", "1: the key a stands twice"),
    ],
)
def test_a_file_of_another_form_is_refused(text: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidFilesError) as caught:
        read(tmp_path, text)
    assert str(caught.value).startswith(f"{tmp_path}/known.yaml:{problem}")
