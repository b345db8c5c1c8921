"""How often cycles of objects are searched for."""

import gc

from tck.collection import rare_collection, without_collection


def test_searches_are_rare_within_the_context_only() -> None:
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    try:
        with rare_collection():
            assert gc.get_threshold()[0] > 700
        assert gc.get_threshold() == (700, 10, 10)
    finally:
        gc.set_threshold(*before)


def test_nothing_searches_within_the_context_only() -> None:
    assert gc.isenabled()
    with without_collection():
        assert not gc.isenabled()
    assert gc.isenabled()
