"""What is known of a plan before it runs: orders, latency, state, cost (S-308, S-408)."""
