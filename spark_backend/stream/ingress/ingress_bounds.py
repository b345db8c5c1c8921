"""The bounds of the rows that an ingress will accept later, for statements and for producers."""

from algebra.monotonicity.progress import Bound, Bounds, is_past_all
from spark_backend.data.ingress import Ingress
from spark_backend.stream.ingress.producers import NOTHING


def bounds_of(ingress: Ingress, *, ended: bool) -> Bounds:
    """The bounds of the rows that an ingress will accept later (S-406).

    Without a rowtime column, the last bound is that of the implicit rowtime.  A bound above the
    greatest value of its column's type is the end: no row can follow.
    """
    width = len(ingress.relation.columns)
    limits: list[Bound | None] = [None] * (width + (ingress.rowtime is None))
    # The place -1 is that of the implicit rowtime; ``arrival`` has no bound if there is none.
    for place, known in (*ingress.bounds.items(), (-1, ingress.arrival)):
        if known.bound is not None:
            limits[place] = limit = Bound(known.bound, known.strict)
            if place >= 0:  # a row without a rowtime can still follow
                ended = ended or is_past_all(known.type, limit, known.ordering.descending)
    return Bounds(tuple(limits), ended)


def bound_of_own_rows(ingress: Ingress, bounds: Bounds) -> float:
    """The bound of the rowtime in ``bounds``, in milliseconds; `NOTHING` if it is not known.

    ``bounds`` are those of the later rows of a stream's own input, and ``ingress`` is the stream's.
    """
    limit = bounds.columns[-1 if ingress.rowtime is None else ingress.rowtime]
    return float(limit.value) if limit is not None and isinstance(limit.value, int) else NOTHING


def bound_of_ingress(ingress: Ingress) -> float:
    """The bound of an ingress's rowtime, in milliseconds; `NOTHING` if none is known."""
    known = ingress.arrival if ingress.rowtime is None else ingress.bounds[ingress.rowtime]
    return float(known.bound) if isinstance(known.bound, int) else NOTHING
