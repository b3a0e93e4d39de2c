"""Addresses on the net: of mail, also spelt out, of pages, of machines; links that let one in."""

import re
from ipaddress import ip_address

from triage.dictionaries.kinds import Kind
from triage.dictionaries.pack import Pack
from triage.dictionaries.recognisers.known import known_words
from triage.dictionaries.recognisers.recogniser import FOUND, Recogniser, any_of, behind

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


def addresses(pack: Pack) -> tuple[Recogniser, ...]:
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


# Hosts, with the beginning of the path where other pages of the host let nobody in.
_HOSTS = (
    r"(?:[\w-]{1,40}\.)?zoom\.us",
    r"(?:meet|docs|drive|forms|photos|calendar)\.google\.com",
    r"g\.co/meet",
    r"forms\.gle",
    r"photos\.app\.goo\.gl",
    r"teams\.(?:microsoft|live)\.com",
    r"(?:[\w-]{1,40}\.)?webex\.com",
    r"meet\.jit\.si",
    r"whereby\.com",
    r"join\.skype\.com",
    r"(?:chat|call)\.whatsapp\.com",
    r"(?:api\.)?whatsapp\.com/(?:send|channel)",
    r"wa\.me",
    r"discord\.gg",
    r"discord(?:app)?\.com/invite",
    r"(?:t|telegram)\.me",
    r"m\.me",
    r"ig\.me",
    r"signal\.(?:me|group)",
    r"snapchat\.com/(?:add|t)",
    r"doodle\.com",
    r"framadate\.org",
    r"evento\.renater\.fr",
    r"calendly\.com",
    r"forms\.office\.com",
    r"(?:[\w-]{1,40}\.)?sharepoint\.com",
    r"onedrive\.live\.com",
    r"1drv\.ms",
    r"dropbox\.com/(?:s|scl|sh)",
    r"we\.tl",
    r"wetransfer\.com/downloads",
    r"icloud\.com",
    r"leetchi\.com",
    r"lepotcommun\.fr",
    r"lepotsolidaire\.fr",
    r"(?:pots\.)?lydia\.me",
    r"(?:pot\.)?lydia-app\.com",
    r"paypal\.me",
    r"paypal\.com/(?:pools|paypalme)",
    r"gofundme\.com",
    r"helloasso\.com",
    r"tricount\.com",
    r"splitwise\.com",
    r"steamcommunity\.com/(?:id|profiles)",
    r"roblox\.com/(?:users|share)",
    r"strava\.app\.link",
    r"open\.spotify\.com/(?:user|playlist)",
    r"facebook\.com/(?:groups|events)",
)
_LINK = rf"(?<![\w@.-])(?i:(?:https?://)?(?:www\.)?{any_of(_HOSTS)}/(?=[\w?#+@-]){REST})"
_MEETING = r"\d{3}(?:[ -]?\d{3,4}){2}(?![ -]?\d)"
_MEET = r"[a-z]{3}-[a-z]{4}-[a-z]{3}(?![\w-])"


def links(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recognisers of links, and of the numbers of meetings."""
    meetings = pack.meetings
    number = behind(meetings.triggers, meetings.between, f"(?:{_MEETING}|{_MEET})")
    return (
        Recogniser(
            "link",
            Kind.LNK,
            re.compile(_LINK),
            gate=r"\.[a-z]{2,6}/",
            score=0.95,
            trim=TRAILING,
        ),
        Recogniser(
            "meeting",
            Kind.LNK,
            re.compile(f"(?i:{number})"),
            gate="[0-9]{3}|-[a-z]{4}-",
            score=0.92,
        ),
    )


_IPV4 = r"\d{1,3}(?:\.\d{1,3}){3}(?![\w]|[.,]\d)"
_IPV6 = r"(?<![\w:.])(?=[0-9A-Fa-f:]{0,5}:)(?:[0-9A-Fa-f]{0,4}:){2,7}(?:[0-9A-Fa-f]{1,4})?(?![\w:])"
_MAC = (
    r"(?<![\w:.-])(?:[0-9A-Fa-f]{2}([:-])(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}"
    r"|[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4})(?![\w:-]|\.\w)"
)
_LONG_GROUP = re.compile("[0-9a-f]{3}", re.IGNORECASE)
_LETTER = re.compile("[a-f]", re.IGNORECASE)
_FEWEST_GROUPS = 4


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _is_ipv4(text: str) -> bool:
    """Tell an address from the number of a version, such as ``3.11.2.1``."""
    first, *others = text.split(".")
    is_large = len(first) > 1 or any(len(number) == len("255") for number in others)
    return is_large and _is_address(text)


def _is_ipv6(text: str) -> bool:
    """Tell an address from hours and smileys, such as ``10::30``."""
    groups = [group for group in text.split(":") if group]
    is_long = len(groups) >= _FEWEST_GROUPS or (len(groups) > 1 and _LONG_GROUP.search(text))
    return bool(is_long) and _is_address(text)


def _is_mac(text: str) -> bool:
    return bool(_LETTER.search(text))


def machines(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recognisers of addresses of machines."""
    no_address = rf"(?<!\w){any_of(pack.network.no_triggers)}[ :.]{{0,3}}"
    said = behind(pack.network.triggers, pack.network.between, _IPV4)
    ipv4 = rf"{no_address}{_IPV4}|(?<![\w.,])(?P<{FOUND}>{_IPV4})"
    return (
        Recogniser(
            "ipv4",
            Kind.IPA,
            re.compile(f"(?i:{ipv4})"),
            gate=r"\.\d{1,3}\.\d",
            check=_is_ipv4,
            score=0.9,
        ),
        Recogniser(
            "ipv4_said",
            Kind.IPA,
            re.compile(f"(?i:{said})"),
            gate=r"\.\d{1,3}\.\d",
            check=_is_address,
            score=0.9,
        ),
        Recogniser(
            "ipv6",
            Kind.IPA,
            re.compile(_IPV6),
            gate=":[0-9a-f:]{1,5}[0-9a-f:]",
            check=_is_ipv6,
            score=0.9,
        ),
        Recogniser(
            "mac",
            Kind.IPA,
            re.compile(_MAC),
            gate=r"[:-][0-9a-f]{2}[:-][0-9a-f]{2}[:-]|\.[0-9a-f]{4}\.",
            check=_is_mac,
            score=0.92,
        ),
    )
