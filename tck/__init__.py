"""The conformance kit: cases, the backends' protocol, verdicts; a bound is others' watermark."""
