"""Methods of the sources beside this program's: random fields of Grouin and of Lecointe.

A linear-chain conditional random field (CRF) gives each token of a message a BILOU label: it begins
a span (``B-ADR``), is inside one (``I-ADR``), is its last (``L-ADR``), is a span by itself
(``U-ADR``), or is outside all of them (``O``). Needs python-crfsuite, the extra ``crf``.

- Grouin ("Anonymisation de documents cliniques", PhD thesis, UPMC, 2013, chapter 7) learns a field
  over words, with the rules' lists among its features, and lets the rules complete what it finds.
  Here the field sees the features of the first stage of word evidence; the rules are Seek&Hide's.
- Lecointe ("Anonymisation des adresses postales", master's thesis, Inalco, 2018, section 3.2.2)
  finds postal addresses by a field over a word's case, signs, digits, length, "code" and last
  letters, and whether it is a type of street or announces an address. Here lists of towns and names
  stand in for parts of speech. It learns from invented messages (`made_addresses.toml`) that are
  varied as hers were (section 3.1.2), between sentences of a Markov chain.
"""

import csv
import random
import re
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import accumulate, chain, groupby, pairwise, starmap
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from triage import data
from triage.data.errors import require
from triage.dictionaries import Label, Lexicon, label_messages
from triage.dictionaries.addresses import KnownWords, Tokens, addresses
from triage.dictionaries.normal import fold
from triage.dictionaries.pack import FRENCH, load_pack
from triage.features.learn import marked_words
from triage.features.word_evidence import FeatureNames, WordFeatures, probability
from triage.reports.measures import Mask, share
from triage.reports.page import Block, Cell, Part, Table
from triage.reports.spans import Scores, Triple, bootstrap, measure

from ..decide.pipeline import Triage
from ..vocabulary import CERTAIN_FROM
from .corpus import TEXTS, Prepared, weighed

if TYPE_CHECKING:
    from pycrfsuite import Tagger

Token = tuple[int, int]
Features = Sequence[Sequence[str]]

# Grouin's penalty; Lecointe took none, but a little leaves out uninformative features.
_C1, _C1_ADDRESSES = 0.1, 0.05

# Words of the French pack, each group a feature, of a token and of those around it.
_WORD_GROUPS = (
    *("street_types", "weak_street_types", "complements", "residences", "boxes", "triggers"),
    *("links", "titles", "months", "suffixes", "units"),
)
_OFFSETS = (-3, -2, -1, 1, 2, 3)

_SEED = 88
_N_WITH_ADDRESS, _N_WITHOUT_ADDRESS = 5000, 9000
_TEMPLATES = tomllib.loads(Path(__file__).with_name("made_addresses.toml").read_text("utf-8"))
# Lists of dictionaries that fill the templates.
_LISTS = {"city": "cities", "first_name": "first_names", "last_name": "last_names"}
_RANGE = re.compile(r"(\d+)-(\d+)")
# As it is, in lower case, without accents, in capitals: shares in percent.
_WRITINGS: dict[Callable[[str], str], int] = {str: 45, str.lower: 20, fold: 32, str.upper: 3}
_LONGEST_SENTENCE = 40


def sources(prepared: Prepared) -> Part:
    """Learn random fields, and measure them beside this program's own methods."""
    require("pycrfsuite", "crf")
    prepared.corpus.marked("what a random field finds")
    blocks: list[Block] = [
        TEXTS.text("sources.about", first=prepared.first),
        _chaining_table(prepared),
    ]
    if prepared.lexicon.language == FRENCH:
        blocks.append(_address_table(prepared))
    return TEXTS.part("sources", *blocks)


def learn_field(examples: Iterable[tuple[Features, Sequence[str]]], *, c1: float = 0.0) -> "Tagger":
    """Learn with L-BFGS; the same examples in the same order give the same weights."""
    import pycrfsuite

    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params({"c1": c1, "c2": 0.01, "max_iterations": 150})
    for features, labels in examples:
        trainer.append(features, labels)
    tagger = pycrfsuite.Tagger()
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model")
        trainer.train(path)
        tagger.open(path)  # Reads the whole file into memory.
    return tagger


def labels_of(tokens: Sequence[Token], spans: Iterable[Triple]) -> list[str]:
    labels = ["O"] * len(tokens)
    for start, end, type_ in spans:
        inside = [i for i, (first, last) in enumerate(tokens) if first < end and start < last]
        places = "U" if len(inside) == 1 else f"B{'I' * (len(inside) - 2)}L"
        for i, place in zip(inside, places, strict=False):
            labels[i] = f"{place}-{type_}"
    return labels


def spans_of(labels: Sequence[str], tokens: Sequence[Token]) -> list[Triple]:
    """Return the spans of labels, also of labels that cannot follow one another."""
    spans: list[Triple] = []
    unfinished = ""
    for label, (start, end) in zip(labels, tokens, strict=True):
        place, _, type_ = label.partition("-")
        if type_ and type_ == unfinished and place in "IL":
            spans[-1] = (spans[-1][0], end, type_)
        elif type_:
            spans.append((start, end, type_))
        unfinished = type_ if place in "BI" else ""
    return spans


