"""Evidence of parts of a corpus: gathered, added up, kept, refused; decisions as by one machine."""

import hashlib
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases_beside
from triage import Triage, classify_partition, gather_partition, merge_evidence
from triage.decide import corpus as parts
from triage.decide.corpus import Evidence, fingerprint
from triage.decide.engine import gather_file
from triage.decide.pipeline import gather
from triage.decide.source import Source
from triage.errors import TriageError
from triage.model.learnt import Model

INVENTED = cases_beside(__file__)


def messages(n: int) -> pd.DataFrame:
    """Invent messages of few senders, some of nobody, with words that nobody else uses.

    One sender has a surname that is a word, which others write.
    """
    random = Random(1)
    senders, texts, names = [*INVENTED["senders"], None], INVENTED["texts"], INVENTED["names"]
    rows = [
        (random.choice(senders), random.choice(texts).format(random.choice(names), i))
        for i in range(n)
    ]
    return pd.DataFrame(rows, columns=["sender", "text"], index=pd.RangeIndex(7, 7 + n))


ALL = messages(200)


@pytest.fixture
def expected(shipped: Triage) -> pd.DataFrame:
    return shipped.classify(ALL, sender_column="sender", corpus_evidence=True)


def parts_of(frame: pd.DataFrame, n: int) -> list[pd.DataFrame]:
    return [frame.iloc[i::n] for i in range(n)]


def evidence_of(frame: pd.DataFrame, n: int, max_words: int | None = None) -> Evidence:
    tables = [gather_partition(part, sender_column="sender") for part in parts_of(frame, n)]
    return merge_evidence(reversed(tables), max_words=max_words)


@pytest.mark.parametrize(("n_parts", "max_words"), [(1, None), (3, None), (3, 1_000)])
def test_partitions_are_decided_as_by_one_machine(
    expected: pd.DataFrame, n_parts: int, max_words: int | None
) -> None:
    evidence = evidence_of(ALL, n_parts, max_words)
    decided = [classify_partition(p, evidence, sender_column="sender") for p in parts_of(ALL, 4)]
    pd.testing.assert_frame_equal(pd.concat(decided).sort_index(), expected)


def test_an_iterator_is_answered_by_an_iterator(expected: pd.DataFrame) -> None:
    frames = [ALL.iloc[:90], ALL.iloc[90:90], ALL.iloc[90:]]
    evidence = gather_partition(iter(frames), sender_column="sender")
    decided = classify_partition(iter(frames), evidence, sender_column="sender")
    assert not isinstance(decided, pd.DataFrame)
    pd.testing.assert_frame_equal(pd.concat(decided), expected)


def test_without_evidence_each_message_is_decided_by_itself(shipped: Triage) -> None:
    some = pd.concat([ALL, pd.DataFrame({"text": ["ok", None, np.nan]})])
    alone = shipped.classify(some, corpus_evidence=False)
    pd.testing.assert_frame_equal(classify_partition(some), alone)


@pytest.mark.parametrize("max_words", [0, 3])
def test_where_words_are_left_out_decisions_do_not_depend_on_the_partitions(max_words: int) -> None:
    one, other = (
        classify_partition(ALL, evidence_of(ALL, n, max_words), sender_column="sender")
        for n in (1, 5)
    )
    pd.testing.assert_frame_equal(one, other)


def test_evidence_in_a_file_is_read_when_it_changes(tmp_path: Path, expected: pd.DataFrame) -> None:
    path = tmp_path / "all.evidence"
    for frame in (ALL[:9], ALL):
        evidence_of(frame, 1).save(path, overwrite=True)
        decided = classify_partition(frame, path, sender_column="sender")
    pd.testing.assert_frame_equal(decided, expected)
    pd.testing.assert_frame_equal(
        classify_partition(ALL, str(path), sender_column="sender"), expected
    )


