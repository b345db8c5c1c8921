"""What is known of a plan, node by node: collation, latency, state, cost."""
