"""Hostile and ordinary messages through split, label, decide, find and replace: what holds of any.

``make fuzz`` tries many more of them.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from hypothesis import strategies as st

from tests.dictionaries.splitting import split
from triage import Triage
from triage.anonymise.entities import Spelling, StyleContext
from triage.anonymise.plan import Plan
from triage.anonymise.run import replaced
from triage.anonymise.styles import Style, make_style
from triage.decide.find import Found, Judged, find
from triage.dictionaries import Kind, LabelledMessages
from triage.dictionaries.normal import folded
from triage.dictionaries.recognisers import shipped
from triage.settings import Ambiguous, StyleName, Treatment
from triage.vocabulary import Action

KEY = b"\1" * 32

_SAID = (
    "coucou Patrice jtaime chez pierre bisous mdrrr Zoé c'est nico aujourd'hui p'tit-déj Jean-Luc "
    "à le de en rue saint code MAMAN xD :) <3 18h30 12,50€ 3 2m1 http:// www. @ . , ? «"
)
_ADDRESSES = (
    "12 bis rue Foch 34000 montpelier le",
    "14 chemin de l'Étang, bât B 30000 Nîmes cedex 9",
    "résidence Le Parc appt 12 75011 Paris 11e",
    "BP 12 97400 Saint-Denis de la Réunion",
    "2 grand'rue d'en haut 34000 castelnau-le-lez",
)
_FORMS = (
    *("lola@exemple.fr", "http://exemple.fr/a?b=c)", "le code c'est 45B78", "+32 475 12 34 56"),
    *("<PRE_7>", "<ADR_LIE_21>", "<PRE_"),
)
_SEPARATORS: tuple[str, ...] = (
    *("", " ", "  ", ".", "-", "/", "_", "·", " - ", "\t", "\n", "\r\n"),
    *"\u00a0\u202f\u2011\u2013\u2009\u3000\u200b\u200d\u2060\ufeff\u00ad\u200e\u2028",
)
_DIGITS = ("0123456789", "０１２３４５６７８９", "٠١٢٣٤٥٦٧٨٩", "𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗")
_EMOJI = (
    *("👨\u200d👩\u200d👧", "👍🏽", "🇫🇷", "1\ufe0f\u20e3", "❤\ufe0f"),
    *("🏴\U000e0067\U000e007f", "😂"),
)
_UNSEEN = (
    "\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2069\u2060"
    "\ufeff\u00ad"
)
# Controls, letters, marks that combine, scripts, signs, halves of characters, what is unseen.
_RANGES = (
    *((0x00, 0x20), (0x20, 0x7F), (0x80, 0x180), (0x300, 0x370), (0x370, 0x600), (0x600, 0x700)),
    *((0x900, 0xA00), (0x1100, 0x1200), (0x2000, 0x2070), (0x20D0, 0x2100), (0x2460, 0x2500)),
    *((0x2600, 0x27C0), (0x3000, 0x3100), (0xD800, 0xE000), (0xFE00, 0xFE10), (0xFF00, 0xFFF0)),
    *((0x1D400, 0x1D800), (0x1F300, 0x1FB00), (0xE0000, 0xE0080), (0x10000, 0x110000)),
)


def _telephone(digits: str, separator: str, first: str, pairs: Sequence[int]) -> str:
    written = separator.join([f"0{first}", *(f"{pair:02}" for pair in pairs)])
    return written.translate({ord(str(i)): digit for i, digit in enumerate(digits)})


def _put_in(text: str, sign: str, at: int) -> str:
    at %= len(text) + 1
    return text[:at] + sign + text[at:]


def _stretched(word: str, at: int, n: int) -> str:
    return _put_in(word, word[at % len(word)] * n, at % len(word))


_WORD, _FORM = st.sampled_from(_SAID.split()), st.sampled_from(_FORMS)
_SEPARATOR, _PLACE = st.sampled_from(_SEPARATORS), st.integers(0, 99)
# French numbers, with one separator and one kind of digits throughout.
TELEPHONE = st.builds(
    _telephone,
    st.sampled_from(_DIGITS),
    _SEPARATOR,
    st.sampled_from("12345679"),
    st.lists(st.integers(0, 99), min_size=4, max_size=4),
)
_SIGNS = st.sampled_from(_RANGES).flatmap(
    lambda ends: st.text(
        st.characters(min_codepoint=ends[0], max_codepoint=ends[1] - 1), max_size=5
    )
)
_NUMBER = st.builds(
    lambda sign, numbers: sign.join(map(str, numbers)),
    _SEPARATOR,
    st.lists(st.integers(0, 99_999), min_size=1, max_size=6),
)
PIECE = st.one_of(
    _WORD,
    _SIGNS,
    _FORM,
    _NUMBER,
    TELEPHONE,
    st.sampled_from(_EMOJI),
    st.builds(_stretched, _WORD, _PLACE, st.integers(1, 40)),
    st.builds(_put_in, _WORD | _FORM | TELEPHONE, st.sampled_from(_UNSEEN), _PLACE),
    st.builds(lambda text, n: text[:n], st.sampled_from(_ADDRESSES) | _FORM, st.integers(0, 60)),
)
MESSAGE = st.builds(
    str.join, st.sampled_from((" ", " ", "", "\n", "\u00a0")), st.lists(PIECE, max_size=8)
)


def check_words(messages: Sequence[str], labelled: LabelledMessages) -> None:
    """Assert that the words of messages stand where they say, in order, and white space between."""
    found: list[list[tuple[int, int]]] = [[] for _ in messages]
    words = labelled.words
    columns = (words.message, words.start, words.form)
    for at, start, form in zip(*(column.tolist() for column in columns), strict=True):
        text = words.forms[form].text
        assert text
        assert messages[at][start : start + len(text)] == text
        found[at].append((start, start + len(text)))
    for text, spans in zip(messages, found, strict=True):
        check_spans(text, spans)
        between = zip(
            [0, *(end for _, end in spans)], [*(s for s, _ in spans), len(text)], strict=True
        )
        assert not "".join(text[a:b] for a, b in between).strip()


def check_spans(text: str, spans: Iterable[tuple[int, int]]) -> None:
    """Assert that spans lie within a text, in order, and do not overlap."""
    spans = list(spans)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))


def check_replaced(text: str, found: Found, style: Style) -> None:
    """Assert that nothing but what was found is replaced."""
    pairs = [(i, style(Spelling(text[i.start : i.end], i.type))) for i in found.identifiers]
    check_spans(text, [(i.start, i.end) for i, _ in pairs])
    written = replaced(text, pairs)
    at = before = 0
    for identifier, replacement in pairs:
        kept = text[before : identifier.start]
        assert written.startswith(kept + replacement, at)
        at, before = at + len(kept) + len(replacement), identifier.end
    assert written[at:] == text[before:]


def check_messages(pipeline: Triage, messages: Sequence[str]) -> None:
    """Assert of some messages what holds of all."""
    scored = pipeline.score(pipeline.labeller.label(messages), [""] * len(messages))
    check_words(messages, scored.labelled)
    decided = pipeline.decide(messages)
    # Each is decided the same again, and alone.
    rows = list(decided.rows())
    assert list(pipeline.decide(messages).rows()) == rows
    assert [list(pipeline.decide([text]).rows()) for text in messages] == [[row] for row in rows]
    found = find(scored, [Judged(action) for action in decided.action], Ambiguous.MASK)
    spellings = Counter(
        Spelling(text[i.start : i.end], i.type)
        for text, one in zip(messages, found, strict=True)
        for i in one.identifiers
    )
    corpus_words = {folded(form.text) for form in scored.labelled.words.forms}
    context = StyleContext(pipeline.lexicon, KEY, spellings, corpus_words)
    for name in StyleName:
        style = make_style(Plan(Treatment(style=name)), context)
        for text, one in zip(messages, found, strict=True):
            check_replaced(text, one, style)


def check_telephone(number: str) -> None:
    """Assert that a number between ordinary words is found whole, whatever separates its digits."""
    text = f"appelle le {number} stp"
    assert [word.text for word in split(text) if word.kind is Kind.TEL] == [number], ascii(text)


def check_long(pipeline: Triage, text: str) -> None:
    """Assert that a long message is decided, and its identifiers stand in order."""
    check_spans(text, [(span.start, span.end) for span in shipped("fr").find(text)])
    scored = pipeline.score(pipeline.labeller.label([text]), [""])
    check_words([text], scored.labelled)
    [found] = find(scored, [Judged(Action.TA)], Ambiguous.MASK)
    check_spans(text, [(i.start, i.end) for i in found.identifiers])
