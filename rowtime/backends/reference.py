"""The reference."""

from reference.backend import ReferenceBackend, fast_backend

__all__ = ["ReferenceBackend", "fast_backend"]
