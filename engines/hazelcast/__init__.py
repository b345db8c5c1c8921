"""Hazelcast as a backend: a program in Java."""
