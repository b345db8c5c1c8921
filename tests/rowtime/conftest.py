"""The folder that tests of pipelines run in."""

from pathlib import Path

import pytest

from tests.rowtime.pipelines import ORDERS


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a file of orders."""
    (tmp_path / "orders.csv").write_text(ORDERS)
    monkeypatch.chdir(tmp_path)
    return tmp_path
