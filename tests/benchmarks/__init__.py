"""Benchmarks, run by hand: ``make bench``, ``make score``."""
