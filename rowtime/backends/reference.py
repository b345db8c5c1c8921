"""Public names of the backends of the reference implementation.

`ReferenceBackend` runs the definitions of the operators, `fast_backend` makes a backend with faster
forms.
"""

from reference.backend import ReferenceBackend, fast_backend

__all__ = ["ReferenceBackend", "fast_backend"]
