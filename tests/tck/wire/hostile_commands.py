"""Engines as commands, of which each does one thing wrong: ``python hostile_commands.py FAULT``.

Written without the kit, as an engine in another language is.  Messages are answered as by an engine
that accepts every query and emits no row; at the first poll the fault shows, unless it says
otherwise.
"""

import json
import os
import signal
import subprocess
import sys
import time
from typing import Any

HELLO = {
    "answer": "hello",
    "protocol": 1,
    "name": "hostile",
    "version": "1",
    "language": "Python",
    "tier": "final",
    "profiles": ["calcite"],
}
COLUMNS = [
    {"name": "ROWTIME", "type": "TIMESTAMP(3)", "nullable": False},
    {"name": "PRODUCTID", "type": "INTEGER", "nullable": True},
    {"name": "UNITS", "type": "INTEGER", "nullable": True},
]
ANSWERS: dict[str, dict[str, Any]] = {
    "start": HELLO,
    "open": {"answer": "accepted", "streaming": True, "columns": COLUMNS},
    "poll": {"answer": "output"},
    "explain": {"answer": "text", "text": ""},
}


def say(data: bytes) -> None:
    """Write bytes as an answer."""
    while data:
        data = data[os.write(3, data) :]


def answer(request: dict[str, Any], **more: object) -> None:
    """Write the answer that a request has, with other fields."""
    right = ANSWERS.get(request["request"], {"answer": "done"})
    say(json.dumps({"seq": request["seq"], **right, **more}).encode() + b"\n")


def misbehave(fault: str, request: dict[str, Any]) -> None:
    """What is done in place of the answer to a poll."""
    match fault:
        case "sleeps":
            print("going to sleep", flush=True)
            time.sleep(600)
        case "answers-on-stdout":
            print(json.dumps({"seq": request["seq"], **ANSWERS["poll"]}), flush=True)
            time.sleep(600)
        case "answers-on-stdout-and-exits":
            print(json.dumps({"seq": request["seq"], **ANSWERS["poll"]}), flush=True)
            os._exit(0)
        case "copies-to-stdout":
            print(json.dumps({"seq": request["seq"], **ANSWERS["poll"]}), flush=True)
            answer(request)
        case "answers-and-exits":
            print("working", flush=True)
            time.sleep(0.1)
            answer(request)
            os._exit(0)
        case "exits-0":
            print("all is well", file=sys.stderr, flush=True)
            os._exit(0)
        case "exits-3":
            os._exit(3)
        case "segfaults":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "stops-itself":
            os.kill(os.getpid(), signal.SIGSTOP)
        case "closes":
            os.close(3)
            time.sleep(600)
        case "babbles":
            say(b"INFO ready\x1b[31m\n")
        case "not-utf-8":
            say(b'{"seq": %d, "answer": "output", "bound": "\xff"}\n' % request["seq"])
        case "other-number":
            answer(request, seq=request["seq"] + 1)
        case "no-number":
            say(b'{"answer": "output"}\n')
        case "twice":
            say(b'{"seq": %d, "answer": "output"}\n' % request["seq"] * 2)
        case "endless-line":
            while True:
                say(b"x" * 2**16)
        case "many-rows":
            answer(request, rows=[["2015-02-15 10:00:00", 1, 1]] * 100_001)
        case "floods-stdout":
            while True:
                os.write(1, b"noise\n" * 1000)
        case "leaves-a-daemon":
            leave_a_daemon()
            os._exit(1)
        case "leaves-a-child":
            subprocess.Popen(["sleep", "600"], pass_fds=(3,))
            os._exit(1)
        case _:
            answer(request)


def leave_a_daemon() -> None:
    """A process in a session of its own, whose parent has ended."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(600)
        os._exit(0)
    os.wait()


def main(fault: str) -> None:
    """Answer requests."""
    if fault == "dies-at-once":
        print("no licence", file=sys.stderr)
        sys.exit(5)
    for line in sys.stdin:
        request = json.loads(line)
        match request["request"]:
            case "start" if fault == "version-99":
                answer(request, protocol=99)
            case "start" if fault == "sleeps-at-start":
                time.sleep(600)
            case "open" if fault == "prints":
                print("opened " + "x" * 200_000, flush=True)
                answer(request)
            case "close" if fault == "sleeps-at-close":
                time.sleep(600)
            case "stop" if fault == "sleeps-at-stop":
                time.sleep(600)
            case "poll":
                misbehave(fault, request)
            case _:
                answer(request)
        if request["request"] == "stop":
            return


if __name__ == "__main__":
    main(sys.argv[1])
