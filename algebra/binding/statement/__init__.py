"""Binding of statements other than queries: DDL and DML."""
