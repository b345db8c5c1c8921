"""`rowtime explain --backend spark-stream`: a plan, and what Spark keeps between micro-batches."""

from algebra.explain import explain
from algebra.plan import Delta, Plan
from spark_backend.stream.kept import kept, leaves_by


def explain_state(query: Plan) -> str:
    """The plan, and below it a line for each stream with the rows that are kept of it.

    A relational query keeps nothing.
    """
    lines = [explain(query)]
    if isinstance(query, Delta):
        lines += ["", "kept between micro-batches:"]
        lines += [f"  {'.'.join(name)}: {rows}" for name, rows in kept(query)]
        lines.append(f"  {leaves_by(query)}")
    return "\n".join(lines)
