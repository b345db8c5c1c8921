"""The parts of a plan: a node's expressions, the plans and names inside it, an ASOF join apart."""
