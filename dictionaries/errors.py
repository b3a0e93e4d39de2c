"""The error of dictionaries, packs and recognisers."""


class DictionaryError(ValueError):
    """A dictionary cannot be used; the message is one line and says what to do."""
