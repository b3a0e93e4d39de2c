"""Names of one to three letters, and initials, known by their place in a message.

Nearly any word of so few letters is a word of text messages, too: *J.*, *Yo* and *Th* are names
behind a farewell, at the end, where a message or a caller introduces itself, or where somebody is
greeted. Longer names are left to the evidence of words.
"""

import re
from collections.abc import Callable

from triage.dictionaries.kinds import Kind
from triage.dictionaries.normal import fold
from triage.dictionaries.pack import Pack
from triage.dictionaries.recognisers.known import known_words
from triage.dictionaries.recognisers.recogniser import FOUND, Place, Recogniser, any_of

_LETTER, _CAPITAL = r"[^\W\d_]", r"(?=[^\W\d_a-zà-öø-ÿ])"
_SURNAME = rf"{_LETTER}{{2,20}}+(?:-{_LETTER}{{2,20}}+)?+"
_INITIALS = rf"{_CAPITAL}{_LETTER}(?:[. -]{{1,2}}+{_CAPITAL}{_LETTER})?"
_NAME = rf"(?:{_LETTER}{{2,3}}|{_INITIALS}|{_LETTER})(?![\w'’])"
# Not the mouth of a smiley.
_NO_MOUTH = "(?<![:;=8'’´`^-])"
# Behind the last word stand signs at most, no smiley made of them and of the word.
_END = r"(?!\s?[+)(\]-])\s{0,2}+[^\w?]{0,12}+(?:(?<=<)3[^\w?]{0,4}+)?+\Z"
# As gates: a word of three letters at most with a capital, a capital alone; as the last of a piece.
_SHORT = rf"(?<!\w){_CAPITAL}{_LETTER}{{1,3}}(?!\w)"
_INITIAL = rf"(?<!\w){_CAPITAL}{_LETTER}(?!\w)"
_SHORT_LAST = rf"(?<!\w){_CAPITAL}{_LETTER}{{1,3}}(?:[^\w\n]|[\d_])*+$"
_ANY_LAST = rf"(?<!\w){_LETTER}{{1,3}}(?:[^\w\n]|[\d_])*+$"
_SIGNS = r"\s{0,2}+(?:\n\s{0,3}+|[^\w\s?]{1,6}+(?:(?<=<)3)?+\s{0,3}+)"
_BEGINS = r"(?:^|[.!?,;:\n])\s{0,3}+"


def recognisers(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recognisers of short names."""
    given = pack.signatures
    said, no_names = known_words(pack), given.no_names

    def is_name(found: str) -> bool:
        return fold(found) not in no_names

    def is_surname(found: str) -> bool:
        if said.is_common(found):
            return False
        return found[0].isupper() or said.is_last_name(found)

    def is_name_or_no_word(found: str) -> bool:
        is_sure = found[0].isupper() or len(found) == 1
        return is_name(found) and (is_sure or not said.is_ordinary(found))

    def short(
        name: str,
        form: str,
        gate: str,
        capitals: str = _SHORT,
        place: Place | None = Place.BESIDE,
        check: Callable[[str], bool] = is_name,
        announcer: Callable[[str], bool] | None = None,
    ) -> Recogniser:
        return Recogniser(
            name,
            Kind.NAME,
            re.compile(form),
            gate=gate,
            capitals=capitals,
            check=check,
            announcer=announcer,
            score=0.7,
            place=place,
        )

    signs_off = rf"(?<!\w)(?i:{given.farewells})(?: {_LETTER}[\w'’]{{0,11}}+){{0,3}}"
    greeting = rf"(?i:{given.greetings})"
    introduces = rf"{_BEGINS}(?:{greeting}(?: {_LETTER}{{1,12}})?,? )?(?i:{given.introductions})"
    beside = rf"(?<!\w)(?i:{any_of(given.beside)})"
    found = rf"(?P<{FOUND}>{_NAME})"
    capital = rf"(?P<{FOUND}>{_CAPITAL}{_NAME})"
    # Neither a title nor the first of two letters: "de A à Z".
    initial = (
        rf"(?P<{FOUND}>{_CAPITAL}{_LETTER}(?![\w'’+]))"
        rf"(?!\.? ?{_CAPITAL}\w| {_LETTER} {_CAPITAL}{_LETTER}(?!\w))"
    )
    does = any_of(given.behind_initials)
    return (
        short(
            "signature_behind_sign",
            rf"{signs_off}{_SIGNS}{_NO_MOUTH}{found}{_END}",
            given.gate,
            _ANY_LAST,
            Place.LAST,
            check=is_name_or_no_word,
        ),
        short("signature", rf"{signs_off} {capital}{_END}", given.gate, _SHORT_LAST, Place.LAST),
        short(
            "signature_behind_dash",
            rf"(?<=\s)[-–—]\s?{capital}{_END}",
            "^[-–—]",
            _SHORT_LAST,
            Place.LAST,
        ),
        short(
            "introduction",
            rf"{introduces} ?{capital}(?=[.,!:;\n]|\s?\Z)",
            given.introduction_gate,
        ),
        short(
            "greeted",
            rf"(?:{_BEGINS}){greeting} {capital}(?=[.,!?\n]|\s?\Z)",
            rf"(?<!\w){greeting}(?!\w)",
        ),
        short("initial", rf"(?<!\b{_LETTER} ){beside} {initial}", _gate(given.beside), _INITIAL),
        short(
            "initial_first",
            rf"{_BEGINS}{_NO_MOUTH}{initial}(?:\.(?= {_LETTER})|(?i:(?= {does})))",
            given.initial_gate,
            _INITIAL,
            place=None,
        ),
        short(
            "surname_initial",
            rf"(?<![\w'’-])(?P<by>{_CAPITAL}{_SURNAME}) {initial}(?=\s?(?:[.,;:!)\n]|\Z))",
            r"(?<!\w)[a-z](?!\w)",
            _INITIAL,
            announcer=said.is_first_name,
        ),
        Recogniser(
            "titled",
            Kind.NAME,
            re.compile(rf"(?<!\w)(?i:{any_of(given.titles)})\.? (?P<{FOUND}>{_SURNAME})(?![\w'’])"),
            gate=_gate(given.titles),
            check=is_surname,
            score=0.7,
        ),
    )


def _gate(words: tuple[str, ...]) -> str:
    return rf"(?<!\w){any_of([word.rpartition(' ')[2] for word in words])}(?!\w)"
