"""A lexicon so small that a test can say what each word is, and messages of its words."""

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import strategies as st

from triage.dictionaries import LabelledMessages, Lexicon, Role, WordList, label_messages

T = TypeVar("T")

LEXICON = Lexicon(
    [
        WordList("common_first_names", Role.FEATURE, ("lola", "patrice")),
        WordList("commonest_first_names", Role.FEATURE, ("patrice",)),
        WordList("commonest_forms", Role.FEATURE, ("je", "chez", "coucou")),
        WordList("first_names", Role.DICTIONARY, ("lola", "mathilde", "patrice", "pierre", "zoé")),
        WordList("frequent_forms", Role.FEATURE, ("je", "chez", "coucou", "vois", "demain")),
        WordList(
            "inflected_forms",
            Role.ANTI_DICTIONARY,
            ("avec", "chez", "coucou", "crayon", "demain", "je", "mange", "pierre", "vois"),
        ),
        WordList("last_names", Role.DICTIONARY, ("durandeau",)),
        WordList("pronouns", Role.FEATURE, ("je",)),
        WordList("sms_forms", Role.ANTI_DICTIONARY, ("bcp", "cours", "slt")),
    ]
)

NAMES = (
    *("Patrice", "Lola", "zoé", "Zorbulina", "MATHILDE"),
    *("Durandeau", "Pierre", "patrcie", "patrixe"),
)
ORDINARY = ("je", "vois", "Chez", "crayon", "COUCOU", "demain", "slt", "Avec", "kfé")
SIGNS = (",", ".", "!!", "...", ":)", "😂", "18h30", "12", "<PRE_7>", "0639981234", "\n")
WORDS = (*NAMES, *ORDINARY, *SIGNS)

MESSAGE = st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join)
MESSAGES = st.lists(MESSAGE, max_size=6)

# Whatever people, programs and broken files put into a message.
HOSTILE = {
    "no messages": [],
    "an empty message": [""],
    "white space alone": [" ", "\n\n", "\t"],
    "a message without words between two others": ["Coucou Zoé", "", "je vois Lola"],
    "signs alone": ["!!! ... ,"],
    "emoji": ["😂😂 👩‍👩‍👧 🇫🇷 Zoé 👍🏽"],
    "line breaks of all sorts": ["Coucou\r\nZoé\n\n\nLola\u2028Patrice\u0085je\x0b"],
    "lone surrogates": ["\ud800", "Zoé\udfff \ud83d\nLola", "\udc00Zoé"],
    "a zero character": ["Zoé\x00Lola"],
    "combining accents": ["zoe\u0301 \u0301\u0301 e\u0301e\u0301e\u0301"],
    "other scripts": ["Зоя 中文 ذهب ١٢ ǅ ﬁn 𝐀𝐁"],
    "a word of 100,000 letters": ["Coucou " + "Zorbu" * 20_000],
    "a run of 100,000 times one letter": ["z" * 100_000],
}
LONG = "Coucou Zoé, je vois Zorbulina!\n" * 3_000  # 93 kB


def label(*messages: str) -> LabelledMessages:
    return label_messages(messages, LEXICON)


def texts(labelled: LabelledMessages) -> list[str]:
    return [labelled.words.forms[form].text for form in labelled.words.form]


def cut(items: Sequence[T], sizes: Sequence[int]) -> list[Sequence[T]]:
    chunks, at = [], 0
    for size in sizes:
        chunks.append(items[at : at + size])
        at += size
    return [*chunks, items[at:]]
