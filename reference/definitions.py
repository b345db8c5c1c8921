"""The definitions of the functions for which there are faster forms (see `Forms`).

The kit runs the definitions; `reference.fast.forms` has the faster forms.
"""

from typing import Final

from reference.acceptance import one_by_one
from reference.environment import Forms
from reference.relation import in_order
from reference.relational.asof import nearest_row
from reference.relational.hop import hopping
from reference.relational.joins import all_rows
from reference.relational.streams import emitted
from reference.relational.windows import window_columns
from reference.scalar.arithmetic import arithmetic_of

DEFINITIONS: Final = Forms(
    arithmetic=arithmetic_of,
    in_order=in_order,
    emitted=emitted,
    hopping=hopping,
    partners=all_rows,
    nearest=nearest_row,
    window_columns=window_columns,
    ingress=one_by_one,
)
