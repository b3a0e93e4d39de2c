"""Names under which people are found on networks: @lola, "mon snap c'est zoe.mrt34", zoe#1234."""

import re

from triage.dictionaries.kinds import Kind
from triage.dictionaries.pack import Pack
from triage.dictionaries.recognisers.known import known_words
from triage.dictionaries.recognisers.recogniser import Recogniser, any_of, first_words

_HOST = r"(?:@[\w-]{1,40}(?:\.[\w-]{1,20}){1,3})?"
_MENTION = rf"(?<![\w@./+-])@_{{0,3}}[^\W\d_][\w.-]{{0,39}}{_HOST}"
_HANDLE = r"[A-Za-z0-9_](?:[\w.-]{1,28}[\w-])"
_TAG = r"(?<![\w.#])(?=[\w.]{0,31}[^\W\d])[\w.]{2,32} ?#\d{4}(?!\w)"
_REDDIT = r"(?<![\w/.])/?u/[\w-]{3,20}(?![\w/])"
_FRIEND_CODE = r"(?<!\w)(?i:sw)(?:[ -]\d{4}){3}(?!\w)"
_MARKED = rf"(?=[\w-]{{0,30}}[\d_]|[\w-]{{2,30}}\.\w){_HANDLE}"
# Between what announces a handle and the handle: any signs, arrows and emoji among them.
_GAP = r"[^\w@]{1,6}"
_EQUALS = r"(?:[^\w\n@,.!?;()\"«»'’/-]{0,3}[:=>@→➡⇒👉][^\w@]{0,4})"
_BETWEEN_HALVES = re.compile(r"[._-]+")
_SPACE = r"[^\w\n@.!?,;'’]{1,3}"
_SITES = (".com", ".fr", ".net", ".org")
_NUMBERED = re.compile(r"[a-z]{3,}[a-z._-]*\d{1,8}[a-z]{0,3}|\d{1,4}[a-z]{4,}\d*", re.IGNORECASE)


def recognisers(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recognisers of handles."""
    handles = pack.handles
    network, pseudonym = any_of(handles.networks), any_of(handles.pseudonyms)
    quantity = re.compile(rf"\d+{any_of(handles.units)}\d*", re.IGNORECASE)
    no_names = handles.no_names
    is_ordinary = known_words(pack).is_ordinary

    def is_handle(token: str) -> bool:
        if token.lower() in no_names or quantity.fullmatch(token) or is_ordinary(token):
            return False
        return any(part and not is_ordinary(part) for part in _BETWEEN_HALVES.split(token))

    def is_marked(token: str) -> bool:
        """Tell whether it has a sign or digits as handles have, and words have not."""
        has_sign = "_" in token.strip("_") or "." in token or bool(_NUMBERED.fullmatch(token))
        is_site = token.lower().endswith(_SITES)
        return has_sign and not is_site and not token.isdigit() and is_handle(token)

    def is_mention(handle: str) -> bool:
        return handle[1:].lower() not in no_names

    announced = rf"(?<!\w){any_of((network, pseudonym))}"
    little = any_of((*handles.between, network, pseudonym))
    filler = rf"(?:{_GAP}{little}(?!\w)){{0,4}}"
    link = any_of(handles.links)
    joined = rf"(?:{_EQUALS}|{_SPACE}{link}(?:{_EQUALS}|{_SPACE}))"
    words_before = r"(?: [^\W\d_]{1,15}(?= )){0,2}?"
    adding = rf"{any_of(handles.adding)} (?:{any_of(handles.behind)} ){{0,2}}"
    end = r"(?![\w@'’-]|\.\w)"
    gate = first_words(handles.networks + handles.pseudonyms)
    return (
        Recogniser(
            "mention",
            Kind.PSD,
            re.compile(_MENTION),
            gate="@",
            check=is_mention,
            score=0.85,
            trim=".-",
        ),
        Recogniser(
            "handle",
            Kind.PSD,
            re.compile(
                rf"(?i:{announced}(?!\w){filler}{words_before}{_GAP}(?P<found>{_MARKED}){end})"
            ),
            gate=gate,
            check=is_marked,
            score=0.91,  # Above a web address: juju.bzh.
        ),
        Recogniser(
            "handle_said",
            Kind.PSD,
            re.compile(rf"(?i:{announced}(?!\w){filler}{joined}(?P<found>{_HANDLE}){end})"),
            gate=gate,
            check=is_handle,
            score=0.75,
        ),
        Recogniser(
            "handle_to_add",
            Kind.PSD,
            re.compile(rf"(?i:(?<!\w){adding}{network}{_GAP}(?P<found>{_HANDLE}){end})"),
            gate=gate,
            check=is_handle,
            score=0.75,
        ),
        Recogniser(
            "handle_before",
            Kind.PSD,
            re.compile(
                rf"(?i:(?<![\w.@/#-])(?P<found>{_HANDLE})(?![\w@'’-])[ ,:]{{1,3}}"
                rf"(?:{any_of(handles.behind)}[ '’]){{1,3}}{announced}(?!\w))"
            ),
            gate=gate,
            check=is_marked,
            score=0.75,
        ),
        Recogniser(
            "tagged_handle",
            Kind.PSD,
            re.compile(_TAG),
            gate=r"#\d{4}",
            score=0.8,
        ),
        Recogniser(
            "reddit",
            Kind.PSD,
            re.compile(_REDDIT),
            gate=r"u/\w",
            score=0.8,
        ),
        Recogniser(
            "friend_code",
            Kind.PSD,
            re.compile(_FRIEND_CODE),
            gate="sw(?![a-z])",
            score=0.9,
        ),
    )
