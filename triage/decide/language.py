"""The language of messages, told by the very common words of each pack."""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from itertools import islice

from triage.dictionaries.lists import read_words
from triage.dictionaries.normal import folded
from triage.dictionaries.pack import FRENCH, PACKS, load_pack, shipped_languages

from ..errors import warn
from ..settings import Setup, settings_of

N_MESSAGES = 1_000
_WORD = re.compile(r"[^\W\d_]{2,30}")
_LONGEST = 2_000
# A language is told where so many of its words are very common ones, and another one than French
# where it has so many more of them. Of any 15 messages of 88milSMS 64 % and more are French ones,
# of the NUS corpus 30 % at most.
_SURE, _MORE = 0.4, 1.25
# Fewer distinct words tell another language if so many are its common ones, and so many more. Of
# single messages of 88milSMS .2 % are told to be English, of the NUS corpus 56 %, of any five 99 %.
_MIN_WORDS, _MIN_COMMON, _MUCH_MORE = 50, 4, 2


def guess_language(messages: Iterable[str], option: str = "--language") -> tuple[str, str]:
    """Guess the language of messages by their first thousand, and tell what a user should know."""
    texts = (message[:_LONGEST] for message in islice(messages, N_MESSAGES))
    spellings = Counter(word for text in texts for word in _WORD.findall(text))
    words = Counter[str]()
    for word, n in spellings.items():
        words[folded(word)] += n
    common = {language: words.keys() & _common_words(language) for language in shipped_languages()}
    shares = {
        language: sum(words[word] for word in common_words) / (words.total() or 1)
        for language, common_words in common.items()
    }
    best = max(shares, key=lambda language: (shares[language], language == FRENCH))
    are_few = len(words) < _MIN_WORDS
    is_other = (
        best != FRENCH and shares[best] >= (_MUCH_MORE if are_few else _MORE) * shares[FRENCH]
    )
    if are_few:
        is_other = is_other and shares[best] >= _SURE and len(common[best]) >= _MIN_COMMON
    if not is_other and (are_few or shares[best] >= _SURE):
        return FRENCH, ""
    names = {language: load_pack(language).pack.name or language for language in shares}
    common_words = ", ".join(f"{share:.0%} {names[one]}" for one, share in shares.items())
    if shares[best] < _SURE:
        return FRENCH, (
            "the messages look like no language of which there is a pack (of their words "
            f"{common_words}); they are decided as {names[FRENCH]}: give {option}, such as "
            "the folder of your own pack, or none"
        )
    return best, (
        f"the messages are decided as {names[best]} (of their words {common_words}); "
        f"another language is chosen with {option}"
    )


def chosen_language(
    language: str | None,
    messages: Iterable[str],
    say: Callable[[str], object] = warn,
    option: str = "language",
) -> str:
    """Return the language that a caller named, else a guess, which is said if it is not French."""
    if language:
        return str(settings_of(Setup)["language"].checked(language, option))
    language, note = guess_language(messages, option)
    say(note)
    return language


@cache
def _common_words(language: str) -> frozenset[str]:
    # A language is known by its very common words.
    path = PACKS / language / "commonest_forms" / "items.txt"
    words = read_words(path, may_be_empty=True) if path.exists() else ()
    return frozenset(map(folded, words))
