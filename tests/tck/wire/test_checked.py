"""What a backend may answer, and how what it may not is said."""

# ruff: noqa: E501 - a line of a table is a line

from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tck.backends import RunningBackend, Wiring, start, unknown_word
from tck.protocol import (
    Accepted,
    Bound,
    ColumnInfo,
    Event,
    Hello,
    LateRow,
    Open,
    Output,
    Refused,
    Rows,
    SqlWarning,
    State,
    Unsupported,
)
from tck.wire.channel import LocalChannel
from tck.wire.checked import CheckedBackend
from tck.wire.faults import BackendFault, BackendStartError, innermost_frames
from tck.wire.messages import Object, Poll, Request
from tests.tck import toy

QUERY = Open("CREATE STREAM Orders", "SELECT STREAM * FROM Orders")
HELLO: Any = toy.Faithful().start()  # of which wrong ones are made
COLUMNS = toy.COLUMNS
ROW = ("2015-02-15 10:00:00", 10, 4)


def answering(method: str, answer: object) -> CheckedBackend:
    """The right toy, but for one method, which gives this answer."""

    class Wrong(toy.Faithful):
        """Wrong."""

    def give(*_: object) -> object:
        return answer

    setattr(Wrong, method, give)
    return CheckedBackend(LocalChannel(Wrong), most_rows=3)


def conversation(backend: CheckedBackend) -> None:
    """Every method once, in their order."""
    backend.start()
    backend.open(QUERY)
    backend.feed(Rows("ORDERS", (ROW,)))
    backend.poll()
    backend.explain()
    backend.close()


def test_a_right_backend_is_let_through() -> None:
    conversation(CheckedBackend(LocalChannel(toy.Faithful)))


