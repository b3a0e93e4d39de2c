"""Learn the shipped models from annotated messages.

Run by ``make model``; the models are committed, and hold no message::

    python -m tools.model annotated.csv fr
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from triage.decide.policy import covered
from triage.dictionaries import load_lexicon
from triage.dictionaries.pack import FRENCH, NO_LANGUAGE
from triage.model.annotated import AnnotatedMessages, read_annotated
from triage.model.learn import learn
from triage.model.learnt import MODELS, Model, model_path, save_model

_FEATURES = ("evidence", "patel2013")


def build_models(paths: Sequence[str], folder: Path = MODELS, language: str = FRENCH) -> None:
    """Learn and write the shipped models of a language from annotated messages."""
    annotated, lexicon = _together([*map(read_annotated, paths)]), load_lexicon(language)
    for name in _FEATURES:
        model = learn(
            annotated,
            lexicon,
            name,
            cover=covered,
            # What is learnt without a language must hold in any.
            lexical=language != NO_LANGUAGE,
        )
        path = folder / model_path(language, name).name
        save_model(_of_distinct_ways(model), path, overwrite=True)


def _together(files: Sequence[AnnotatedMessages]) -> AnnotatedMessages:
    """Return the messages of several files, whose senders are the same."""
    if any(one.senders is None or one.spans is None for one in files):
        [annotated] = files
        return annotated
    return AnnotatedMessages(
        [text for one in files for text in one.messages],
        [label for one in files for label in one.labels],
        [sender for one in files for sender in one.senders or ()],
        [spans for one in files for spans in one.spans or ()],
    )


def _of_distinct_ways(model: Model) -> Model:
    """Return a model without held-out ways of writing whose share of capitals another has.

    Without lists of names all shares are the same: the messages as written count.
    """
    if not model.words:
        return model
    old = model.words.voter.held_out
    shares = old.names_with_capitals
    first = [i for i, share in enumerate(shares) if share not in shares[:i]]
    covered = None
    if old.covered:
        numbers, risk, stands = old.covered
        covered = numbers[first], risk[first], stands[first]
    held_out = replace(
        old,
        score=old.score[first],
        names_with_capitals=tuple(shares[i] for i in first),
        covered=covered,
    )
    voter = replace(model.words.voter, held_out=held_out)
    return replace(model, words=replace(model.words, voter=voter))


if __name__ == "__main__":
    *files, of_language = sys.argv[1:]
    build_models(files, language=of_language)
