"""From syntax tree to plan: names resolved, types known, implicit casts written out."""
