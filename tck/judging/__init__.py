"""From a transcript to a verdict: rows, order, time, bounds."""