@pytest.mark.parametrize("use", [classify_partition, gather_partition])
def test_a_partition_does_not_tell_its_language_and_what_looks_like_another_is_said(
    use: Callable[[pd.DataFrame], object], english_messages: list[str], shipped: Triage
) -> None:
    with pytest.warns(UserWarning, match=r"decided as 'fr' and look like 'en': name") as told:
        found = use(pd.DataFrame({"text": english_messages}))
    assert not any(message in str(told[0].message) for message in english_messages)
    if isinstance(found, pd.DataFrame):
        pd.testing.assert_frame_equal(
            found, shipped.classify(found[["text"]], corpus_evidence=False)
        )


@pytest.mark.parametrize("use", [classify_partition, gather_partition])
def test_a_column_must_be_there(use: Callable[..., object]) -> None:
    for text, sender in (("txt", None), ("text", "who")):
        with pytest.raises(TriageError, match=f"no column '{sender or text}'"):
            use(ALL, text_column=text, sender_column=sender)
    with pytest.raises(TriageError, match="'text' is the column of messages"):
        use(ALL, sender_column="text")


def test_evidence_of_other_weights_is_refused() -> None:
    mine = evidence_of(ALL[:5], 1)
    other = replace(mine, weights="others")
    with pytest.raises(TriageError, match="different models"):
        merge_evidence([mine, other])
    with pytest.raises(TriageError, match="gather it again"):
        classify_partition(ALL, other)
    with pytest.raises(TriageError, match="no evidence to merge"):
        merge_evidence([])


def test_a_part_is_given_once() -> None:
    part = gather_partition(ALL[:9], sender_column="sender")
    nothing = gather_partition(ALL[:0], sender_column="sender")
    with pytest.raises(TriageError, match="gathered twice: give each part once"):
        merge_evidence([part, merge_evidence([part, nothing, nothing])])
    for wrong in (Path("all.evidence"), 5):
        with pytest.raises(TriageError, match="parts are what gather_partition returned"):
            merge_evidence([part, wrong])  # type: ignore[list-item]


