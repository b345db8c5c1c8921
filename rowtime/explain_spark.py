"""`rowtime explain --backend spark-stream`: a plan, and the rows that Spark retains for it."""

from collections.abc import Iterator

from algebra.explain import headline
from algebra.metadata.plan_metadata import NodeFacts, node_facts, state_text
from algebra.plan import Delta, Plan
from spark_backend.stream.explain import state_lines


def explain_state(query: Plan) -> str:
    """The plan with the state of each operator that has any, and below it the retained input rows.

    There is a line for each stream of each stage: Spark retains the rows that arrive there, each
    once, and recomputes the operator's state from them.  For a relational query there is none.
    """
    lines = list(_node(node_facts(query), ""))
    if isinstance(query, Delta):
        lines += ["", *state_lines(query)]
    return "\n".join(lines)


def _node(facts: NodeFacts, indent: str) -> Iterator[str]:
    yield indent + headline(facts.plan)
    if facts.streams and facts.state:
        yield f"{indent}│ state {state_text(facts.plan, facts.state)}"
    for each in facts.inputs:
        yield from _node(each, indent + "  ")
