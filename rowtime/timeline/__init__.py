"""`rowtime trace`: the timeline of a run, as text and as a picture."""
