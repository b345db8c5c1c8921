"""The fast forms: the functions of `reference.definitions` with the same results, but faster."""

from typing import Final

from reference.environment import Forms
from reference.fast.bulk_ingress import accept_in_bulk
from reference.fast.cached_windows import hopping
from reference.fast.hash_join import rows_by_key
from reference.fast.native_arithmetic import arithmetic_of
from reference.fast.nearest_rows import nearest_row
from reference.fast.sliding import window_columns
from reference.fast.sort_keys import emitted, in_order

FAST: Final = Forms(
    arithmetic=arithmetic_of,
    in_order=in_order,
    emitted=emitted,
    hopping=hopping,
    partners=rows_by_key,
    nearest=nearest_row,
    window_columns=window_columns,
    ingress=accept_in_bulk,
)
