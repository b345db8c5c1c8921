"""JUnit XML lists each case once, and is well-formed and honest at any time of a run."""

import io
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tck.report.junit import JUnitFile, junit
from tck.report.tally import Report
from tests.tck.report.runs import NASTY_SHOWN, small_report


@pytest.fixture
def report(tmp_path: Path) -> Report:
    return small_report(tmp_path / "cases")


def test_it_counts_what_it_lists(report: Report) -> None:
    root = ElementTree.fromstring(junit(report, 1))
    assert root.tag == "testsuites"
    (suite,) = root.findall("testsuite")
    listed = suite.findall("testcase")
    counted = {
        "tests": len(listed),
        "failures": len(suite.findall("testcase/failure")),
        "errors": len(suite.findall("testcase/error")),
        "skipped": len(suite.findall("testcase/skipped")),
    }
    assert counted == {"tests": 6, "failures": 2, "errors": 1, "skipped": 2}
    for element in (root, suite):
        assert {key: int(element.attrib[key]) for key in counted} == counted
    assert [case.attrib["name"] for case in listed] == ["a", "b", "c", "d", "e", "f"]
    assert all({"classname", "time", "file", "line"} <= case.attrib.keys() for case in listed)


def test_it_says_how_a_case_failed_whatever_the_backend_said(report: Report) -> None:
    failure = ElementTree.fromstring(junit(report, 1)).find(".//testcase[@name='b']/failure")
    assert failure is not None
    assert failure.attrib == {"type": "WRONG_ROWS", "message": f"1 row {NASTY_SHOWN}"}
    assert failure.text == f"- {NASTY_SHOWN}\nwhy"


def test_at_any_time_it_is_well_formed_and_has_the_cases_so_far(
    report: Report, tmp_path: Path
) -> None:
    path = tmp_path / "r.xml"
    with closing(JUnitFile(path)) as file:
        for count, result in enumerate(report.results, 1):
            chapter = "one" if count < 3 else "two"
            file.finished(replace(result, case=replace(result.case, chapter=chapter)))
            root = ElementTree.parse(path).getroot()
            cases = [each.attrib["name"] for each in root.iter("testcase")]
            assert cases == [*"abcdef"[:count], "run"]
            suites = ["toy.one", "toy.two"][: 1 if count < 3 else 2]
            assert [each.attrib["name"] for each in root] == [*suites, "tck"]


def test_until_the_end_the_run_itself_is_an_error(report: Report, tmp_path: Path) -> None:
    path = tmp_path / "r.xml"
    report.results = report.results[:1]
    file = JUnitFile(path)
    for _ in range(2):
        error = ElementTree.parse(path).find(".//testcase[@name='run']/error")
        assert error is not None
        assert error.attrib["message"] == "the run has not reached its end"
        file.finished(report.results[0])
    file.ended(report, 0)
    root = ElementTree.parse(path).getroot()
    assert [each.attrib["name"] for each in root.iter("testcase")] == ["a"]
    assert (root.attrib["tests"], root.attrib["errors"]) == ("1", "0")


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (1, "a case known to fail does not exist"),
        (3, "a backend could not be started"),
        (5, "no case was judged on a backend"),
    ],
)
def test_a_run_without_a_bad_case_that_is_not_right_has_an_error(
    status: int, message: str, report: Report
) -> None:
    report.results = []
    root = ElementTree.fromstring(junit(report, status))
    assert root.attrib["errors"] == root.attrib["tests"] == "1"
    error = root.find(".//error")
    assert error is not None
    assert error.attrib["message"] == message


class _NearlyFull(io.FileIO):
    """A file of which each write takes ten bytes, as the last write on a disk takes a part."""

    def write(self, data: memoryview, /) -> int:  # type: ignore[override]  # as JUnitFile writes
        return super().write(data[:10])


def _open_nearly_full(path: Path, *_: object, **__: object) -> _NearlyFull:
    return _NearlyFull(path, "w")


def test_a_write_that_takes_a_part_is_continued(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "r.xml"
    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", _open_nearly_full)
        file = JUnitFile(path)
    with closing(file):
        for count, each in enumerate(report.results, 1):
            file.finished(each)
            listed = list(ElementTree.parse(path).iter("testcase"))
            assert len(listed) == count + 1  # the last one has the error of a run that died
