"""Ingress of a micro-batch: rows in order of arrival, validated, late rows filtered by bound.

A stream's bound is what others call its watermark: no later row is below it.
"""
