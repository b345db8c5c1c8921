"""The metadata of a plan, known before it runs: orders, latency, state, cost (S-308, S-408)."""
