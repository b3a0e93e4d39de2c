"""E-mail addresses, also as they are spelt out, and web addresses."""

import re

from triage.dictionaries.kinds import Kind
from triage.dictionaries.pack import Pack
from triage.dictionaries.recognisers.known import known_words
from triage.dictionaries.recognisers.recogniser import Recogniser, any_of

_MAIL = r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}"
_DOMAINS = (
    "com|fr|net|org|eu|be|ch|info|tv|io|app|gg|dev|nc|pf|lu|uk|bzh|paris|alsace|corsica"
    "|xyz|site|online|shop|blog|club|biz|cat"
)
_SURE_DOMAINS = frozenset({"com", "fr", "net", "org", "eu", "info", "tv"})
# Words of French or of chats, too: only before a path.
_WORDS_TOO = "me|re|de|es|it|co|us|ly|be|ai|to|gl|nl|pt|link|live|page|social|ca"
_LABELS = r"(?<![\w.@-])(?:[\w-]{1,63}\.){1,4}"
REST = r"[^\s<>\"]{0,2000}+"
_URL = (
    rf"(?i:https?://|www\.){REST}|{_LABELS}(?:{_DOMAINS})\b(?:/{REST})?"
    rf"|{_LABELS}(?:{_WORDS_TOO})/{REST}"
)
TRAILING = ".,;:!?)]}»\"'’"

# Those of all countries; the pack has others.
_PROVIDERS = ("gmail", "hotmail", "outlook", "yahoo", "icloud", "protonmail", "proton", "gmx")
_WORDS_FOR_PROVIDERS = ("live", "msn", "aol", "mac", "me")
_ENDINGS = f"(?:{_DOMAINS}|co uk|de|es|it|me|edu|pro)"


def recognisers(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recognisers of addresses on the net."""
    spelt, known = pack.mail, known_words(pack)
    providers = "|".join((*_PROVIDERS, *spelt.providers))
    words_for_providers = "|".join((*_WORDS_FOR_PROVIDERS, *spelt.word_providers))
    dot = rf"(?: ?[(\[{{]? ?{any_of(spelt.dots)} ?[)\]}}]? ?| ?[.,] ?)"
    sign = rf"(?: ?[(\[{{]? ?{any_of(spelt.signs)} ?[)\]}}]? ?|[._+-])"
    part = r"[^\W_]{1,40}+(?:[_-][^\W_]{1,40}+){0,3}+"
    name = rf"(?<![\w.+@'’-]){part}(?:(?:{sign}|_){part}){{0,4}}+_?"
    at = rf"(?: ?[(\[{{] ?{any_of((*spelt.ats, *spelt.words_at))} ?[)\]}}] ?"
    at += rf"| {any_of(spelt.ats)} | ?@ ?)"
    provider = rf"(?:{providers}|{words_for_providers})(?!\w)(?:{dot}{_ENDINGS}(?!\w))?"
    domain = rf"(?:{provider}|{part}(?:{dot}{part}){{0,2}}?{dot}{_ENDINGS}(?!\w))"
    with_provider = rf"(?:{providers}){dot}{_ENDINGS}(?!\w)"

    def is_name(found: str) -> bool:
        """Tell "zoe at free.fr" from "look at free.fr"."""
        before, _, _ = found.partition(" ")
        return not known.is_ordinary(before)

    def is_full_name(found: str) -> bool:
        first, last, *_ = found.split(" ")
        return known.is_first_name(first) and not known.is_ordinary(last)

    def is_site(address: str) -> bool:
        """Tell "zoe.app" from "vu.app" and "demain.biz", full stops without a space behind."""
        label, dot, domain = address.rpartition(".")
        if "/" in address or "." in label or not dot or domain in _SURE_DOMAINS:
            return True
        return not (known.is_ordinary(label) or known.is_ordinary(domain) or label.isdigit())

    word_at = rf" {any_of(spelt.words_at)} "
    simple = r"(?<![\w.+@'’-])[\w.+-]{1,40}"
    marked = rf"(?=[\w.+-]{{2,40}}+ at )(?=[a-z]*[\d._]){simple}"
    return (
        Recogniser(
            "mail",
            Kind.MEL,
            re.compile(_MAIL),
            gate="@",
            score=0.95,
        ),
        Recogniser(
            "mail_spelt",
            Kind.MEL,
            re.compile(f"(?i:{name}{at}{domain})"),
            gate=any_of((*spelt.ats, spelt.gate)),
            score=0.9,
        ),
        Recogniser(
            "mail_said",
            Kind.MEL,
            re.compile(f"(?i:{simple}{word_at}{with_provider}|{marked} at (?:{providers})(?!\\w))"),
            gate=providers,
            check=is_name,
            score=0.8,
        ),
        Recogniser(
            "mail_said_in_full",
            Kind.MEL,
            re.compile(
                rf"(?i:(?<![\w.+@'’-])[^\W\d_]{{2,20}} {part}(?:{at}|{word_at})(?:{with_provider}))"
            ),
            gate=providers,
            check=is_full_name,
            score=0.8,
        ),
        Recogniser(
            "url",
            Kind.URL,
            re.compile(_URL),
            gate=rf"://|w\.|\.(?:{_DOMAINS})\b|\.(?:{_WORDS_TOO})/",
            score=0.9,
            check=is_site,
            trim=TRAILING,
        ),
    )
