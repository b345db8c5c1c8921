"""The protocol of the kit under its public name, which a backend in Python imports.

The packages next to `rowtime` in a checkout are inside of `rowtime` when it is installed.  This
module has the same name in both.
"""

from tck.protocol import (
    TIERS,
    Accepted,
    Backend,
    Bound,
    CloseProducer,
    ColumnInfo,
    Elapse,
    End,
    Event,
    Hello,
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
    Tier,
    Unsupported,
    Wire,
    WireRow,
)

__all__ = [
    "TIERS",
    "Accepted",
    "Backend",
    "Bound",
    "CloseProducer",
    "ColumnInfo",
    "Elapse",
    "End",
    "Event",
    "Hello",
    "LateRow",
    "Load",
    "Now",
    "Open",
    "OpenProducer",
    "Output",
    "Refused",
    "Rows",
    "SqlWarning",
    "State",
    "Tier",
    "Unsupported",
    "Wire",
    "WireRow",
]
