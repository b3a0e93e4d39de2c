"""Numbers that people write in groups of any length: ``FR76 3000-4000``, one below the other."""

# Between two digits of one number.
GAP = r"[ \n.\-_/·]{0,3}+"
# A number begins here: not inside a word, nor inside a longer number.
START = r"(?<![^\W_])(?<!\d[.,/-])(?<!\d{4} )"
# It ends here: no digit follows, nor a further group of four.
END = r"(?![^\W_])(?![.,/-]\d)(?! \d{4}(?!\d))"


def then(count: int, sign: str = r"\d") -> str:
    r"""Return the expression of further signs of a number, each perhaps behind a gap."""
    return rf"(?:{GAP}{sign}){{{count}}}"


def compact(number: str) -> str:
    """Return the letters and digits of a number, in upper case."""
    return "".join(sign for sign in number if sign.isalnum()).upper()
