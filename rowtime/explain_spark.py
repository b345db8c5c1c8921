"""`rowtime explain --backend spark-stream`: a plan, and the rows that Spark retains for it."""

from collections.abc import Iterator

from algebra.catalog import Profile
from algebra.explain import headline
from algebra.metadata.plan_metadata import NodeFacts, node_facts, state_text
from algebra.monotonicity.context import Context
from algebra.plan import Delta, Plan
from spark_backend.stream.explain import leaves_by, retained_text


def explain_state(query: Plan, profile: Profile) -> str:
    """The plan with the state of each operator that has any, and below it the retained input rows.

    There is a line for each stream: Spark retains input rows between micro-batches, each once, and
    recomputes the operators' state from them.  For a relational query there are no such lines.
    """
    lines = list(_node(node_facts(query, Context(profile=profile)), ""))
    if isinstance(query, Delta):
        lines += ["", "kept between micro-batches:"]
        lines += [f"  {'.'.join(name)}: {rows}" for name, rows in retained_text(query)]
        lines.append(f"  {leaves_by(query)}")
    return "\n".join(lines)


def _node(facts: NodeFacts, indent: str) -> Iterator[str]:
    yield indent + headline(facts.plan)
    if facts.streams and facts.state:
        yield f"{indent}│ state {state_text(facts.plan, facts.state)}"
    for each in facts.inputs:
        yield from _node(each, indent + "  ")
