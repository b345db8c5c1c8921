"""Serve a backend written in Python to the kit: ``python -m tck.wire.serve module:Class``.

A second argument is the name by which messages call the backend; default: ``module:Class``.
"""

import os
import sys
from typing import BinaryIO, cast

from tck.wire.channel import LocalChannel
from tck.wire.child import ANSWERS
from tck.wire.factory import factory
from tck.wire.faults import BackendFault
from tck.wire.messages import (
    MOST_ROWS,
    Error,
    Start,
    Stop,
    answer_object,
    kind_of,
    line_of,
    object_of,
    read_answer,
    read_request,
)


def serve(channel: LocalChannel, requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests, each on a line, until the request `Stop`, or until ``requests`` ends."""
    most_rows = MOST_ROWS
    for line in requests:
        message = object_of(line)
        stopping = False
        try:
            request = read_request(message)
            stopping = isinstance(request, Stop)
            most_rows = request.most_rows if isinstance(request, Start) else most_rows
            answer = channel.ask(request)
            # Checked here, too, where a message about a fault can show the backend's Python values.
            read_answer(kind_of(request), answer, most_rows)
        except BackendFault as fault:
            answer = answer_object(0, Error(fault.reason, fault.detail, fault.code))
        answers.write(line_of({**answer, "seq": message.get("seq")}))
        answers.flush()
        if stopping:
            return


def main(path: str, name: str) -> None:
    """Serve a backend on the descriptors of the protocol; the backend itself cannot use them.

    ``path`` is its ``module:Class``, and ``name`` is the name by which messages call it.
    """
    with _descriptor(0, "rb") as requests, _descriptor(ANSWERS, "wb") as answers:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.close(ANSWERS)
        serve(LocalChannel(lambda: factory(name, path)()), requests, answers)


def _descriptor(number: int, mode: str) -> BinaryIO:
    """A file on a copy of a descriptor; child processes do not inherit the copy."""
    return cast("BinaryIO", os.fdopen(os.dup(number), mode))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[-1])
