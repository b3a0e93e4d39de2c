"""The pipeline: messages in, decisions out. Everything that decides goes through `Triage`."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Self

from triage.data.errors import sender_of
from triage.dictionaries import (
    Kind,
    LabelledMessages,
    Labeller,
    Lexicon,
    Role,
    load_lexicon,
    user_list,
)
from triage.dictionaries.lexicon import YOURS
from triage.dictionaries.lists import WordList
from triage.dictionaries.normal import normal
from triage.dictionaries.pack import FRENCH
from triage.dictionaries.recognisers import Recognisers, chosen, load
from triage.features import feature_set
from triage.features.corpus_evidence import CorpusEvidence
from triage.features.messages import count_identifiers
from triage.features.word_evidence import WordScorer, probability

from ..errors import TriageError
from ..model.annotated import texts_of
from ..model.learnt import Model, Voter, load_model, shipped_model
from ..settings import Policy, PolicyName, Setup, keywords
from ..vocabulary import DEFAULT_FEATURES, Action, Prediction, Verdict
from .find import Identifier, ScoredMessages, scored_identifiers
from .people import Account, Fact, People, facts_of, facts_of_senders, read_people
from .policy import Coverage, Promise, Thresholds, act, coverage
from .tables import COLUMNS, InMemory, Messages, cells_of, check_columns, messages_of
from .verdicts import CARRIES, evidence_texts, reason, verdicts

if TYPE_CHECKING:
    import pandas as pd

# From fewer TA messages no leak of 1 % can be promised.
_MIN_PROMISED = 299
_NO_PROMISE = (
    "the model was learnt from too few messages to promise much: the agreement table decides, "
    "unless the guarded policy is asked for"
)


@dataclass(frozen=True)
class Decisions:
    """Decisions on messages, column by column, in the order of `COLUMNS`."""

    seek_hide: list[Verdict]
    model: list[Prediction]
    model_score: list[float]
    action: list[Action]
    evidence: list[str]
    covered: Coverage | None = field(default=None, compare=False)

    def joined_to(self, table: "pd.DataFrame") -> "pd.DataFrame":
        """Return the table of the messages with these columns behind its own, of their types."""
        import pandas as pd

        types = {name: float if name == "model_score" else str for name in COLUMNS}
        decisions = pd.DataFrame(self.rows(), columns=[*COLUMNS], index=table.index)
        return pd.concat([table, decisions.astype(types)], axis=1)

    def rows(self) -> Iterable[tuple[object, ...]]:
        """Yield the decisions message by message, in the order of `COLUMNS`."""
        columns = self.seek_hide, self.model, self.action
        seek_hide, model, action = (map(str.__str__, column) for column in columns)
        return zip(seek_hide, model, self.model_score, action, self.evidence, strict=True)


class Triage:
    """Decide for each message: TA, NTA or EXPERT.

    It is pure: the same messages, dictionaries, model and policy give the same decisions. Threads
    may share one.

    Parameters
    ----------
    lexicon : Lexicon
    model : Model
    strict : bool
        Leave a message untagged if any of its words is ambiguous or unknown.
    policy : Policy or str, optional
        A policy or its name. By default the guarded one, or the agreement table where the model was
        learnt from too few messages to promise anything.
    recognisers : Recognisers, optional
        By default those of the lexicon's language.
    people : sequence of (entity, type, spelling), optional
        People whom the user lists. With None, names are not taken from columns either.

    Attributes
    ----------
    labeller : Labeller
        Labels words by the dictionaries.
    warning : str
        A warning to the user about the dictionaries and the model; empty if there is none.

    Examples
    --------
    >>> decided = Triage.load("fr").classify(["Coucou Patrice, ça va?", "J'arrive"])
    >>> decided[["seek_hide", "action"]].values.tolist()
    [['TA', 'TA'], ['NTA', 'NTA']]
    """

    def __init__(
        self,
        lexicon: Lexicon,
        model: Model,
        strict: bool = False,
        policy: Policy | str | None = None,
        recognisers: Recognisers | None = None,
        people: Sequence[Fact] | None = (),
    ) -> None:
        self.lexicon, self.model, self.strict = lexicon, model, strict
        # Where it was read from, if it is not a shipped one.
        self.model_file: str | None = None
        # Whether the model was learnt from messages in another language.
        self.is_borrowed = False
        self.policy, self.warning = Policy.of(policy), ""
        if policy is None and model.voter.held_out.is_ta.sum() < _MIN_PROMISED:
            self.policy, self.warning = Policy(PolicyName.AGREEMENT), _NO_PROMISE
        self.people = None if people is None else tuple(people)
        self.labeller = Labeller(lexicon, recognisers)
        self.features = feature_set(model.manifest.features)
        self.scorer = WordScorer(lexicon, model.words.words) if model.words else None
        # Whether the model can use the evidence of a whole corpus.
        self.weighs_corpus = model.words is not None
        # Files are decided one after the other, each in many chunks.
        self.measured_promise = lru_cache(1)(self._measured_promise)
        if model.manifest.columns != self.features.features:
            raise TriageError(
                f"the model was learnt from other columns than {self.features.name!r} has now; "
                "train it again"
            )

    @classmethod
    @keywords(Setup, without=("corpus_evidence",))
    def load(cls, language: str = FRENCH, **settings: Any) -> Self:  # noqa: ANN401
        """Load dictionaries and a model.

        Parameters
        ----------
        language : str
            The pack of dictionaries.
        model : str or Path, optional
            A model of ``triage train``; by default the shipped one.
        names, words : sequence of str or Path
            Your own lists: names, and words that name nobody.
        recognisers : sequence of str or Path
            Files of your own recognisers.
        find : sequence of str
            Recognisers or types of identifiers to turn on that are off by default, or ``all``.
        strict : bool
        policy : Policy or str, optional
            A policy or its name, such as ``"agreement"``; by default as for `Triage`.
        max_residue, max_leak, min_precision : float, optional
            Bounds of the guarded policy, between 0 and 1.
        features : str, optional
            The feature set: of the shipped model ``"evidence"`` by default; a model of
            ``triage train`` has its own.

        Raises
        ------
        DictionaryError, TriageError
            If a setting is unknown, or a list or the model cannot be used.
        """
        return cls.of(Setup.of({"language": language, **settings}))

    @classmethod
    def of(cls, pipeline: Setup) -> Self:
        """Load dictionaries and a model by settings; the language is French by default."""
        language, model, features = pipeline.language or FRENCH, pipeline.model, pipeline.features
        pack = load_lexicon(language)
        shipped_features = features or DEFAULT_FEATURES
        learnt = load_model(Path(model)) if model else shipped_model(pack, shipped_features)
        manifest = learnt.manifest
        if features not in (None, manifest.features):
            raise TriageError(
                f"the model {model} was learnt from the features {manifest.features!r}, not "
                f"{features!r}: leave --features out"
            )
        entries = read_people(pipeline.people) if pipeline.people else []
        own_recognisers = [one for path in pipeline.recognisers for one in load(path, language)]
        triage = cls(
            with_user_lists(pack, pipeline.names, pipeline.words),
            learnt,
            pipeline.strict,
            pipeline.chosen_policy(),
            chosen(language, pipeline.find, own_recognisers, map(str, pipeline.recognisers)),
            None if pipeline.no_people else facts_of(entries),
        )
        warnings = [triage.warning] if triage.warning else []
        if model and manifest.dictionaries != pack.fingerprint:
            warnings.append(
                f"the model {model} was learnt with other dictionaries than there are now; "
                "train it again for what it was"
            )
        triage.is_borrowed = not (model or manifest.language in pack.language.split(","))
        if triage.is_borrowed:
            warnings.append(
                f"no weights were learnt from messages in {language!r}: those learnt from French "
                "ones are used without the ones of words; triage train learns others"
            )
        triage.warning, triage.model_file = "; ".join(warnings), model
        return triage

    def check_weighs_corpus(self, task: str) -> None:
        """Check that the model can use the evidence of a whole corpus, which `task` needs."""
        if not self.weighs_corpus:
            raise TriageError(
                f"{task} needs a model that weighs words: its features are "
                f"{self.model.manifest.features!r}"
            )

    @cached_property
    def weights(self) -> str:
        """A fingerprint of the lists and of the weights by which evidence is gathered."""
        words = self.model.words
        weights = vars(words.words) if words else {}
        lists = self.lexicon.fingerprint, self.labeller.recognisers.fingerprint
        return hashlib.blake2b(json.dumps([*lists, weights]).encode(), digest_size=16).hexdigest()

    @cached_property
    def known_people(self) -> People | None:
        """The people whom the user lists, None where there are none."""
        return self.people_with(())

    def people_with(self, senders: Iterable[str]) -> People | None:
        """Return the people whom the user lists, and those who sent messages; None without any."""
        facts = None if self.people is None else [*self.people, *facts_of_senders(senders)]
        return People(facts, self.lexicon) if facts else None

    def promise(self, names_with_capitals: float | None = None) -> Promise | None:
        """Return the promise of the guarded policy; None for the agreement table.

        The share of names that the corpus of the messages writes with capitals is None for messages
        that are decided without the evidence of a corpus.
        """
        return self.measured_promise(names_with_capitals)[1]

    def _measured_promise(self, capitals: float | None) -> tuple[Thresholds | None, Promise | None]:
        """Return the thresholds, chosen on held-out messages, and the promise that they keep."""
        if self.policy.name is not PolicyName.GUARDED:
            return None, None
        held_out = self.voter(capitals is not None).held_out
        thresholds = Thresholds(held_out, self.policy.min_precision, capitals)
        promise = thresholds.promise(self.policy.max_residue, self.policy.max_leak)
        return thresholds, replace(promise, is_borrowed=self.is_borrowed)

    def voter(self, corpus_evidence: bool) -> Voter:
        """Return the trees that vote on messages with or without corpus evidence."""
        words = self.model.words
        return words.voter if words and corpus_evidence else self.model.voter

    def decide(
        self,
        messages: Sequence[str],
        senders: Sequence[str] | None = None,
        *,
        corpus_evidence: bool = False,
    ) -> Decisions:
        """Decide each message.

        Parameters
        ----------
        messages : sequence of str, length n_messages
        senders : sequence of str, length n_messages, optional
            The sender of each, for corpus evidence; empty, None or NaN if unknown.
        corpus_evidence : bool
            Decide each message by what the others tell.

        Returns
        -------
        Decisions
        """
        return self.decide_scored(self._weighed(texts_of(messages), senders, corpus_evidence))

    def identifiers(
        self,
        messages: Iterable[str],
        senders: Sequence[str] | None = None,
        *,
        corpus_evidence: bool = False,
    ) -> list[list[Identifier]]:
        """Find the identifiers of each message.

        They are those that ``triage anonymise --ambiguous mask`` replaces. Words in doubt have the
        rules ``dictionary`` and ``carried``.

        Parameters
        ----------
        messages : iterable of str
            One that is missing (None, NaN) is empty.
        senders, corpus_evidence
            As for `decide`.

        Returns
        -------
        list of list of Identifier, length n_messages
            In order, none overlapping.

        Examples
        --------
        >>> [[one]] = Triage.load("fr").identifiers(["Coucou Patrice, ça va?"])
        >>> one.start, one.end, one.type.value, one.rule.value, one.score > 0.9
        (7, 14, 'PRE', 'evidence', True)
        """
        scored = self._weighed(texts_of(messages), senders, corpus_evidence)
        return scored_identifiers(scored, self.decide_scored(scored).action)

    def _weighed(
        self,
        messages: Sequence[str],
        senders: Sequence[str] | None,
        corpus_evidence: bool,
        account: Account | None = None,
    ) -> ScoredMessages:
        names = [""] * len(messages) if senders is None else [*map(sender_of, senders)]
        if len(names) != len(messages):
            raise TriageError(f"there are {len(messages)} messages, but {len(names)} senders")
        scored = self.weighed(messages, names)
        if corpus_evidence and self.weighs_corpus:
            scored = self.weigh(scored, gather(scored))
        if account:
            people: People | None = account.people
        else:
            people = self.people_with(names) if corpus_evidence else self.known_people
        return people.raised(scored) if people else scored

    def weighed(
        self, messages: Sequence[str], senders: Sequence[str] | None = None
    ) -> ScoredMessages:
        """Label and weigh the words of messages, each by itself."""
        return self.score(self.labeller.label(messages), senders or [""] * len(messages))

    def score(self, labelled: LabelledMessages, senders: Sequence[str]) -> ScoredMessages:
        """Weigh each word in its message."""
        words = self.scorer.score(labelled) if self.scorer else None
        return ScoredMessages(labelled, senders, words)

    def weigh(self, scored: ScoredMessages, corpus: CorpusEvidence) -> ScoredMessages:
        """Weigh each word with what was gathered of the corpus that the messages are part of."""
        learnt, words = self.model.words, scored.words
        if learnt is None or words is None:
            return scored
        if learnt.corpus is not None:
            log_odds = learnt.corpus.log_odds(scored.labelled, words, scored.senders, corpus)
            words = replace(words, log_odds=log_odds)
        return replace(scored, words=words, names_with_capitals=corpus.names_with_capitals)

    def decide_scored(self, scored: ScoredMessages) -> Decisions:
        """Decide messages whose words are weighed, by themselves or in their corpus."""
        seek_hide = verdicts(scored.labelled, self.strict)
        values = self.features.compute(scored.labelled, scored.words)
        score = self.voter(scored.names_with_capitals is not None).score(values)
        model = self.model.predict(score)
        by_form = count_identifiers(scored.labelled) > 0
        promise = self.promise(scored.names_with_capitals)
        covered = coverage(scored.labelled, scored.words) if promise and scored.words else None
        action = act(promise, seek_hide, model, score, by_form, covered)
        texts = evidence_texts(scored.labelled, seek_hide, scored.words)
        return Decisions(seek_hide, model, score.tolist(), action, texts, covered)

    def classify(
        self,
        messages: InMemory,
        text_column: str | None = None,
        *,
        sender_column: str | None = None,
        corpus_evidence: bool | None = None,
    ) -> "pd.DataFrame":
        """Decide each message and return the decisions as a table.

        Parameters
        ----------
        messages : iterable of str, or a column or a table of pandas, Polars or Arrow
            A table's other columns are kept. A message that is missing (None, NaN) is empty.
        text_column, sender_column : str, optional
            By default found by usual names.
        corpus_evidence : bool, optional
            As for `decide`; by default used for tables, and not for lists.

        Returns
        -------
        DataFrame
            The columns given, then `COLUMNS`; the index is that of the messages.

        Raises
        ------
        TriageError
            If a table has no such column or two of them, or has one of `COLUMNS` already.
        """
        return self.decide_table(messages_of(messages, text_column, sender_column, corpus_evidence))

    def decide_table(self, messages: Messages) -> "pd.DataFrame":
        """Decide the messages of a table that was read; as `classify`."""
        columns, account = [*map(str, messages.table.columns)], None
        check_columns(columns, messages.text_column)
        if messages.is_corpus and self.people is not None:
            text = columns.index(messages.text_column)
            account = Account(self.lexicon, columns, text, messages.sender, self.people)
            account.add_columns(lambda column: cells_of(messages.table.iloc[:, column]))
        scored = self._weighed(messages.texts, messages.senders, messages.is_corpus, account)
        return self.decide_scored(scored).joined_to(messages.table)


def explain(triage: Triage, message: str) -> dict[str, Any]:
    """Explain the decision on one message: its words, the model's features, votes, finds, risk."""
    scored = triage.weighed([message])
    labelled, decided, promise = scored.labelled, triage.decide_scored(scored), triage.promise()
    (identifiers,) = scored_identifiers(scored, decided.action)
    forms = [labelled.labels[form] for form in labelled.words.form]
    numbers: list[float | None] = [None] * len(forms)
    because: list[list[str]] = [[] for _ in forms]
    if triage.scorer and scored.words:
        numbers = [round(one, 4) for one in probability(scored.words.log_odds).tolist()]
        because = triage.scorer.reasons(labelled)
    words = [
        {
            "text": word.text,
            "label": str(word.label),
            "reason": reason(word, labelled),
            "evidence": number,
            "because": reasons if number is not None and number >= CARRIES else [],
        }
        for word, number, reasons in zip(forms, numbers, because, strict=True)
        if word.kind is not Kind.PUNCTUATION
    ]
    values = triage.features.compute(labelled, scored.words)[0].round(4).tolist()
    return {
        "words": words,
        "features": dict(zip(triage.features.features, values, strict=True)),
        "seek_hide": str(decided.seek_hide[0]),
        "model": str(decided.model[0]),
        "model_score": decided.model_score[0],
        "identifiers": [
            {"text": message[one.start : one.end], "type": str(one.type), "rule": str(one.rule)}
            for one in identifiers
        ],
        "risk": float(decided.covered.risk[0]) if decided.covered else None,
        "read_from": None if promise is None else promise.risk_from,
        "action": str(decided.action[0]),
    }


