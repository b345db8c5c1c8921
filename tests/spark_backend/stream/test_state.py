"""The state of a pipeline as a checkpoint has it: its keys are for ever."""

import json
from pathlib import Path

import pytest

from spark_backend.stream.codec import decoded, encoded
from spark_backend.stream.state import EngineState, PipelineState

#: The words of a checkpoint of format 4, as they were first written; those of 5 have more engines.
WRITTEN = Path(__file__).parent / "pipeline" / "state-of-format-4.json"


def test_a_state_is_written_as_it_was_before() -> None:
    """A pipeline of four statements, three fed streams, and a source that has dropped rows."""
    words = json.loads(WRITTEN.read_text())["words"]
    state = decoded(PipelineState, words)
    assert json.dumps(encoded(state)) == json.dumps(words)
    assert [each.engine.batch for each in state.dataflow.statements] == [1, 1, 1, 1]
    assert state.sources[0].dropped[0] == 2


def test_an_engine_is_written_as_it_was_before() -> None:
    """Horizons are "cuts", and the bound up to which it has emitted is what was "given"."""
    state = EngineState(7, None, True, (None, 5), ("end", None, 3, ("0.50", True)))
    words = {
        "batch": 7,
        "given": None,
        "ended": True,
        "cuts": [None, 5],
        "reached": ["end", None, 3, ["0.50", True]],
    }
    assert encoded(state) == words
    assert decoded(EngineState, words) == state


@pytest.mark.parametrize(
    "wrong",
    [
        {"batch": 7, "given": None, "ended": True, "cuts": []},
        {"batch": "7", "given": None, "ended": True, "cuts": [], "reached": []},
        {"batch": 7, "given": None, "ended": True, "cuts": None, "reached": []},
        {"batch": 7, "given": None, "ended": True, "cuts": [], "reached": ["start"]},
        {"batch": 7, "given": None, "ended": True, "cuts": [], "reached": [[5, "yes"]]},
    ],
)
def test_what_is_no_state_is_refused(wrong: object) -> None:
    """A member that lacks, and values of other types."""
    with pytest.raises(ValueError, match=" no"):
        decoded(EngineState, wrong)
