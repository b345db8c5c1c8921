"""Printing of syntax trees as SQL text."""
