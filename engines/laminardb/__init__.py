"""LaminarDB, a streaming database that runs within a Python process."""