@pytest.mark.parametrize(
    ("method", "answer", "reason"),
    [
        ("start", None, "start must give Hello, gave None"),
        ("start", {"name": "toy"}, 'start must give Hello, gave dict {"name": "toy"}'),
        ("start", replace(HELLO, name=""), "hello.name is empty"),
        ("start", replace(HELLO, tier="fast"), 'start\'s answer hello.tier must be final, bounded or exact, gave "fast"'),
        ("start", replace(HELLO, profiles=("calcit",)), 'hello.profiles has "calcit" (did you mean calcite?)'),
        ("start", replace(HELLO, profiles="calcite"), 'start\'s answer hello.profiles must be an array, gave "calcite"'),
        ("start", replace(HELLO, gaps=["hop"]), 'start\'s answer hello.gaps must be an object, gave ["hop"]'),
        ("start", replace(HELLO, gaps={"hop": " "}), "hello.gaps gives no reason for hop"),
        ("start", replace(HELLO, gaps={"hop": 1}), "start's answer hello.gaps.hop must be text, gave 1"),
        ("start", replace(HELLO, properties={"quit": "5 ms"}), 'hello.properties has "quit" (did you mean quiet?)'),
        ("start", replace(HELLO, properties={"quiet": "5"}), "hello.properties.quiet must be a number and ms, s or min, such as '50 ms', gave \"5\""),
        ("open", None, "open must give Accepted or Refused or Unsupported, gave None"),
        ("open", Accepted("yes", COLUMNS), 'open\'s answer accepted.streaming must be true or false, gave "yes"'),  # type: ignore[arg-type]  # wrong
        ("open", Accepted(True, (ColumnInfo("A", "", True),)), "accepted.columns[0].type is empty"),
        ("open", Accepted(True, COLUMNS, {"ROWTIM": "INCREASING"}), 'accepted.monotonicity has "ROWTIM" (did you mean ROWTIME?), which is not a column'),
        ("open", Accepted(True, COLUMNS, {"ROWTIME": "RISING"}), 'accepted.monotonicity.ROWTIME has "RISING"'),
        ("open", Accepted(True, COLUMNS, {}, {"colation": "A"}), 'accepted.metadata has "colation" (did you mean collation?)'),
        ("open", Refused("", "why"), "refused.code is empty"),
        ("open", Refused("X", "why", (0, 99)), "refused.at is 0 to 99: the query has 27 code points"),
        ("open", Refused("X", "why", (5, 3), in_ddl=True), "refused.at is 5 to 3: the DDL has 20 code points"),
        ("open", Unsupported(" "), "unsupported.reason is empty"),
        ("feed", ROW, "feed must give Unsupported or None, gave tuple"),
        ("feed", Unsupported(" "), "unsupported.reason is empty"),
        ("poll", None, "poll must give Output, gave None"),
        ("poll", [ROW], "poll must give Output, gave list"),
        ("poll", Output(rows=None), "poll's answer output.rows must be an array, gave null"),  # type: ignore[arg-type]  # wrong
        ("poll", Output((ROW[:2],)), "output.rows[0] has 2 values, the result 3 columns"),
        ("poll", Output(((ROW[0], 10, [4]),)), "poll's answer output.rows[0][2] must be text, a number, true, false or null, gave [4]"),  # type: ignore[arg-type]  # wrong
        ("poll", Output(((ROW[0], 10, Decimal("0.25")),)), "poll's answer output.rows[0][2] must be text, a number, true, false or null, gave Decimal"),  # type: ignore[arg-type]  # wrong
        ("poll", Output(((ROW[0], 10, float("nan")),)), "poll's answer output.rows[0][2] must be a finite number, or the text NaN"),
        ("poll", Output(((ROW[0], 10, "\ud800"),)), "poll's answer output.rows[0][2] is not a text"),
        ("poll", Output((ROW,) * 4), "poll gave 4 rows, at most 3 are allowed"),
        ("poll", Output((ROW,), weights=(-1,)), "output.weights[0] is -1, a delete, but the query has no EMIT CHANGES"),
        ("poll", Output(bound="noon"), "output.bound must be a timestamp, as '2015-02-15 10:17:00' is, or 'end', gave \"noon\""),
        ("poll", Output(bound="10:00:00"), "output.bound must be a timestamp"),
        ("poll", Output(bound=7), "poll's answer output.bound must be text, gave 7"),  # type: ignore[arg-type]  # wrong
        ("poll", Output(late=(LateRow("ORDER", ROW, 0, "LATE", ""),)), 'output.late[0].input is "ORDER" (did you mean ORDERS?), which was not fed'),
        ("poll", Output(late=(LateRow("ORDERS", ROW, 1, "LATE", ""),)), "output.late[0].place is 1: ORDERS was fed 1 rows"),
        ("poll", Output(late=(LateRow("ORDERS", ROW, None, "LATE", ""),)), 'output.late[0].place is missing: no statement of the script, and no producer, writes into "ORDERS"'),
        ("poll", Output(warnings=(SqlWarning(2, "BOUND_BACKWARDS"),)), "output.warnings[0].event is 2: 1 events were fed"),
        ("poll", Output(warnings=(SqlWarning(0, "LATE"),)), 'output.warnings[0].code has "LATE"'),
        ("poll", Output(late=(LateRow("ORDERS", ROW, 0, "late", ""),)), 'output.late[0].code has "late"'),
        ("poll", Output(error=Refused("X", "why", (-1, 2))), "output.error.at is -1 to 2: the query has 27 code points"),
        ("poll", Output(state=State(-1, 0)), "output.state is -1 rows and 0 groups"),
        ("explain", None, "explain must give str, gave None"),
        ("explain", b"plan", "explain must give str, gave bytes"),
    ],
)  # fmt: skip
def test_a_wrong_answer_is_the_fault_of_the_backend(
    method: str, answer: object, reason: str
) -> None:
    with pytest.raises(BackendFault) as caught:
        conversation(answering(method, answer))
    assert caught.value.reason.startswith(reason)
    assert caught.value.code == "breach"
    assert not caught.value.over


