"""`rowtime explain --backend spark-stream`: a plan, its state, and the rows that Spark retains."""

from collections.abc import Iterator

from algebra.explain import headline
from algebra.metadata.plan_metadata import NodeFacts, node_facts, state_text
from algebra.plan import Delta, Plan
from spark_backend.stream.explain import state_lines


def explain_state(query: Plan) -> str:
    """The plan with the state of its operators, and below it the input rows that are retained.

    In the plan, an operator that has state has a second line, which describes the state.

    A *stage* is a part of the query with one operator that has state.  Below the plan is a line for
    each stream of each stage: Spark retains the rows that arrive at the stage, and recomputes the
    operator's state from these rows.  A relational query has no lines below the plan.
    """
    lines = list(_lines_of_node(node_facts(query), ""))
    if isinstance(query, Delta):
        lines += ["", *state_lines(query)]
    return "\n".join(lines)


def _lines_of_node(facts: NodeFacts, indent: str) -> Iterator[str]:
    """The lines of a node of the plan and of its inputs, which are indented by two more spaces."""
    yield indent + headline(facts.plan)
    if facts.streams and facts.state:
        yield f"{indent}│ state {state_text(facts.plan, facts.state)}"
    for each in facts.inputs:
        yield from _lines_of_node(each, indent + "  ")
