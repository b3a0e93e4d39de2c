"""Hostile and ordinary messages through split, label, decide, find and replace.

What must hold of any text is asserted of each message; `run` goes on for as long as it is told and
counts what it has tried.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from random import Random

import triage
from tests.dictionaries.splitting import split
from triage import Triage
from triage.anonymise.entities import Spelling, StyleContext
from triage.anonymise.plan import Plan
from triage.anonymise.run import replaced
from triage.anonymise.styles import Style, make_style
from triage.decide.find import Found, Judged, find
from triage.decide.pipeline import Decisions
from triage.dictionaries import Kind, LabelledMessages
from triage.dictionaries.normal import folded
from triage.dictionaries.recognisers import shipped
from triage.settings import Ambiguous, StyleName, Treatment
from triage.vocabulary import Action

BATCH = 40
KEY = b"\1" * 32
_LONG = 1_000_000
_LONG_IN = 100  # batches

_SAID = (
    "coucou Patrice jtaime chez pierre bisous mdrrr Zoé c'est nico aujourd'hui p'tit-déj Jean-Luc "
    "à le de en rue saint code MAMAN xD :) <3 18h30 12,50€ 3 2m1 http:// www. @ . , ? «"
)
_WORDS = _SAID.split()
_ADDRESSES = (
    "12 bis rue Foch 34000 montpelier le",
    "14 chemin de l'Étang, bât B 30000 Nîmes cedex 9",
    "résidence Le Parc appt 12 75011 Paris 11e",
    "BP 12 97400 Saint-Denis de la Réunion",
    "2 grand'rue d'en haut 34000 castelnau-le-lez",
)
_FORMS = (
    "lola@exemple.fr",
    "http://exemple.fr/a?b=c)",
    "le code c'est 45B78",
    "<PRE_7>",
    "<ADR_LIE_21>",
    "<PRE_",
    "+32 475 12 34 56",
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
_RANGES = (
    *((0x00, 0x20), (0x20, 0x7F), (0x80, 0x180), (0x300, 0x370), (0x370, 0x600), (0x600, 0x700)),
    *((0x900, 0xA00), (0x1100, 0x1200), (0x2000, 0x2070), (0x20D0, 0x2100), (0x2460, 0x2500)),
    *((0x2600, 0x27C0), (0x3000, 0x3100), (0xD800, 0xE000), (0xFE00, 0xFE10), (0xFF00, 0xFFF0)),
    *((0x1D400, 0x1D800), (0x1F300, 0x1FB00), (0xE0000, 0xE0080), (0x10000, 0x110000)),
)


def telephone(random: Random) -> str:
    """Return a French number, with one separator and one kind of digits throughout."""
    digits, separator = random.choice(_DIGITS), random.choice(_SEPARATORS)
    pairs = ["0" + random.choice("12345679"), *(f"{random.randrange(100):02}" for _ in range(4))]
    written: str = separator.join(pairs)
    return written.translate({ord(str(i)): digit for i, digit in enumerate(digits)})


def _cut(random: Random, text: str) -> str:
    return text[: random.randrange(len(text) + 1)]


def _signs(random: Random) -> str:
    low, high = random.choice(_RANGES)
    return "".join(chr(random.randrange(low, high)) for _ in range(random.randrange(1, 6)))


def _form(random: Random) -> str:
    form = random.choice(_FORMS)
    return form if random.random() < 0.5 else _cut(random, form)


def _number(random: Random) -> str:
    pieces = [str(random.randrange(10 ** random.randrange(1, 6))) for _ in range(6)]
    separator: str = random.choice(_SEPARATORS)
    return separator.join(pieces[: random.randrange(1, 7)])


def _word(random: Random) -> str:
    return random.choice(_WORDS)


def _stretched(random: Random) -> str:
    word = _word(random)
    at = random.randrange(len(word))
    return word[:at] + word[at] * random.randrange(2, 40) + word[at:]


def _unseen_inside(random: Random) -> str:
    word = random.choice((_word, _form, telephone))(random)
    at = random.randrange(len(word) + 1)
    return word[:at] + random.choice(_UNSEEN) + word[at:]


_PIECES: tuple[Callable[[Random], str], ...] = (
    _word,
    _word,
    _signs,
    _form,
    _number,
    telephone,
    _stretched,
    _unseen_inside,
    lambda random: _cut(random, random.choice(_ADDRESSES)),
    lambda random: random.choice(_EMOJI),
)


def message(random: Random) -> str:
    """Return a message put together of some pieces, with or without spaces between them."""
    pieces = [random.choice(_PIECES)(random) for _ in range(random.randrange(9))]
    return random.choice((" ", " ", "", "\n", "\u00a0")).join(pieces)


def long_message(random: Random, length: int) -> str:
    """Return one piece as often as fills this length."""
    piece = random.choice(_PIECES)(random) or "a"
    return piece * (length // len(piece))


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


def check_decisions(pipeline: Triage, messages: Sequence[str], decided: Decisions) -> None:
    """Assert that messages are decided the same again, and each the same alone."""
    rows = list(decided.rows())
    assert list(pipeline.decide(messages).rows()) == rows
    for text, row in zip(messages, rows, strict=True):
        assert list(pipeline.decide([text]).rows()) == [row]


def check_replaced(text: str, found: Found, style: Style) -> str:
    """Assert that nothing but what was found is replaced, and return what is written."""
    pairs = [(i, style(Spelling(text[i.start : i.end], i.type))) for i in found.identifiers]
    check_spans(text, [(i.start, i.end) for i, _ in pairs])
    written = replaced(text, pairs)
    at = before = 0
    for identifier, replacement in pairs:
        kept = text[before : identifier.start]
        assert written.startswith(kept + replacement, at)
        at, before = at + len(kept) + len(replacement), identifier.end
    assert written[at:] == text[before:]
    return written


def check_batch(pipeline: Triage, messages: Sequence[str]) -> Counter[str]:
    """Assert of some messages what holds of all, and count what was met."""
    scored = pipeline.score(pipeline.labeller.label(messages), [""] * len(messages))
    words = scored.labelled.words
    check_words(messages, scored.labelled)
    decided = pipeline.decide(messages)
    check_decisions(pipeline, messages, decided)
    found = find(scored, [Judged(action) for action in decided.action], Ambiguous.MASK)
    spellings = Counter(
        Spelling(text[i.start : i.end], i.type)
        for text, one in zip(messages, found, strict=True)
        for i in one.identifiers
    )
    corpus_words = {folded(form.text) for form in words.forms}
    context = StyleContext(pipeline.lexicon, KEY, spellings, corpus_words)
    for name in StyleName:
        style = make_style(Plan(Treatment(style=name)), context)
        for text, one in zip(messages, found, strict=True):
            check_replaced(text, one, style)
    counts = Counter(messages=len(messages), words=len(words.form))
    counts["identifiers"] = sum(len(one.identifiers) for one in found)
    counts.update(f"action {action}" for action in decided.action)
    return counts


def check_telephone(random: Random) -> None:
    """Assert that a number between ordinary words is found whole, whatever separates its digits."""
    number = telephone(random)
    text = f"appelle le {number} stp"
    assert [word.text for word in split(text) if word.kind is Kind.TEL] == [number], ascii(text)


def check_long(pipeline: Triage, random: Random, length: int = _LONG) -> None:
    """Assert that a long message is decided, and its identifiers stand in order."""
    text = long_message(random, length)
    check_spans(text, [(span.start, span.end) for span in shipped("fr").find(text)])
    scored = pipeline.score(pipeline.labeller.label([text]), [""])
    check_words([text], scored.labelled)
    [found] = find(scored, [Judged(Action.TA)], Ambiguous.MASK)
    check_spans(text, [(i.start, i.end) for i in found.identifiers])


def run_batch(name: str, pipeline: Triage) -> Counter[str]:
    """Try the messages of one batch, which its name tells."""
    random = Random(name)
    try:
        check_telephone(random)
        counts = check_batch(pipeline, [message(random) for _ in range(BATCH)])
        if random.randrange(_LONG_IN) == 0:
            check_long(pipeline, random)
            counts["long"] += 1
    except Exception as error:
        raise AssertionError(f"batch {name}: {error!r}") from error
    return counts + Counter(batches=1, telephones=1)


def run(seconds: float, seed: int, pipeline: Triage | None = None) -> dict[str, int]:
    """Try messages for some seconds and return what was tried, counted."""
    pipeline = pipeline or triage.shared()
    counts: Counter[str] = Counter()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        counts.update(run_batch(f"{seed}:{counts['batches']}", pipeline))
    return dict(counts)
