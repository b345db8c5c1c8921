"""The parts of a plan: a node's expressions, the plans and names in it, an ASOF join's parts."""
