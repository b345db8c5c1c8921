"""Compute the hashes by which the content security policy of a page allows its own code.

A browser then runs no script and applies no style that another program has put into the page.
"""

import base64
import hashlib


def source_hash(text: str) -> str:
    """The hash source of a policy that allows the style or script with exactly this ``text``."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
