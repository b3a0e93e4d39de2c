"""Postal addresses by a conditional random field over words (Lecointe 2018, section 3.2.2).

Features are those of the thesis: a word's case, signs and digits, its length, its "code" (``12bis``
is ``ca``), its last letters, whether it is a type of street or announces an address; lists of
towns and names stand in for parts of speech. The words of a street's name are no features, since
those of invented streets do not generalise.

It learns from invented messages (`made_addresses.toml`), varied as hers were (section 3.1.2): types
abbreviated, case and punctuation changed, parts left out; between sentences of a Markov chain.
"""

import csv
import random
import re
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, groupby, islice, pairwise
from pathlib import Path
from typing import NamedTuple

from triage import data
from triage.dictionaries import Lexicon
from triage.dictionaries.address_words import KnownWords, Tokens
from triage.dictionaries.normal import fold
from triage.dictionaries.pack import FRENCH, load_pack
from triage.reports.span_measures import Span

from .crf import Crf, Token, labels_of

SEED = 88
N_WITH, N_WITHOUT = 5000, 9000
TEMPLATES = tomllib.loads(Path(__file__).with_name("made_addresses.toml").read_text("utf-8"))
# Lists of dictionaries that fill the templates.
_FROM_LISTS = {"city": "cities", "first_name": "first_names", "last_name": "last_names"}
# Lecointe took 0; a little leaves out uninformative features.
_C1 = 0.05

# The messages that it is compared on are French.
_WORDS = load_pack(FRENCH).addresses
_OFFSETS = (-3, -2, -1, 1, 2, 3)
_GROUPS = {
    "street type": _WORDS.street_types,
    "weak street type": _WORDS.weak_street_types,
    "complement": _WORDS.complements,
    "residence": _WORDS.residences,
    "box": _WORDS.boxes,
    "trigger": _WORDS.triggers,
    "link": _WORDS.links,
    "title": _WORDS.titles,
    "month": _WORDS.months,
    "suffix": _WORDS.suffixes,
    "unit": _WORDS.units,
}
# Words that are features by themselves; others count by their shape and their lists.
_OWN = frozenset(TEMPLATES["own"]).union(*_GROUPS.values())

_BRACES = re.compile(r"\{([^{}]*)\}")
_RANGE = re.compile(r"(\d+)-(\d+)")
_EDGE = re.compile("[⟨⟩]")
# As it is, in lower case, without accents, in capitals: shares in percent.
_WRITINGS: dict[Callable[[str], str], int] = {str: 45, str.lower: 20, fold: 32, str.upper: 3}
_LONGEST_SENTENCE = 40


class Made(NamedTuple):
    """A made message and its addresses."""

    text: str
    spans: list[Span]


class Maker:
    """Makes messages from templates: a seed gives the same messages everywhere."""

    def __init__(self, templates: Mapping[str, Sequence[str]], seed: int) -> None:
        self._templates = templates
        self._draw = random.Random(seed)  # noqa: S311

    def message(self, name: str = "message") -> Made:
        """Make a message from a template of a list, written in one way from end to end."""
        (write,) = self._draw.choices([*_WRITINGS], [*_WRITINGS.values()])
        parts = [write(part) for part in _EDGE.split(self._filled(f"{{{name}}}"))]
        edges = list(accumulate(map(len, parts)))
        spans = [(*ends, "ADR") for ends in zip(edges[::2], edges[1::2], strict=False)]
        return Made("".join(parts), spans)

    def _filled(self, template: str) -> str:
        unfilled = 1
        while unfilled:
            template, unfilled = _BRACES.subn(self._drawn, template)
        return template

    def _drawn(self, braces: re.Match[str]) -> str:
        inside: str = braces[1]
        if numbers := _RANGE.fullmatch(inside):
            return str(self._draw.randint(int(numbers[1]), int(numbers[2])))
        return self._draw.choice(inside.split("|") if "|" in inside else self._templates[inside])


