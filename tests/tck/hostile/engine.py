"""An engine that speaks the protocol by hand, and breaks it in one way: ``engine.py FAULT``.

It needs nothing but the standard library, so that it starts quickly.  Without its fault it is right
about the two cases of `test_hostile`: a stream's rows arrive as they are, a GROUP BY is refused.
"""

import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from typing import Any, Final

#: Markup, and what colours a terminal, reverses a line and ends a text in C.
NASTY: Final = "<script>alert(1)</script>\x1b[31m\u202e\x00"

#: Seconds that nobody waits for.
LONG: Final = 1000.0

COLUMNS: Final = [
    {"name": "ROWTIME", "type": "TIMESTAMP(3)", "nullable": False},
    {"name": "PRODUCTID", "type": "INTEGER", "nullable": False},
    {"name": "UNITS", "type": "INTEGER", "nullable": True},
]


class Engine:
    """The right answers."""

    def __init__(self) -> None:
        self.rows: list[Any] = []
        self.ended = False

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request, with its sequence number."""
        return {"seq": request["seq"], **self._fields(request)}

    def _fields(self, request: dict[str, Any]) -> dict[str, Any]:
        match request["request"]:
            case "start":
                return {
                    "answer": "hello",
                    "protocol": 1,
                    "name": "hostile",
                    "version": "1",
                    "language": "Python",
                    "tier": "final",
                    "profiles": ["calcite"],
                    "gaps": {},
                }
            case "open":
                self.rows, self.ended = [], False
                at = request["sql"].find("GROUP BY")
                if at >= 0:
                    span = [at, at + 8]
                    return {
                        "answer": "refused",
                        "code": "NO_MONOTONIC_KEY",
                        "message": "",
                        "at": span,
                    }
                return {"answer": "accepted", "streaming": True, "columns": COLUMNS}
            case "rows":
                self.rows += request["rows"]
            case "end":
                self.ended = True
            case "poll":
                rows, self.rows = (self.rows, []) if self.ended else ([], self.rows)
                return {"answer": "output", "rows": rows, "bound": "end" if self.ended else None}
            case "explain":
                return {"answer": "text", "text": ""}
            case _:
                pass
        return {"answer": "done"}


Message = dict[str, Any]
Act = Callable[[Message, Message], None]


def send(data: bytes) -> None:
    """Write to the descriptor of the answers, all of it."""
    while data:
        data = data[os.write(3, data) :]


def reply(answer: object) -> None:
    """Write an answer as a line."""
    send(json.dumps(answer).encode() + b"\n")


def instead(line: bytes, kind: str = "poll") -> Act:
    """Answers requests of a kind by this line."""

    def act(request: Message, answer: Message) -> None:
        if request["request"] == kind:
            send(line)
        else:
            reply(answer)

    return act


def altered(kind: str, **fields: object) -> Act:
    """Answers requests of a kind with these fields in place of the right ones."""

    def act(request: Message, answer: Message) -> None:
        reply({**answer, **fields} if request["request"] == kind else answer)

    return act


def doing(kind: str, what: Callable[[], object]) -> Act:
    """Does something before the answer to requests of a kind."""

    def act(request: Message, answer: Message) -> None:
        if request["request"] == kind:
            what()
        reply(answer)

    return act


def with_sequence(change: Callable[[int], object]) -> Act:
    """Answers polls with a changed sequence number."""

    def act(request: Message, answer: Message) -> None:
        polled = request["request"] == "poll"
        reply({**answer, "seq": change(answer["seq"])} if polled else answer)

    return act


def sleep() -> None:
    """Sleep for a long time."""
    time.sleep(LONG)


def begin_line(then: Callable[[], None]) -> None:
    """Write the beginning of a line, then do something else."""
    send(b'{"seq":')
    then()


def long_line() -> None:
    """Write a gigabyte without a line break."""
    for _ in range(1000):
        send(b"x" * 1_000_000)


def answer_twice(_: Message, answer: Message) -> None:
    """Write each answer twice, in one piece."""
    line = json.dumps(answer).encode() + b"\n"
    send(line + line)


def refuse_nastily(request: Message, answer: Message) -> None:
    """Refuse all queries, with markup and escape codes."""
    refusal = {"answer": "refused", "code": NASTY, "message": NASTY, "at": [0, 6]}
    reply({"seq": request["seq"], **refusal} if request["request"] == "open" else answer)


def answer_late(request: Message, answer: Message) -> None:
    """Answer a poll, and send another answer some time later, to a request that is not there."""
    reply(answer)
    if request["request"] == "poll":
        time.sleep(0.05)
        reply(answer)


def close_all() -> None:
    """Close all descriptors, and stay."""
    os.closerange(0, 64)
    sleep()


def ignore_signals() -> None:
    """Ignore all signals that can be ignored."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)


def stay(request: Message, answer: Message) -> None:
    """Ignore signals and the end of the requests, and never end."""
    ignore_signals()
    reply(answer)
    if request["request"] == "stop":
        sleep()


def fork_daemon() -> None:
    """Leave a process behind, in a session of its own, as daemons do."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            ignore_signals()
            sleep()
        os._exit(0)


def fork_and_exit() -> None:
    """End, and leave a process that holds the descriptors open."""
    if os.fork() == 0:
        sleep()
    os._exit(0)


def flood(descriptor: int) -> Callable[[], None]:
    """Writes 50 MB to a descriptor that is not the protocol's."""

    def act() -> None:
        for _ in range(50):
            os.write(descriptor, b"\x1b[31mred\n" * 110_000)

    return act


