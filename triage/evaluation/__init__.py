"""Evaluation: what the paper measured, and what a reviewer of the method needs besides."""
