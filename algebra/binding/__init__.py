"""Binding, from syntax tree to plan: names are resolved, types known, implicit casts explicit."""
