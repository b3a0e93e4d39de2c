"""Pseudonyms of senders, in an order that tells nothing."""

from collections.abc import Collection

from .keyed import digest

_DIGITS = 4


def sender_pseudonyms(senders: Collection[str], key: bytes) -> dict[str, str]:
    """Return a pseudonym for each sender: S0001, S0002 and on, by rank of their keyed hashes.

    Parameters
    ----------
    senders : collection of str
    key : bytes
        The same key and senders give the same pseudonyms.

    Returns
    -------
    dict of str to str
        None of the pseudonyms is a sender, whatever the case.

    Examples
    --------
    >>> sorted(sender_pseudonyms(["Zoé", "Karim"], b"key").values())
    ['S0001', 'S0002']
    """
    ranked = sorted(set(senders), key=lambda sender: digest(key, "sender", sender))
    width = max(_DIGITS, len(str(len(ranked))))
    taken = {sender.strip().casefold() for sender in ranked}
    letter = "S"
    while any(f"{letter}{n:0{width}}".casefold() in taken for n in range(1, len(ranked) + 1)):
        letter += "S"
    return {sender: f"{letter}{n:0{width}}" for n, sender in enumerate(ranked, 1)}
