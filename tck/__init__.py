"""What proves it: cases, protocol, runner, verdicts, reports."""
