"""A list about the cases that is not as it must be is a problem with a line, for each reader."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import pytest
from typer.testing import CliRunner

from docs.docket.points import read_docket
from engines.harness.spellings import read_spellings
from rowtime.score.killers import known_killers
from rowtime.score.mistake import by_hand
from rowtime.score.survivors import known_survivors
from tck.cli import app
from tck.corpus.document import InvalidFilesError
from tck.corpus.selected.core import core_ids
from tck.corpus.selected.requirements import required_ids
from tck.corpus.types_file import read_types

Reader = Callable[[Path], object]

#: The name of each file with a list, and its reader.
READERS: Final[Mapping[str, Reader]] = {
    "1.0.yaml": lambda file: required_ids(file.parent, "1.0"),
    "core.yaml": core_ids,
    "survivors.yaml": known_survivors,
    "mistakes.yaml": lambda file: by_hand(file.parent),
    "spellings.yaml": read_spellings,
    "points.yaml": read_docket,
    "result-types.json": lambda file: read_types(file.parent),
    "killers.json": known_killers,
}
YAML: Final = [name for name in READERS if name.endswith(".yaml")]
JSON: Final = [name for name in READERS if name.endswith(".json")]


def problems(name: str, text: bytes, folder: Path) -> list[str]:
    """The problems of a file, without its folder."""
    (folder / name).write_bytes(text)
    with pytest.raises(InvalidFilesError) as caught:
        READERS[name](folder / name)
    return [str(each).removeprefix(f"{folder}/") for each in caught.value.problems]


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize(
    "text",
    [
        *(b"", b"[]", b"7", b"9" * 5_000, b"[" * 100_000),
        *(b'{"a": 1}', b'{"a": [["b"]]}', b'{"a": ["b', b'{"a": ["\\ud800"]}', b'{"\\ud800": []}'),
    ],
)
def test_a_file_that_is_no_list(name: str, text: bytes, tmp_path: Path) -> None:
    assert all(each.startswith(f"{name}:1: ") for each in problems(name, text, tmp_path))


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"a":\n"\xe4"}', "the file is not UTF-8"),
        (b'{"a": [],\n"a": []}', "stands twice"),
    ],
)
def test_the_line_of_a_fault(name: str, text: bytes, message: str, tmp_path: Path) -> None:
    (problem,) = problems(name, text, tmp_path)
    assert problem.startswith(f"{name}:2: ")
    assert message in problem


@pytest.mark.parametrize("name", YAML)
def test_no_list_calls_a_function_of_python(name: str, tmp_path: Path) -> None:
    (problem,) = problems(name, b"!!python/object/apply:os.getcwd []", tmp_path)
    assert "tags are not used here" in problem


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("1.0.yaml", "release: 1.0\nrequired: []", "1.0.yaml:1: release: "),
        ("1.0.yaml", "release: '1.0'\nrequired:\n- a\n- 1", "1.0.yaml:4: required.1: "),
        ("1.0.yaml", "release: '1.0'\nrequired: []\nwanted: []", "1.0.yaml:1: "),
        ("core.yaml", "core:\n  a: b", "core.yaml:2: core.a: "),
        ("survivors.yaml", "equivalent:\nmissed:\n- mistake: m", "survivors.yaml:3: missed.0: "),
        (
            "survivors.yaml",
            "equivalent:\n- {mistake: m, why: a}\nmissed:\n- {mistake: m, why: b}",
            "survivors.yaml:4: m is listed twice",
        ),
        (
            "mistakes.yaml",
            "subject: s\nmistakes:\n- {id: a, says: b, in: 'c d', now: e}",
            "mistakes.yaml:3: mistakes.0.in: ",
        ),
        (
            "mistakes.yaml",
            "subject: s\nmistakes:\n- &m {id: a, says: b, in: c, now: d}\n- *m",
            "mistakes.yaml:3: the name a is taken",
        ),
        ("spellings.yaml", "no-such-case: SELECT 1", "spellings.yaml:1: the kit has no case"),
        (
            "points.yaml",
            "points:\n- {id: A, question: b, clauses: [], cases: [], reason: c}",
            "points.yaml:2: points.0.id: ",
        ),
        ("result-types.json", '{\n"a": ["X INTEGER", "Y"]\n}', "result-types.json:2: a: "),
        ("killers.json", '{\n"a": [],\n"b": "c"\n}', "killers.json:3: b: "),
    ],
)
def test_a_value_that_is_wrong(name: str, text: str, expected: str, tmp_path: Path) -> None:
    (problem,) = problems(name, text.encode(), tmp_path)
    assert problem.startswith(expected)


@pytest.mark.parametrize("name", JSON)
def test_a_list_of_json_names_the_command_that_writes_it(name: str, tmp_path: Path) -> None:
    (problem,) = problems(name, b"{", tmp_path)
    assert problem.endswith("writes the file)")


def test_each_command_ends_with_the_problem_of_a_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    core = tmp_path / "core.yaml"
    core.write_text("core: [\x1b")
    monkeypatch.setattr("tck.commands.options.kit_core", lambda: core)
    listed = CliRunner().invoke(app, ["list", "--core"])
    assert (listed.exit_code, listed.stdout) == (2, "")
    assert listed.stderr.startswith(f"{core}:1: ")
