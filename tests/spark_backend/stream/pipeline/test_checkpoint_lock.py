"""The lock of a checkpoint, without a Spark session: a second run is refused before it reads."""

from pathlib import Path
from typing import Any

import pytest

from spark_backend.stream.pipeline.checkpoint import Checkpoint, CheckpointError


def test_a_locked_checkpoint_is_refused_until_its_run_has_ended(tmp_path: Path) -> None:
    session: Any = None
    first = Checkpoint(session, f"file:{tmp_path}/checkpoint")
    second = Checkpoint(session, f"{tmp_path}/checkpoint")
    refused = pytest.raises(CheckpointError, match="another run uses")
    with first.locked(), refused as error, second.locked():
        pass
    assert "hint: end that run" in str(error.value)
    with second.locked():
        second.claim({"script": "INSERT"})  # the lock leaves no file in a new checkpoint
    with first.locked():
        first.claim({"script": "INSERT"})
