"""What can be wrong with a dictionary."""


class DictionaryError(ValueError):
    """A dictionary cannot be used; the message is one line and says what to do."""
