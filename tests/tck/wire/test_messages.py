"""Messages as JSON: what is written is read again, and the schemas allow what the reader allows."""

# ruff: noqa: E501 - a line of a table is a line

from typing import Any, Final

import pytest
from jsonschema_rs import Draft202012Validator

from tck.protocol import (
    Accepted,
    Bound,
    CloseProducer,
    ColumnInfo,
    Elapse,
    End,
    LateRow,
    Load,
    Now,
    Open,
    OpenProducer,
    Output,
    Refused,
    Rows,
    SqlWarning,
    State,
    Unsupported,
)
from tck.wire.faults import BackendFault
from tck.wire.messages import (
    ANSWERS,
    ANSWERS_TO,
    PROTOCOL,
    REQUESTS,
    Answer,
    Close,
    Done,
    Error,
    Explain,
    Object,
    Poll,
    Request,
    Start,
    Stop,
    Text,
    VersionedHello,
    answer_object,
    kind_of,
    line_of,
    object_of,
    protocol_schema,
    read_answer,
    read_request,
    request_object,
)

ROWS: Final = (("2015-02-15 10:00:00", 1, 0.5, True, None), ("naïve \x1b[31m", -1, 0.0, False, ""))
REFUSED: Final = Refused("NO_MONOTONIC_KEY", "why", (0, 6), True, "hint", "SELECT\n^^^^^^")
REQUEST_EXAMPLES: Final[tuple[Request, ...]] = (
    Start(PROTOCOL, 10, 1000),
    Open("CREATE TABLE t (a INTEGER)", "SELECT * FROM t", "sqlstream"),
    Open("", None),
    Load("T", ROWS),
    Rows("T", ROWS),
    Rows("T", ROWS, "p1"),
    Bound("T", "2015-02-15 10:00:00", True),
    Bound("T", "2015-02-15 10:00:00", False, "p1"),
    OpenProducer("T", "p1"),
    CloseProducer("T", "p1"),
    Now("2015-02-15 10:00:00"),
    Elapse("10 s"),
    End(),
    End("T"),
    Poll(),
    Explain(),
    Explain(3),
    Close(),
    Stop(),
)
ANSWER_EXAMPLES: Final[tuple[Answer, ...]] = (
    VersionedHello("toy", "1", "C", "exact", ("calcite",), {"hop": "none"}, protocol=PROTOCOL),
    VersionedHello(
        "toy", "1", "C", "exact", ("calcite",), properties={"quiet": "50 ms"}, protocol=PROTOCOL
    ),
    Accepted(True, (ColumnInfo("A", "INTEGER", False),), {"A": "CONSTANT"}, {"state": "none"}),
    REFUSED,
    Unsupported("no HOP"),
    Unsupported("no HOP", ("hop",)),
    Done(),
    Output(),
    Output(ROWS, "end", (LateRow("T", ROWS[0], 0, "LATE", "late"),), REFUSED, State(1, 2)),
    Output(warnings=(SqlWarning(3, "BOUND_BACKWARDS", "below its clock"),)),
    Output(pending=True),
    Text("Scan(T)\n"),
    Error("it broke", ("a.py:1 in f",), "breach"),
)
VALIDATOR: Final = Draft202012Validator(protocol_schema())
#: Values to put in the place of any other.
WRONG: Final[tuple[Any, ...]] = (None, True, 0, 1.5, "final", "", [], {}, [[1]], [{}], {"a": 1})


def asked(answer: Answer) -> str:
    """A request that has such an answer."""
    return next(k for k, kinds in ANSWERS_TO.items() if kind_of(answer) in (*kinds, "error"))


@pytest.mark.parametrize("request_", REQUEST_EXAMPLES, ids=kind_of)
def test_a_request_is_read_as_it_was_written(request_: Request) -> None:
    written = object_of(line_of(request_object(7, request_)))
    assert written["seq"] == 7
    assert read_request(written) == request_


@pytest.mark.parametrize("answer", ANSWER_EXAMPLES, ids=kind_of)
def test_an_answer_is_read_as_it_was_written(answer: Answer) -> None:
    written = object_of(line_of(answer_object(7, answer)))
    assert written["seq"] == 7
    assert read_answer(asked(answer), written) == answer


def test_what_was_added_to_a_message_is_left_out_where_nothing_is_said_by_it() -> None:
    """So that an engine that has never heard of it has the same conversation as before."""
    assert request_object(1, Rows("T", ())) == {
        "seq": 1,
        "request": "rows",
        "input": "T",
        "rows": (),
    }
    assert set(request_object(1, Bound("T", "end"))) == {"seq", "request", "input", "at", "strict"}
    hello = VersionedHello("toy", "1", "C", "exact", ("calcite",), protocol=PROTOCOL)
    assert "properties" not in answer_object(1, hello)
    assert not {"pending", "warnings"} & set(answer_object(1, Output()))
    assert "warnings" not in answer_object(1, Output())
    assert read_answer("poll", answer_object(1, Output())) == Output()


