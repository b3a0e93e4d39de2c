"""Deciding messages: one pass from a source of messages to an action for each."""
