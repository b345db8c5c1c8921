"""Binding of DDL and DML."""
