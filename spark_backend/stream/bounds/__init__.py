"""Bound propagation: the bounds of each node of a plan.

A bound is what others call a watermark: no later row is below it.
"""
