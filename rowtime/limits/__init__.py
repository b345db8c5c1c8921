"""Limits of a run: of its dropped rows, and of its time, memory and rows."""