def many_processes() -> None:
    """Leave twenty processes behind."""
    for _ in range(20):
        if os.fork() == 0:
            sleep()


def in_halves(_: Message, answer: Message) -> None:
    """Write each answer in two parts, the second one a moment later."""
    line = json.dumps(answer).encode() + b"\n"
    send(line[: len(line) // 2])
    time.sleep(0.05)
    send(line[len(line) // 2 :])


def dribble() -> None:
    """Write a byte from time to time, and never the end of a line."""
    while True:
        send(b" ")
        time.sleep(0.05)


def fill_memory() -> None:
    """Take memory, as much as there is; the process may have half a gigabyte."""
    resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))
    held = bytearray()
    while True:
        held += bytes(1 << 24)


#: The rows of a line that is just short enough: 3 bytes each.
MILLIONS: Final = 11_000_000


def give_million_columns(request: Message, answer: Message) -> None:
    """Accept each query, with a million columns, as many as the longest line has."""
    if request["request"] == "open":
        names = ", ".join(f'{{"name": "{n}", "type": ""}}' for n in range(1_000_000))
        send(b'{"seq": %d, "answer": "accepted", "streaming": true, "columns": [' % request["seq"])
        send(names.encode() + b"]}\n")
    else:
        reply(answer)


FAULTS: Final[dict[str, Act]] = {
    "none": lambda _, answer: reply(answer),
    "sleeps-in-start": doing("start", sleep),
    "sleeps-in-open": doing("open", sleep),
    "sleeps-in-feed": doing("rows", sleep),
    "sleeps-in-poll": doing("poll", sleep),
    "sleeps-in-close": doing("close", sleep),
    "exits-0": doing("poll", lambda: os._exit(0)),
    "exits-1": doing("poll", lambda: os._exit(1)),
    "exits-0-at-once": doing("start", lambda: os._exit(0)),
    "kills-itself": doing("poll", lambda: os.kill(os.getpid(), signal.SIGKILL)),
    "stops-itself": doing("poll", lambda: os.kill(os.getpid(), signal.SIGSTOP)),
    "gigabyte-line": doing("poll", long_line),
    "not-utf-8": instead(b'{"seq": 1, "answer": "\xff"}\n'),
    "not-json": instead(b"<html>502 Bad Gateway</html>\n"),
    "empty-line": instead(b"\n"),
    "array": instead(b"[]\n"),
    "null": instead(b"null\n"),
    "nan": instead(b'{"seq": NaN}\n'),
    "deep": instead(b"[" * 200_000 + b"\n"),
    "lone-surrogate": altered("poll", rows=[["\ud800", 1, 1]]),
    "wrong-sequence": altered("poll", seq=99),
    "no-sequence": altered("poll", seq=None),
    "sequence-as-fraction": with_sequence(float),
    "half-and-exit": doing("poll", lambda: begin_line(then=lambda: os._exit(0))),
    "half-and-close": doing("poll", lambda: begin_line(then=close_all)),
    "twice": answer_twice,
    "unasked": answer_late,
    "other-answer": altered("poll", answer="done"),
    "unknown-answer": altered("poll", answer="outpt"),
    "null-rows": altered("poll", rows=None),
    "other-width": altered("poll", rows=[["2015-02-15 10:00:00"]]),
    "infinite-value": instead(b'{"seq": 5, "answer": "output", "rows": [["x", 1, 1e400]]}\n'),
    "infinite-bound": instead(b'{"seq": 5, "answer": "output", "rows": [], "bound": 1e400}\n'),
    "infinite-sequence": instead(b'{"seq": 1e400, "answer": "output", "rows": []}\n'),
    "infinite-span": altered("open", at=[0, 10**400]),
    "million-columns": give_million_columns,
    "many-million-rows": doing("poll", lambda: send(b'{"rows": [' + b"{}," * MILLIONS + b"{}]}\n")),
    "in-halves": in_halves,
    "dribbles": doing("poll", dribble),
    "fills-memory": doing("poll", fill_memory),
    "rows-of-texts": altered("poll", rows=["abc"]),
    "nasty-bound": altered("poll", bound=NASTY),
    "nasty-refusal": refuse_nastily,
    "version-99": altered("start", protocol=99),
    "unknown-tier": altered("start", tier="sooner"),
    "unknown-gap": altered("start", gaps={"tumbel": "none"}),
    "no-name": altered("start", name=""),
    "floods-stdout": doing("poll", flood(1)),
    "floods-stderr": doing("poll", flood(2)),
    "closes-descriptors": doing("poll", close_all),
    "never-ends": stay,
    "leaves-a-daemon": doing("poll", fork_daemon),
    "leaves-processes": doing("poll", many_processes),
    "hands-over": doing("poll", fork_and_exit),
}


def main(fault: str) -> None:
    """Answer each request, with the fault."""
    engine, act = Engine(), FAULTS[fault]
    for line in sys.stdin.buffer:
        request = json.loads(line)
        act(request, engine.answer(request))


if __name__ == "__main__":
    main(sys.argv[1])
