"""A lexicon so small that a test can say what each word is, and messages of its words."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from tests.cases import cases_beside
from triage.dictionaries import LabelledMessages, Lexicon, Role, WordList, label_messages
from triage.features.word_evidence import ScoredWords, WordScorer, WordWeights

SAMPLES = cases_beside(__file__)
LEXICON = Lexicon(
    WordList(name, Role(role), tuple(words)) for name, (role, *words) in SAMPLES["lists"].items()
)
NAMES: list[str] = SAMPLES["words"]["names"]
WORD = st.sampled_from([*NAMES, *SAMPLES["words"]["others"]])
MESSAGE = st.lists(WORD, max_size=7).map(" ".join)
MESSAGES = st.lists(MESSAGE, max_size=6)
HOSTILE = {about: [text * n for text, n in of] for about, of in SAMPLES["hostile"].items()}
# TOML has no half characters.
HOSTILE["lone surrogates"] = ["\ud800", "Zoé\udfff \ud83d\nLola", "\udc00Zoé"]


def label(*messages: str, lexicon: Lexicon = LEXICON) -> LabelledMessages:
    return label_messages(messages, lexicon)


def texts(labelled: LabelledMessages) -> list[str]:
    return [labelled.words.forms[form].text for form in labelled.words.form]


def scored(labelled: LabelledMessages, log_odds: Sequence[float] = ()) -> ScoredWords:
    """Give words log odds by hand; without any, those of a scorer that has learnt nothing."""
    words = WordScorer(LEXICON, WordWeights(0.0, {})).score(labelled)
    return replace(words, log_odds=np.array(log_odds, dtype=float)) if len(log_odds) else words