def markov_chain(texts: Iterable[str], seed: int) -> Iterator[str]:
    """Yield sentences without end in which each word follows the one before as in the texts."""
    draw = random.Random(seed)  # noqa: S311
    following: dict[str, list[str]] = defaultdict(list)
    for text in texts:
        for word, after in pairwise(["", *text.split(), ""]):
            following[word].append(after)
    while True:
        words = [draw.choice(following[""])]
        while words[-1] and len(words) < _LONGEST_SENTENCE:
            words.append(draw.choice(following[words[-1]]))
        yield " ".join(words).strip()


def learn_addresses(messages: Iterable[Made], known: KnownWords) -> Crf:
    """Learn from messages whose addresses are known."""
    cut = ((Tokens(text), spans) for text, spans in messages)
    examples = ((word_features(one, known), labels_of(_ends(one), spans)) for one, spans in cut)
    return Crf.learn(examples, c1=_C1)


def find_addresses(message: str, crf: Crf, known: KnownWords) -> list[Span]:
    """Find the postal addresses of a message, with what `learn_addresses` has learnt."""
    tokens = Tokens(message)
    return crf.spans(word_features(tokens, known), _ends(tokens))


def _ends(tokens: Tokens) -> list[Token]:
    return [(tokens.start(i), tokens.end(i)) for i in range(len(tokens))]


def made_messages(
    lexicon: Lexicon, n_with: int = N_WITH, n_without: int = N_WITHOUT
) -> Iterator[Made]:
    """Make messages with an address, then some without; names and towns are of the lexicon."""
    lists = {words.name: words.entries for words in lexicon.lists}
    listed = {name: [w.title() for w in sorted(lists[of])] for name, of in _FROM_LISTS.items()}
    with (Path(data.__file__).parent / "sample_fr.csv").open(encoding="utf-8") as file:
        samples = [row["text"] for row in csv.DictReader(file) if "ADR" not in row["spans"]]
    starts = [carrier.split("{address}")[0] for carrier in TEMPLATES["carrier"]]
    chain = markov_chain([*samples, *TEMPLATES["statement"], *starts], SEED)
    sentences = {"sentence": list(islice(chain, n_with + n_without))}
    maker = Maker(TEMPLATES | listed | sentences, SEED)
    yield from (maker.message("message_with") for _ in range(n_with))
    yield from (maker.message("message_without") for _ in range(n_without))


def word_features(tokens: Tokens, known: KnownWords) -> list[list[str]]:
    """Return the features of each token and of its neighbours, by names that a person can read."""
    own = [_own_features(tokens, i, known) for i in range(len(tokens))]
    beyond = [["beyond"]] * max(_OFFSETS)
    near = [[name for name in names if not name.startswith(("ends", "word"))] for names in own]
    around = [*beyond, *near, *beyond]
    return [
        names + [f"{by:+d} {name}" for by in _OFFSETS for name in around[i + len(beyond) + by]]
        for i, names in enumerate(own)
    ]


def _own_features(tokens: Tokens, i: int, known: KnownWords) -> list[str]:
    raw, word = tokens.raw[i], tokens.folded[i]
    held = {
        **{name: word in words for name, words in _GROUPS.items()},
        f"is {word}": word in _OWN,
        "capital": tokens.is_capital(i),
        "glued": tokens.is_glued(i),
        "new line": tokens.is_on_new_line(i),
    }
    if word.isdigit():
        held[f"digits {len(word)}"] = True
    else:
        held |= {f"ends -{word[-2:]}": True, f"ends -{word[-3:]}": True}
        held |= {"town": known.is_town(word), "name": known.is_name(word)}
        held |= {"frequent": known.is_frequent(word), "no word": not known.is_word(word)}
    return [
        *("word", f"code {_code(raw)}", f"length {min(len(raw), 8)}"),
        *(name for name, holds in held.items() if holds),
    ]


def _code(raw: str) -> str:
    """Return the "code" of a word: A, a, c and p for capitals, small letters, digits, signs."""
    signs = (
        "A" if c.isupper() else "a" if c.isalpha() else "c" if c.isdigit() else "p" for c in raw
    )
    return "".join(sign for sign, _ in groupby(signs))[:5]