@pytest.mark.parametrize("thrown", [RuntimeError("broken"), SystemExit(3), GeneratorExit("gone")])
def test_what_a_backend_throws_is_its_fault_with_its_place(thrown: BaseException) -> None:
    class Throws(toy.Faithful):
        """Throws."""

        def poll(self) -> Output:
            raise thrown

    with pytest.raises(BackendFault) as caught:
        conversation(CheckedBackend(LocalChannel(Throws)))
    assert caught.value.reason == f"{type(thrown).__name__}: {thrown}"
    assert "test_checked.py" in caught.value.detail[-1]
    assert caught.value.code == "failed"


def test_a_value_whose_repr_fails_is_no_fault_of_the_kit() -> None:
    class Nasty:
        """Breaks whoever shows or hashes it."""

        __hash__ = None  # type: ignore[assignment]  # that is the point

        def __repr__(self) -> str:
            raise RuntimeError("not even this")

    rows: Any = ((ROW[0], 10, Nasty()),)
    with pytest.raises(BackendFault, match=r"rows\[0\]\[2\] must be text.* gave Nasty"):
        conversation(answering("poll", Output(rows)))


def test_answers_do_not_depend_on_how_often_they_are_read() -> None:
    """Texts that a backend computes when they are read are checked then."""
    backend = answering("open", Accepted(True, COLUMNS, {}, {"state": "none"}))
    backend.start()
    answer = backend.open(QUERY)
    assert isinstance(answer, Accepted)
    assert answer.metadata["state"] == "none"
    assert dict(answer.metadata) == {"state": "none"}


def started(gaps: dict[str, str]) -> RunningBackend:
    """The toy with these gaps."""

    class Lacking(toy.Faithful):
        """Lacks."""

        def start(self) -> Hello:
            return replace(toy.Faithful().start(), gaps=gaps)

    unknown = partial(unknown_word, Wiring().words)
    return start("toy", lambda: CheckedBackend(LocalChannel(Lacking), unknown))


def test_a_gap_of_an_unknown_name_is_refused_with_the_nearest_that_is_known() -> None:
    with pytest.raises(BackendStartError) as caught:
        started({"hop": "none", "tumbel": "none"})
    assert str(caught.value).endswith(
        'hello.gaps has "tumbel" (did you mean tumble?), no capability'
    )
    assert started({"changing-tables": "only in a case's own list"}).hello.name == "toy"


def test_a_gap_of_an_unsupported_query_is_a_capability() -> None:
    answers = [Unsupported("no HOP", ("hop",)), Unsupported("no HOP", ("hopp",))]

    class Lacks(toy.Faithful):
        """Gives one answer after the other."""

        def open(self, request: Open) -> Unsupported:  # type: ignore[override]  # noqa: ARG002
            return answers.pop(0)

    backend = CheckedBackend(LocalChannel(Lacks), partial(unknown_word, frozenset({"hop"})))
    backend.start()
    assert backend.open(QUERY) == Unsupported("no HOP", ("hop",))
    with pytest.raises(BackendFault, match=r'unsupported.gaps has "hopp" \(did you mean hop\?\)'):
        backend.open(QUERY)


def test_a_gap_of_an_unsupported_event_is_a_capability() -> None:
    answers = [Unsupported("no bounds", ("bounds",)), Unsupported("no bounds", ("bound",)), None]

    class Lacks(toy.Faithful):
        """Gives one answer after the other."""

        def feed(self, event: Event) -> Unsupported | None:  # type: ignore[override]  # noqa: ARG002
            return answers.pop(0)

    backend = CheckedBackend(LocalChannel(Lacks), partial(unknown_word, frozenset({"bounds"})))
    backend.start()
    backend.open(QUERY)
    bound = Bound("ORDERS", "2015-02-15 10:00:00")
    assert backend.feed(bound) == Unsupported("no bounds", ("bounds",))
    with pytest.raises(BackendFault, match=r'gaps has "bound" \(did you mean bounds\?\)'):
        backend.feed(bound)
    assert backend.feed(bound) is None


