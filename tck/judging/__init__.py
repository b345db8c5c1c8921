"""From a transcript to a verdict: rows, their order, their steps, output bounds and state."""