def test_every_kind_of_message_has_an_example() -> None:
    assert {kind_of(each) for each in REQUEST_EXAMPLES} == set(REQUESTS)
    assert {kind_of(each) for each in ANSWER_EXAMPLES} == set(ANSWERS)


@pytest.mark.parametrize("message", [*REQUEST_EXAMPLES, *ANSWER_EXAMPLES], ids=kind_of)
def test_the_schema_allows_what_the_reader_allows(message: Request | Answer) -> None:
    """Of a message, each field left out, replaced by each wrong value, or one too many."""
    if isinstance(message, tuple(REQUESTS.values())):
        right = object_of(line_of(request_object(1, message)))  # type: ignore[arg-type]  # a request

        def read(each: Object) -> object:
            return read_request(each)
    else:
        right = object_of(line_of(answer_object(1, message)))  # type: ignore[arg-type]  # an answer

        def read(each: Object) -> object:
            return read_answer(asked(message), each)  # type: ignore[arg-type]  # an answer

    compared = 0
    for changed in changes(right):
        if changed.get("answer") == "hello" and changed.get("protocol") != PROTOCOL:
            continue  # of another version the schema says nothing
        try:
            read(changed)
        except BackendFault:
            allowed = False
        else:
            allowed = True
        assert valid(changed) == allowed, changed
        compared += 1
    assert compared > 1


def valid(message: Object) -> bool:
    """Whether the schema allows a message."""
    return VALIDATOR.is_valid(message)


def changes(right: dict[str, Any]) -> list[dict[str, Any]]:
    """The message itself, and changed ones."""
    found = [right, {**right, "unknown": 1}]
    for key in set(right) - {"seq", "request", "answer"}:
        found.append({k: v for k, v in right.items() if k != key})
        found += [{**right, key: each} for each in WRONG]
        if isinstance(right[key], list) and right[key]:
            found += [{**right, key: [each, *right[key][1:]]} for each in WRONG]
    return found


@pytest.mark.parametrize(
    ("requested", "answer", "reason"),
    [
        ("poll", {"answer": "done"}, 'poll must be answered by output, gave "done"'),
        ("open", {"answer": "acepted"}, 'open must be answered by accepted or refused or unsupported, gave "acepted" (did you mean accepted?)'),
        ("poll", {}, "poll must be answered by output, gave null"),
        ("poll", {"answer": "output", "row": []}, 'poll\'s answer output has an unknown field "row" (did you mean rows?)'),
        ("poll", {"answer": "output", "rows": {}}, "poll's answer output.rows must be an array, gave {}"),
        ("poll", {"answer": "output", "rows": [[1], [[2]]]}, "poll's answer output.rows[1][0] must be text, a number, true, false or null, gave [2]"),
        ("poll", {"answer": "output", "rows": [["\ud800"]]}, "poll's answer output.rows[0][0] is not a text: half of a surrogate pair in '\\ud800'"),
        ("poll", {"answer": "output", "error": {"code": "X"}}, "poll's answer output.error has no field message"),
        *(
            ("start", {"answer": "hello", "protocol": version}, f"the backend speaks version {name} of the protocol, the kit 1 to 3")
            for version, name in ((0, "0"), ("2", '"2"'), (None, "null"), ([2], "[2]"))
        ),
        *(
            ("start", {**answer_object(1, ANSWER_EXAMPLES[0]), "protocol": version}, f"start's answer hello.protocol must be an integer, gave {name}")
            for version, name in ((2.0, "2.0"), (True, "true"))
        ),
        ("start", {"answer": "hello", "protocol": 99}, "the backend speaks version 99 of the protocol, the kit 1 to 3"),
        (
            "start",
            {**answer_object(1, ANSWER_EXAMPLES[0]), "tier": "fianl"},
            'start\'s answer hello.tier must be final, bounded or exact, gave "fianl" (did you mean final?)',
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_the_words_of_the_protocol(
    requested: str, answer: Object, reason: str
) -> None:
    with pytest.raises(BackendFault) as caught:
        read_answer(requested, answer)
    assert caught.value.reason == reason
    assert caught.value.code == "breach"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"", "a line is not JSON"),
        (b"hello\x1b[31m", "a line is not JSON"),
        (b"[1]", "a line must be a JSON object, gave [1]"),
        (b'{"a": NaN}', "JSON has no NaN"),
        (b'{"a": "\xff"}', "a line is not UTF-8"),
        (b"[" * 100_000, "a line is not JSON"),
        (b"1" * 10_000, "a line is not JSON"),
    ],
)
def test_a_line_that_holds_no_object_is_named(line: bytes, reason: str) -> None:
    with pytest.raises(BackendFault, match=r"^a line") as caught:
        object_of(line)
    assert reason in caught.value.reason
    assert "\x1b" not in caught.value.reason
    assert len(caught.value.reason) < 300
