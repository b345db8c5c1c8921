"""Provenance: the input rows of an output row, and the event that emitted it."""
