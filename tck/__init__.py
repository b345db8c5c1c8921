"""The conformance kit: cases, the protocol of backends, verdicts.  A *bound* is a watermark."""


def kit_version() -> str:
    """The version of the installed package rowtime; ``unknown`` if it is not installed."""
    # Imported here, because the import takes as long as a small query, and few commands need it.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("rowtime")
    except PackageNotFoundError:
        return "unknown"
