"""Bound propagation: the bounds (watermarks) of each node of a plan."""