def _chaining_table(prepared: Prepared) -> Table:
    """Measure the words found by the rules, by the field, by both chained and by both united."""
    labelled, spans = prepared.labelled, prepared.corpus.spans or []
    dictionary = np.array([word.label is Label.DICTIONARY for word in labelled.labels], dtype=bool)
    rules: Mask = dictionary[labelled.words.form]
    # The features of all words, by their number, that occur in the training messages.
    names = FeatureNames(grows=True)
    training = label_messages(prepared.corpus.messages[: prepared.first], prepared.lexicon)
    WordFeatures(prepared.lexicon, names).extract(training)
    names.grows = False
    columns = WordFeatures(prepared.lexicon, names).extract(labelled).columns
    # Three more features: whether the rules find the word, the one before and the one behind.
    is_same = labelled.words.message[1:] == labelled.words.message[:-1]
    before, behind = np.append(False, rules[:-1] & is_same), np.append(rules[1:] & is_same, False)
    last = int(columns.max(initial=0))
    rule_columns = [i * holds for i, holds in enumerate((rules, before, behind), last + 1)]
    field = _words_of_field(prepared, columns)
    triage = Triage(prepared.lexicon, prepared.model)
    words = weighed(triage, labelled, prepared.corpus.senders_or_empty).words
    if words is None:
        raise TypeError("a model of the set evidence weighs words")
    methods = {
        "rules (Seek&Hide's dictionary and patterns)": rules,
        "random field": field,
        "rules, then a field that sees what they found": _words_of_field(
            prepared, np.column_stack([columns, *rule_columns])
        ),
        "random field, completed by the rules (their union)": field | rules,
        f"word evidence from {CERTAIN_FROM:g} on": probability(words.log_odds) >= CERTAIN_FROM,
    }
    marked = marked_words(labelled, spans)
    rows: list[tuple[Cell, ...]] = []
    is_ta, later = prepared.corpus.is_ta[prepared.later], labelled.words.message >= prepared.first
    for name, finds in methods.items():
        scores = Scores(share(marked, finds & later), share(finds, marked & later))
        n_found = np.bincount(labelled.words.message[finds], minlength=labelled.words.n_messages)
        holds = n_found[prepared.later] > 0
        ends = share(~holds, is_ta), share(is_ta, holds)
        rows.append((name, scores.precision, scores.recall, scores.f1, *ends))
    return TEXTS.table("sources.words", rows)


def _words_of_field(prepared: Prepared, columns: NDArray[np.int32]) -> Mask:
    """Learn a field from the training messages; return a mask of the words that it finds in all."""
    words, spans = prepared.labelled.words, prepared.corpus.spans or []
    ends = words.start + np.array([len(form.text) for form in words.forms])[words.form]
    tokens = [*zip(words.start.tolist(), ends.tolist(), strict=True)]
    features = [[str(number) for number in row if number] for row in columns.tolist()]
    first = np.searchsorted(words.message, np.arange(words.n_messages + 1)).tolist()
    messages = [*starmap(slice, pairwise(first))]
    field = learn_field(
        (
            (features[message], labels_of(tokens[message], marked))
            for message, marked in zip(messages[: prepared.first], spans, strict=False)
            if tokens[message]
        ),
        c1=_C1,
    )
    labels = (label for message in messages for label in field.tag(features[message]))
    return np.array([label != "O" for label in labels])


def _address_table(prepared: Prepared) -> Table:
    """Measure the program's rules for addresses beside the field, on the later messages."""
    later, known = prepared.later, KnownWords(prepared.lexicon)
    made = ((Tokens(text), spans) for text, spans in _made_messages(prepared.lexicon))
    examples = ((_word_features(one, known), labels_of(one.spans, spans)) for one, spans in made)
    field = learn_field(examples, c1=_C1_ADDRESSES)
    texts, groups = prepared.corpus.messages[later], prepared.corpus.groups[later]
    gold = [
        [(start, end, "ADR") for start, end, type_ in spans if "ADR" in type_.split("_")]
        for spans in prepared.corpus.marked("what a random field finds")[later]
    ]
    by_rules = [[(s.start, s.end, "ADR") for s in addresses(text, known)] for text in texts]
    by_field = [
        spans_of(field.tag(_word_features(tokens, known)), tokens.spans)
        for tokens in map(Tokens, texts)
    ]
    united: list[list[Triple]] = []
    for found in zip(by_rules, by_field, strict=True):
        union: list[Triple] = []
        for start, end, type_ in sorted(chain(*found)):
            if union and start < union[-1][1]:
                union[-1] = (union[-1][0], max(end, union[-1][1]), union[-1][2])
            else:
                union.append((start, end, type_))
        united.append(union)
    methods = {"rules": by_rules, "random field": by_field, "union": united}
    rows: list[tuple[Cell, ...]] = []
    for name, spans in methods.items():
        counts = measure(gold, spans)
        loose: Scores = counts.overlapping
        ends: tuple[Cell, Cell] = None, None
        # Nothing is marked, or nothing is found.
        with suppress(ValueError):
            ends = bootstrap(attrgetter("overlapping.f2"), gold, spans, groups, n=500).ends
        shares = (loose.precision, loose.recall, loose.f2, *ends, counts.coverage)
        exact = counts.exactly.f2, counts.slot_error_rate
        rows.append((name, counts.gold, counts.found, *shares, *exact))
    return TEXTS.table("sources.addresses", rows)


