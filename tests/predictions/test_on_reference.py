"""What a query will cost is told in advance: never too little, and mostly not twice as much.

`make test` runs a query of each shape of metadata, and streams a fifth as long as nightly.
"""

from typing import Final

from tests.examples import NIGHTLY, scaled
from tests.predictions.feeds import corpus, nexmark
from tests.predictions.on_reference import BRIEF, FULL, report

EXTENT: Final = FULL if NIGHTLY else BRIEF
_FRAME: Final = "frame-of-a-stream-by-its-form"

#: The feed's numbers soon leave the range of this join's column, so that both inputs have ended
#: (S-405.e).  The join keeps the two rows that it held then: with the end nothing evicts them.
#: A frame of all rows up to its own, without its own, adds a row to its accumulators at the next
#: row of the partition.  So it holds a row of each partition, and `rows of 1 MILLISECOND` predicts
#: the rows of one instant.
FAILING: Final = {
    "column-of-a-join-fails-at-the-bound",
    f"{_FRAME}-count-distinct-range-from-the-first-to-itself-without-itself-by-key",
}


def test_no_query_of_the_corpus_holds_more_or_waits_longer_than_its_metadata_says() -> None:
    found = report(corpus(by_shape=not NIGHTLY), EXTENT)
    assert found.below.keys() <= FAILING, found.below
    states, waits = found.states.total(), found.waits.total()
    assert states > scaled(50, 100)
    assert waits > scaled(50, 100)
    assert len(found.above) < (states + waits) / scaled(15, 20), found.above


def test_no_query_of_nexmark_holds_more_or_waits_longer_than_its_metadata_says() -> None:
    found = report(nexmark(), EXTENT)
    assert found.below == {}
    assert found.states.total() > 10
    assert found.waits.total() == len(nexmark())
    assert len(found.above) < 4, found.above