def polled(*outputs: Output, seconds: float = 5.0, quiet: str = "") -> tuple[Output, int]:
    """The joined output of a backend that gives these outputs, then empty ones; how many it gave."""
    left, given = list(outputs), list[Output]()

    class Slow(toy.Faithful):
        """Is not done at once."""

        def start(self) -> Hello:
            return replace(super().start(), properties={"quiet": quiet} if quiet else {})

        def poll(self) -> Output:
            given.append(left.pop(0) if left else Output())
            return given[-1]

    backend = CheckedBackend(LocalChannel(Slow), most_rows=3, seconds=seconds)
    backend.start()
    backend.open(QUERY)
    backend.feed(Rows("ORDERS", (ROW,)))
    return backend.poll(), len(given)


def test_a_pending_poll_is_repeated_and_its_outputs_are_one() -> None:
    joined, count = polled(
        Output((ROW,), "2015-02-15 10:00:00", pending=True),
        Output((ROW,), state=State(1, 2), pending=True),
        Output((ROW,), "end"),
    )
    assert (joined, count) == (Output((ROW,) * 3, "end", state=State(1, 2)), 3)


def test_a_poll_that_is_not_pending_is_not_repeated() -> None:
    assert polled(Output((ROW,)), Output((ROW,))) == (Output((ROW,)), 1)


def test_a_poll_that_stays_pending_is_a_fault() -> None:
    with pytest.raises(BackendFault, match=r"poll was pending for 0.05 s"):
        polled(*[Output(pending=True)] * 1000, seconds=0.05)


def test_the_rows_of_a_pending_poll_are_counted_together() -> None:
    with pytest.raises(BackendFault, match="poll gave 4 rows while it was pending, at most 3"):
        polled(Output((ROW,) * 2, pending=True), Output((ROW,) * 2))


@pytest.mark.parametrize(
    ("output", "what"),
    [
        (Output(warnings=(SqlWarning(0, "BOUND_BACKWARDS"),) * 2, pending=True), "warnings"),
        (Output(late=(LateRow("ORDERS", ROW, 0, "LATE", ""),) * 2, pending=True), "late rows"),
    ],
)
def test_all_lists_of_a_pending_poll_are_counted(output: Output, what: str) -> None:
    with pytest.raises(BackendFault, match=f"poll gave 4 {what} while it was pending, at most 3"):
        polled(output, output)


def test_an_error_ends_a_pending_poll() -> None:
    failed = Output((ROW,), error=Refused("OVERFLOW", "too large"), pending=True)
    assert polled(failed, Output((ROW,))) == (failed, 1)


def test_a_poll_is_complete_after_the_declared_time_of_quiet() -> None:
    later = [Output(), Output((ROW,)), Output(), Output(bound="end")]
    joined, count = polled(Output((ROW,)), *later, quiet="200 ms")
    assert joined == Output((ROW,) * 2, "end")
    assert count > len(later) + 1


def test_without_a_time_of_quiet_the_first_output_is_the_whole() -> None:
    assert polled(Output((ROW,)), Output((ROW,)), quiet="0 ms") == (Output((ROW,)), 1)


def test_a_frame_below_the_working_folder_is_named_from_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Reports are published: a path would name the machine of the one who ran the kit."""
    error = ValueError()
    try:
        raise error
    except ValueError:
        monkeypatch.chdir(Path(__file__).parent)
        assert innermost_frames(error)[-1].startswith("test_checked.py:")
        monkeypatch.chdir("/")
        assert innermost_frames(error)[-1].startswith(__file__.lstrip("/"))


def test_an_error_of_a_wrong_shape_still_says_what_the_engine_said() -> None:
    """Its texts are the lines of the fault: a trace may be one text in place of an array."""

    class Malformed(LocalChannel):
        """Answers each poll by an error whose trace is a text."""

        def ask(self, request: Request) -> Object:
            if isinstance(request, Poll):
                return {
                    "seq": 0, "answer": "error", "message": "no memory", "trace": "at A\n\x1b[2Jat B",
                }  # fmt: skip
            return super().ask(request)

    backend = CheckedBackend(Malformed(toy.Faithful))
    backend.start()
    backend.open(QUERY)
    with pytest.raises(BackendFault, match=r"error\.trace must be an array") as caught:
        backend.poll()
    assert caught.value.detail == ("no memory", "at A", "\\x1b[2Jat B")
