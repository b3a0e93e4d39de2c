"""What can be wrong with a model or a request."""


class TriageError(ValueError):
    """A request cannot be met; the message is one line and says what to do."""
