"""The review page, on which annotators clear a queue (`triage.review.server.serve` starts it)."""