def with_user_lists(
    pack: Lexicon, names: Sequence[str | Path], words: Sequence[str | Path]
) -> Lexicon:
    """Return a pack with the user's lists and words: paths of lists, and words as texts."""
    lists, taken = list[WordList](), {one.name for one in pack.lists}
    for role, given in ((Role.DICTIONARY, names), (Role.ANTI_DICTIONARY, words)):
        lists += [user_list(path, role) for path in given if isinstance(path, Path)]
        if entries := [normal(one).strip() for one in given if isinstance(one, str)]:
            lists.append(WordList(f"{role} given", role, entries, title=YOURS))
    for own in lists:
        if own.name in taken:
            raise TriageError(f"two lists are called {own.name!r}: rename the file {own.source}")
        taken.add(own.name)
    return pack.with_lists(lists) if lists else pack


def gather(scored: ScoredMessages) -> CorpusEvidence:
    """Gather the evidence that messages give of each other's words."""
    corpus = CorpusEvidence()
    if scored.words:
        corpus.add(scored.words, scored.senders)
    corpus.finish()
    return corpus


def shared(language: str = FRENCH) -> Triage:
    """Return the pipeline as it is shipped, loaded once in a process.

    Threads may share it; errors are those of `Triage.load`.

    Parameters
    ----------
    language : str
        The pack of dictionaries.

    Examples
    --------
    >>> import triage
    >>> triage.shared("fr").classify(["Coucou Patrice, ça va?"])["action"].tolist()
    ['TA']
    >>> triage.shared("fr") is triage.shared("fr")
    True
    """
    return load_once(Setup(language))


def load_once(setup: Setup) -> Triage:
    """Return the pipeline of some settings, loaded once for each process; threads may share it."""
    with _LOADING:
        return _loaded(replace(setup, language=setup.language or FRENCH))


_loaded = lru_cache(8)(Triage.of)
_LOADING = Lock()


@lru_cache(2)
def people_once(setup: Setup, senders: tuple[str, ...]) -> People | None:
    """Return the people of a corpus of which these are the senders, read once for each process."""
    return load_once(setup).people_with(senders)
