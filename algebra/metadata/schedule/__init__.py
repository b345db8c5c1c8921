"""The schedule of each operator: when it emits a row, and what it retains until then (S-408)."""
