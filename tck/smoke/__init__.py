"""Smoke tests: of a backend, and of the kit itself."""
