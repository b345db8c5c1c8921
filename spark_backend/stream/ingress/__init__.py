"""Ingress of a micro-batch: rows in order of arrival, validated, late rows filtered."""
