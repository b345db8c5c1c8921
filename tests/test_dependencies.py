"""The versions that are declared, pinned and tested agree."""

import tomllib
from hashlib import sha256
from pathlib import Path
from typing import Final

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.dependencies_page import LOCK, PAGE, PINS, hashed, npm_packages, page, reason_it_fits
from tests.dependencies_page import pins as locked

ROOT: Final = Path(__file__).parents[1]
PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
KIT: Final = [Requirement(each) for each in PROJECT["dependencies"]]
EXTRAS: Final = [
    Requirement(each) for listed in PROJECT["optional-dependencies"].values() for each in listed
]


def pins(file: str) -> dict[str, Version]:
    """The versions that a file of ``name==version`` lines pins, by canonical name."""
    lines = (ROOT / ".ci" / file).read_text("utf-8").split()
    pairs = [line.split("==") for line in lines]
    return {canonicalize_name(name): Version(version) for name, version in pairs}


@pytest.mark.parametrize("required", [*KIT, *EXTRAS], ids=lambda each: each.name)
def test_the_pinned_version_is_in_the_declared_range(required: Requirement) -> None:
    pinned = pins("constraints.txt")[canonicalize_name(required.name)]
    assert required.specifier.contains(pinned)


@pytest.mark.parametrize("required", KIT, ids=lambda each: each.name)
def test_the_kit_lives_with_a_range_of_versions(required: Requirement) -> None:
    """Its lower bound is the version that `make lowest` installs."""
    lower = [Version(each.version) for each in required.specifier if each.operator == ">="]
    tested = pins("lowest.txt")[canonicalize_name(required.name)]
    assert not [each for each in required.specifier if each.operator in ("==", "~=")]
    assert [(each.major, each.minor) for each in lower] == [(tested.major, tested.minor)]
    assert lower[0] <= tested


def test_the_parser_runtime_has_the_minor_version_of_the_generator() -> None:
    """The runtime compares major and minor, and prints a warning for each parser otherwise."""
    generated = (ROOT / "grammar" / "generated" / "StreamingSqlParser.py").read_text("utf-8")
    (runtime,) = [each for each in KIT if each.name == "antlr4-python3-runtime"]
    written = [line for line in generated.splitlines() if "checkVersion(" in line]
    (version,) = {line.split('"')[1] for line in written}
    assert runtime.specifier.contains(version)
    assert not runtime.specifier.contains("4.14.0")


def test_the_lock_has_a_hash_of_each_pinned_package() -> None:
    """`make pins` writes the lock again."""
    assert locked(LOCK) == locked(PINS)
    assert hashed() == set(locked(PINS))


def test_the_page_of_licences_is_current() -> None:
    """`make pins` writes it again."""
    assert PAGE.read_text("utf-8") == page()


def test_each_package_states_a_licence_that_fits_ours() -> None:
    lines = PAGE.read_text("utf-8").splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")][1:]
    assert len(rows) == len(locked(PINS)) + len(npm_packages())
    assert [row[0] for row in rows if len(row) != 5 or not all(row)] == []


@pytest.mark.parametrize(
    ("stated", "use", "reason"),
    [
        ("MIT", "rowtime", "permissive"),
        ("Apache-2.0 OR BSD-2-Clause", "spark", "permissive"),
        ("MPL-2.0", "development", "not distributed"),
        ("MPL-2.0", "rowtime", ""),
        ("MIT AND GPL-2.0", "spark", ""),
        ("", "rowtime", ""),
    ],
)
def test_copyleft_fits_only_where_users_do_not_get_it(stated: str, use: str, reason: str) -> None:
    assert reason_it_fits("some-package", stated, use) == reason


def test_the_package_has_the_licence_of_the_file() -> None:
    """The text is the one that the Apache Software Foundation publishes, unchanged."""
    text = (ROOT / "LICENSE").read_bytes()
    published = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"
    assert sha256(text).hexdigest() == published
    assert PROJECT["license"] == "Apache-2.0"
    assert [each for each in PROJECT["license-files"] if not (ROOT / each).exists()] == []