def _word_features(tokens: Tokens, known: KnownWords) -> list[list[str]]:
    """Return the features of each token and of its neighbours, by names that a person can read."""
    (groups, single_words), by_token = _word_groups(), list[list[str]]()
    # A message without words has an empty one when it is folded.
    for i, (raw, word) in enumerate(zip(tokens.raw, tokens.folded, strict=False)):
        # The "code" of a word: A, a, c and p for capitals, small letters, digits, signs.
        signs = (
            "A" if c.isupper() else "a" if c.isalpha() else "c" if c.isdigit() else "p" for c in raw
        )
        code = "".join(sign for sign, _ in groupby(signs))[:5]
        traits = {
            **{name: word in words for name, words in groups.items()},
            f"is {word}": word in single_words,
            "capital": tokens.is_capital(i),
            "glued": tokens.is_glued(i),
            "new line": tokens.is_on_new_line(i),
        }
        if word.isdigit():
            traits[f"digits {len(word)}"] = True
        else:
            traits |= {f"ends -{word[-2:]}": True, f"ends -{word[-3:]}": True}
            traits |= {"town": known.is_town(word), "name": known.is_name(word)}
            traits |= {"frequent": known.is_frequent(word), "no word": not known.is_word(word)}
        shape = "word", f"code {code}", f"length {min(len(raw), 8)}"
        by_token.append([*shape, *(name for name, is_true in traits.items() if is_true)])
    beyond = [["beyond"]] * max(_OFFSETS)
    near = [[name for name in names if not name.startswith(("ends", "word"))] for names in by_token]
    padded = [*beyond, *near, *beyond]
    for i, names in enumerate(by_token):
        for offset in _OFFSETS:
            names += [f"{offset:+d} {name}" for name in padded[i + len(beyond) + offset]]
    return by_token


@cache
def _word_groups() -> tuple[dict[str, frozenset[str]], frozenset[str]]:
    """Return groups of words of addresses, and the words that are features by themselves."""
    words = load_pack(FRENCH).addresses
    groups = {name: getattr(words, name) for name in _WORD_GROUPS}
    # The words of a street's name are none: those of invented streets do not generalise.
    return groups, frozenset(_TEMPLATES["own"]).union(*groups.values())


def _made_message(
    rng: random.Random, templates: Mapping[str, Sequence[str]], name: str
) -> tuple[str, list[Triple]]:
    """Make a message from a template of a list, written in one way from end to end."""

    def filled(braces: re.Match[str]) -> str:
        inside: str = braces[1]
        if numbers := _RANGE.fullmatch(inside):
            return str(rng.randint(int(numbers[1]), int(numbers[2])))
        return rng.choice(inside.split("|") if "|" in inside else templates[inside])

    (way,) = rng.choices([*_WRITINGS], [*_WRITINGS.values()])
    template, unfilled = f"{{{name}}}", 1
    while unfilled:
        template, unfilled = re.subn(r"\{([^{}]*)\}", filled, template)
    parts = [way(part) for part in re.split("[⟨⟩]", template)]
    edges = list(accumulate(map(len, parts)))
    spans = [(*ends, "ADR") for ends in zip(edges[::2], edges[1::2], strict=False)]
    return "".join(parts), spans


def _made_messages(lexicon: Lexicon) -> Iterator[tuple[str, list[Triple]]]:
    """Make messages with an address, then some without; names and towns are of the lexicon."""
    lists = {words.name: words.entries for words in lexicon.lists}
    listed = {slot: [w.title() for w in sorted(lists[name])] for slot, name in _LISTS.items()}
    with (Path(data.__file__).parent / "sample_fr.csv").open(encoding="utf-8") as file:
        samples = [row["text"] for row in csv.DictReader(file) if "ADR" not in row["spans"]]
    beginnings = [carrier.split("{address}")[0] for carrier in _TEMPLATES["carrier"]]
    # In invented sentences each word follows the one before as in these texts.
    rng, sentences = random.Random(_SEED), list[str]()  # noqa: S311
    followers: dict[str, list[str]] = defaultdict(list)
    for text in [*samples, *_TEMPLATES["statement"], *beginnings]:
        for word, follower in pairwise(["", *text.split(), ""]):
            followers[word].append(follower)
    for _ in range(_N_WITH_ADDRESS + _N_WITHOUT_ADDRESS):
        words = [rng.choice(followers[""])]
        while words[-1] and len(words) < _LONGEST_SENTENCE:
            words.append(rng.choice(followers[words[-1]]))
        sentences.append(" ".join(words).strip())
    templates = _TEMPLATES | listed | {"sentence": sentences}
    rng = random.Random(_SEED)  # noqa: S311
    for name in ["message_with"] * _N_WITH_ADDRESS + ["message_without"] * _N_WITHOUT_ADDRESS:
        yield _made_message(rng, templates, name)
