"""On Spark, too, what a query will cost is told in advance; the module itself measures all."""

import pytest

from tests.examples import NIGHTLY
from tests.predictions.feeds import corpus, nexmark
from tests.predictions.on_spark import BRIEF, FULL, report

#: So many of the corpus nightly, evenly over its queries.
SOME = 3


@pytest.mark.spark
def test_spark_retains_no_row_longer_than_the_metadata_say() -> None:
    feeds = {"q8": nexmark()["q8"]}
    if NIGHTLY:
        ids = list(corpus())
        feeds |= {id: corpus()[id] for id in ids[:: len(ids) // SOME]}
    found = report(feeds, FULL if NIGHTLY else BRIEF)
    assert found.below == {}
    assert found.states.total() >= len(feeds)
    assert found.waits.total() >= len(feeds)