def test_a_model_that_does_not_weigh_words_gathers_nothing(
    numbers_are_ta: Model, shipped: Triage, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = Triage(shipped.lexicon, numbers_are_ta)
    monkeypatch.setattr(parts, "load_once", lambda _: plain)
    with pytest.raises(TriageError, match="needs a model that weighs words"):
        gather_partition(ALL)


FEW = [
    ("ana", "Je suis chez Namrata ce soir"),
    ("bob", "Tu viens avec Namrata demain ?"),
    ("", "Demande à Namrata si elle vient 😂"),
    ("ana", "j'ai vu namrat hier"),
    ("dan", ""),
]
OF_SENDERS = st.lists(st.tuples(st.text(max_size=3), st.text(max_size=3)), max_size=6)
HEAD = len(b"sms-triage evidence\n")
DAMAGED = "holds no evidence of triage gather"


@pytest.fixture
def gathered(shipped: Triage, own_folder: Path) -> Callable[..., Evidence]:
    def gather(rows: list[tuple[str, str]] = FEW) -> Evidence:
        path = Path("part.csv")
        pd.DataFrame(rows, columns=["sender", "text"]).to_csv(path, index=False)
        return gather_file(shipped, Source(str(path)))

    return gather


@pytest.fixture
def kept(gathered: Callable[..., Evidence]) -> Path:
    path = Path("all.evidence")
    gathered().save(path)
    return path


@given(OF_SENDERS, st.randoms())
def test_a_fingerprint_knows_no_order(rows: list[tuple[str, str]], random: Random) -> None:
    one, other, more = (
        fingerprint([text for _, text in some], [sender for sender, _ in some])
        for some in (rows, random.sample(rows, len(rows)), [*rows, ("an", "aok")])
    )
    assert one == other != more
    assert fingerprint(["aok"], ["an"]) != fingerprint(["ok"], ["ana"])
    assert fingerprint(["a", "a"], ["", ""]) != fingerprint(["b", "b"], ["", ""])


def test_a_file_holds_what_was_gathered_for_its_owner_only(shipped: Triage, kept: Path) -> None:
    assert kept.stat().st_mode & 0o777 == 0o600
    read = Evidence.load(kept, shipped.weights)
    assert read.parts[0].n_messages == len(FEW)
    read.save(kept.with_suffix(".again"))
    assert kept.with_suffix(".again").read_bytes() == kept.read_bytes()
    with pytest.raises(TriageError, match="another version, model or lists: gather it again"):
        Evidence.load(kept, "other weights")


def test_half_of_a_character_is_kept(shipped: Triage, tmp_path: Path) -> None:
    scored = shipped.score(shipped.labeller.label(["Zorbu\ud800lina", "ok"]), ["\ud800", ""])
    evidence = Evidence(gather(scored).table(), shipped.weights)
    evidence.save(tmp_path / "one.evidence")
    assert Evidence.load(tmp_path / "one.evidence", shipped.weights).digest == evidence.digest


def test_any_flipped_bit_and_any_cut_is_refused(shipped: Triage, kept: Path) -> None:
    content, random = kept.read_bytes(), Random(3)
    places = [*range(HEAD + 40), *(random.randrange(len(content)) for _ in range(300))]
    damaged = [
        content[:at] + bytes([content[at] ^ 1 << at % 8]) + content[at + 1 :] for at in places
    ]
    damaged += [content[:at] for at in places[::9]] + [b"", b"Coucou", content + b"\0"]
    for one in damaged:
        kept.write_bytes(one)
        with pytest.raises(TriageError, match=DAMAGED):
            Evidence.load(kept, shipped.weights)


def rewritten(path: Path, name: str, change: Callable[[Any], Any]) -> None:
    """Change an array, or what is told beside them, and give the file the digest of that."""
    whole = path.read_bytes()
    with np.load(io.BytesIO(whole[HEAD + 32 :])) as archive:
        arrays = {key: archive[key] for key in archive.files}
    about = json.loads(arrays["about"].tobytes())
    told = about if name in about else arrays
    told[name] = change(told[name])
    if name != "about":
        arrays["about"] = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
    made = io.BytesIO()
    np.savez_compressed(made, **arrays)
    content = made.getvalue()
    path.write_bytes(whole[:HEAD] + hashlib.sha256(content).digest() + content)


@pytest.mark.parametrize(
    ("name", "change", "problem"),
    [
        ("of_words", lambda counts: counts * -1, DAMAGED),
        ("of_words", lambda counts: counts[:-1], DAMAGED),
        ("of_words", lambda counts: counts.astype(np.float64), DAMAGED),
        ("of_words", lambda counts: counts + (1 << 60), DAMAGED),
        ("of_neighbours", lambda counts: counts[:, ::-1] * 9, DAMAGED),
        ("of_senders", lambda counts: counts - 9, DAMAGED),
        ("of_senders", lambda counts: counts.astype(object), DAMAGED),
        ("pairs", lambda counts: np.concatenate([counts, counts]), DAMAGED),
        ("pairs", lambda counts: counts + np.array([99, 0, 0, 0]), DAMAGED),
        ("words", lambda names: names[::-1], DAMAGED),
        ("words", lambda names: names[1:], DAMAGED),
        ("senders", lambda _: 1, DAMAGED),
        ("parts", lambda parts: parts * 2, DAMAGED),
        ("about", lambda about: about[:-3], DAMAGED),
        ("version", lambda _: 0, "gathered with another version: gather it again"),
    ],
)
def test_what_no_messages_can_have_given_is_refused_even_with_a_digest(
    name: str, change: Callable[[Any], Any], problem: str, shipped: Triage, kept: Path
) -> None:
    rewritten(kept, name, change)
    with pytest.raises(TriageError, match=problem):
        Evidence.load(kept, shipped.weights)
