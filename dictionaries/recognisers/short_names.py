"""Names of one to three letters, and initials, known by their place in a message.

Nearly any word of so few letters is a word of text messages, too: *J.*, *Yo* and *Th* are names
behind a farewell, at the end, where a message or a caller introduces itself, or where somebody is
greeted. Longer names are left to the evidence of words.
"""

from triage.dictionaries.kinds import Kind
from triage.dictionaries.normal import fold
from triage.dictionaries.pack import NEVER, Pack
from triage.dictionaries.recognisers.compiled import Expression, compiled
from triage.dictionaries.recognisers.gates import CAPITAL, Texts, atoms_of, needs_of
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
# Shapes: a word of three letters at most with a capital, a capital alone; the last of a piece.
_SHORT, _INITIAL = r"(?<!\w)A[Aa]{0,2}(?![\w'’])", r"(?<!\w)A(?![\w'’+])"
_SHORT_LAST, _ANY_LAST = r"(?<!\w)A[Aa]{0,2}[^Aa\n]*+$", r"(?<!\w)[Aa]{1,3}[^Aa\n]*+$"
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
    greets = rf"{_BEGINS}{greeting}"
    does_or_dot = _edge(f"(?i:{does})", 0) | {f"{CAPITAL}."}
    first = rf"{_BEGINS}{_NO_MOUTH}{initial}(?:\.(?= {_LETTER})|(?i:(?= {does})))"
    beginning = Place(r"^[^\w\n]*+A\.?$", does_or_dot, 1)
    by = rf"(?<![\w'’-])(?P<by>{_CAPITAL}{_SURNAME})"
    titles = rf"(?<!\w)(?i:{any_of(given.titles)})"
    signature = rf"{signs_off}{_SIGNS}{_NO_MOUTH}{found}{_END}"
    near_initial = Place(r"(?<!\S)A(?:[.,;:!)]|(?!\S))", r"A[Aa]+(?:-[Aa]+)?(?!\S)")
    rows: list[tuple[str, str, Place | None]] = [
        ("signature_behind_sign", signature, Place(_ANY_LAST)),
        ("signature", rf"{signs_off} {capital}{_END}", Place(_SHORT_LAST)),
        ("signature_behind_dash", rf"(?<=\s)[-–—]\s?{capital}{_END}", Place(_SHORT_LAST)),
        (
            "introduction",
            rf"{introduces} ?{capital}(?=[.,!:;\n]|\s?\Z)",
            Place(_SHORT, _edge(introduces, -1)),
        ),
        ("greeted", rf"{greets} {capital}(?=[.,!?\n]|\s?\Z)", Place(_SHORT, _edge(greets, -1))),
        (
            "initial",
            rf"(?<!\b{_LETTER} ){beside} {initial}",
            Place(_INITIAL, _edge(beside, -1)),
        ),
        ("initial_first", first if given.behind_initials else NEVER, beginning),
        ("surname_initial", rf"{by} {initial}(?=\s?(?:[.,;:!)\n]|\Z))", near_initial),
        ("titled", rf"{titles}\.? (?P<{FOUND}>{_SURNAME})(?![\w'’])", None),
    ]
    checks = {"signature_behind_sign": is_name_or_no_word, "titled": is_surname}
    announcers = {"surname_initial": said.is_first_name}
    return tuple(
        Recogniser(
            name,
            Kind.NAME,
            made.form,
            made.gates,
            check=checks.get(name, is_name),
            announcer=announcers.get(name),
            score=0.7,
            place=place,
        )
        for (name, form, place), made in zip(
            rows, compiled([Expression(form) for _, form, _ in rows]), strict=True
        )
        if made.can_match
    )


def _edge(expression: str, at: int) -> Texts:
    """Return what to look for where an expression begins (0) or ends (-1)."""
    needs = needs_of(expression)
    return atoms_of(needs.sets[at]) if needs else frozenset()
