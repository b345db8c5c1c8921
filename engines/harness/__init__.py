"""What the drivers of several engines share, and the checks over the reports of all."""
