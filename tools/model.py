r"""Learn the shipped models from annotated messages, and from some that were written for it.

Run by ``make model``; the models are committed, and hold no message::

    python -m tools.model annotated.csv fr

``messages/en.txt`` holds invented messages, one a line with breaks as ``\n``; an identifier is
``[[its text|its type]]``. What a policy promises is measured on the annotated messages alone.
"""

import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from triage.decide.policy import covered
from triage.dictionaries import Lexicon, load_lexicon
from triage.dictionaries.pack import FRENCH, NO_LANGUAGE
from triage.features import feature_set
from triage.model.annotated import AnnotatedMessages, Spans, read_annotated
from triage.model.learn import learn
from triage.model.learnt import MODELS, HeldOut, Model, Voter, model_path, save_model
from triage.vocabulary import Prediction

INVENTED = Path(__file__).with_name("messages")
_MARK = re.compile(r"\[\[(.+?)\|([A-Z]{3})\]\]")
# Lines beside one another are alike: so many are taken for one sender's.
_ALIKE = 12


def build_models(paths: Sequence[str], folder: Path = MODELS, language: str = FRENCH) -> None:
    """Learn and write the shipped models of a language from annotated messages."""
    annotated, lexicon = together([*map(read_annotated, paths)]), load_lexicon(language)
    for name in ("evidence", "patel2013"):
        path = folder / model_path(language, name).name
        save_model(learn_shipped(annotated, lexicon, name), path, overwrite=True)


def learn_shipped(annotated: AnnotatedMessages, lexicon: Lexicon, features: str) -> Model:
    """Learn a model from annotated messages and those invented for their language."""
    path, n = INVENTED / f"{lexicon.language}.txt", len(annotated.messages)
    # Twelve features of the paper learn nothing from them: areas of 0.848 without, 0.843 with.
    has_invented = path.exists() and feature_set(features).weighs_words
    all_messages = together([annotated, read_invented(path)]) if has_invented else annotated
    # What is learnt without a language must hold in any.
    lexical = lexicon.language != NO_LANGUAGE
    model = learn(all_messages, lexicon, features, cover=covered, lexical=lexical)
    words = model.words and replace(model.words, voter=_promising(model.words.voter, n))
    return replace(model, voter=_promising(model.voter, n), words=words)


def read_invented(path: Path) -> AnnotatedMessages:
    messages, spans = list[str](), list[Spans]()
    for line in path.read_text(encoding="utf-8").splitlines():
        text, marks, cut = "", Spans(), _MARK.split(line.replace("\\n", "\n"))
        for before, identifier, type_ in zip(cut[:-1:3], cut[1::3], cut[2::3], strict=True):
            text += before + identifier
            marks.append((len(text) - len(identifier), len(text), type_))
        messages.append(text + cut[-1])
        spans.append(marks)
    labels = [str(Prediction.TA if marks else Prediction.NTA) for marks in spans]
    senders = [f"invented {number // _ALIKE}" for number in range(len(messages))]
    return AnnotatedMessages(messages, labels, senders, spans)


def together(files: Sequence[AnnotatedMessages]) -> AnnotatedMessages:
    """Return the messages of several files, whose senders are the same."""
    if len(files) == 1:
        return files[0]
    return AnnotatedMessages(
        [text for one in files for text in one.messages],
        [label for one in files for label in one.labels],
        [sender for one in files for sender in one.senders_or_empty],
        [spans for one in files for spans in one.spans or ()],
    )


def _promising(voter: Voter, n: int) -> Voter:
    """Return a voter with the first `n` held-out messages, in ways of writing that differ.

    Without lists of names the shares of capitals are the same: the messages as written count.
    """
    old, covered = voter.held_out, None
    shares = old.names_with_capitals
    ways = [i for i, share in enumerate(shares) if share not in shares[:i]]
    if old.covered:
        found, risk, stands = old.covered
        covered = found[ways, :n], risk[ways, :n], stands[ways, :n]
    capitals = tuple(shares[i] for i in ways)
    held_out = HeldOut(old.score[ways, :n], old.is_ta[:n], capitals, covered, old.group[:n])
    return replace(voter, held_out=held_out)


if __name__ == "__main__":
    *files, of_language = sys.argv[1:]
    build_models(files, language=of_language)
