"""Evidence of parts of a corpus: added up, kept in a file, and refused where it is damaged."""

import hashlib
import io
import json
import stat
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage import Triage
from triage.decide.corpus import gather_file
from triage.decide.evidence import Evidence, fingerprint
from triage.decide.pipeline import gather
from triage.decide.source import Source
from triage.errors import TriageError

ROWS = [
    ("ana", "Je suis chez Namrata ce soir"),
    ("bob", "Tu viens avec Namrata demain ?"),
    ("", "Demande à Namrata si elle vient 😂"),
    ("ana", "j'ai vu namrat hier"),
    ("dan", ""),
]
MESSAGES = st.lists(st.tuples(st.text(max_size=3), st.text(max_size=3)), max_size=6)
HEAD = len(b"sms-triage evidence\n")
DAMAGED = "holds no evidence of triage gather"


@pytest.fixture
def gathered(shipped: Triage, own_folder: Path) -> Callable[..., Evidence]:  # noqa: ARG001
    def gather(rows: list[tuple[str, str]] = ROWS) -> Evidence:
        path = Path("part.csv")
        pd.DataFrame(rows, columns=["sender", "text"]).to_csv(path, index=False)
        return gather_file(shipped, Source(str(path)))

    return gather


@pytest.fixture
def kept(gathered: Callable[..., Evidence]) -> Path:
    path = Path("all.evidence")
    gathered().save(path)
    return path


@given(MESSAGES, st.randoms())
def test_a_fingerprint_is_that_of_the_messages_in_whatever_order(
    rows: list[tuple[str, str]], random: Random
) -> None:
    one, other, more = (
        fingerprint([text for _, text in some], [sender for sender, _ in some])
        for some in (rows, random.sample(rows, len(rows)), [*rows, ("an", "aok")])
    )
    assert one == other != more
    assert fingerprint(["aok"], ["an"]) != fingerprint(["ok"], ["ana"])


def test_a_file_holds_what_was_gathered_for_its_owner_only(shipped: Triage, kept: Path) -> None:
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    read = Evidence.load(kept, shipped.weights)
    assert read.parts[0].n_messages == len(ROWS)
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
    content, random = kept.read_bytes(), Random(3)  # noqa: S311
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
    ("name", "change"),
    [
        ("of_words", lambda counts: counts * -1),
        ("of_words", lambda counts: counts[:-1]),
        ("of_words", lambda counts: counts.astype(np.float64)),
        ("of_words", lambda counts: counts + (1 << 60)),
        ("of_neighbours", lambda counts: counts[:, ::-1] * 9),
        ("of_senders", lambda counts: counts - 9),
        ("of_senders", lambda counts: counts.astype(object)),
        ("pairs", lambda counts: np.concatenate([counts, counts])),
        ("pairs", lambda counts: counts + np.array([99, 0, 0, 0])),
        ("words", lambda names: names[::-1]),
        ("words", lambda names: names[1:]),
        ("senders", lambda _: 1),
        ("parts", lambda parts: parts * 2),
        ("about", lambda about: about[:-3]),
    ],
)
def test_what_no_messages_can_have_given_is_refused_even_with_a_digest(
    name: str, change: Callable[[Any], Any], shipped: Triage, kept: Path
) -> None:
    rewritten(kept, name, change)
    with pytest.raises(TriageError, match=DAMAGED):
        Evidence.load(kept, shipped.weights)


def test_evidence_of_another_version_is_to_be_gathered_again(shipped: Triage, kept: Path) -> None:
    rewritten(kept, "version", lambda _: 0)
    with pytest.raises(TriageError, match="gathered with another version: gather it again"):
        Evidence.load(kept, shipped.weights)
