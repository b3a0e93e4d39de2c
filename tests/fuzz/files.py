"""Files of every format, damaged: each is read and its rows add up, or refused in one line."""

import gzip
import io
import random
import tempfile
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tests.cases import cases_beside, joined
from triage import Triage
from triage.data import DataError, open_messages
from triage.data.columns import shown_columns
from triage.data.tei import Replacement, TeiDocument
from triage.decide.run import Request
from triage.decide.source import Source
from triage.errors import TriageError
from triage.settings import Markup

NAME = "Patrice"
"""A name that only messages hold, one in each file: no error may show its larger part."""

INPUTS = Path(__file__).parents[1] / "golden" / "inputs"


def originals() -> dict[str, bytes]:
    """Return a whole file of each format, by its name."""
    whole = {path.name: path.read_bytes() for path in INPUTS.iterdir()}
    nested = whole["sms.jsonl"].replace(b'"Karim"', b'{"nom": ["Patrice", [[{}]]]}')
    headerless = whole["plain.csv"].partition(b"\n")[2]
    return whole | {"headerless.csv": headerless, "nested.jsonl": nested}


Mutation = Callable[[bytearray, random.Random], None]


def mutated(content: bytes, chance: random.Random) -> bytes:
    """Return a damaged copy; archives are damaged within their parts as often as from outside."""
    if content.startswith(b"PK") and chance.random() < 0.6:
        return _with_damaged_part(content, chance)
    if content.startswith(b"\x1f\x8b") and chance.random() < 0.6:
        return gzip.compress(mutated(gzip.decompress(content), chance), 1, mtime=0)
    damaged = bytearray(content)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        chance.choice(_MUTATIONS)(damaged, chance)
    return bytes(damaged)


def _with_damaged_part(content: bytes, chance: random.Random) -> bytes:
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new,
        warnings.catch_warnings(action="ignore"),
    ):
        parts = old.namelist()
        target = chance.choice(parts)
        for part in parts:
            if part != target:
                new.writestr(part, old.read(part))
            elif chance.random() < 0.95:
                new.writestr(part, mutated(old.read(part), chance))
    return packed.getvalue()


def _place(content: bytearray, chance: random.Random) -> tuple[int, int]:
    start = chance.randrange(len(content) + 1)
    return start, min(len(content), start + chance.choice((1, 3, 20, 300, 5000)))


def _truncate(content: bytearray, chance: random.Random) -> None:
    del content[chance.randrange(len(content) + 1) :]


def _flip(content: bytearray, chance: random.Random) -> None:
    for _ in range(chance.choice((1, 5, 50))):
        if content:
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)


def _drop(content: bytearray, chance: random.Random) -> None:
    start, end = _place(content, chance)
    del content[start:end]


def _double(content: bytearray, chance: random.Random) -> None:
    start, end = _place(content, chance)
    content[start:start] = content[start:end] * chance.choice((1, 2, 30))


def _insert(content: bytearray, chance: random.Random) -> None:
    start, _ = _place(content, chance)
    content[start:start] = chance.choice(_HOSTILE)


def _swap(content: bytearray, chance: random.Random) -> None:
    """Put something where something else of the same grammar stands."""
    old, new = chance.sample(_WORDS, 2)
    start = content.find(old, chance.randrange(len(content) + 1))
    if start >= 0:
        content[start : start + len(old)] = new


_MUTATIONS: tuple[Mutation, ...] = (_truncate, _flip, _drop, _double, _insert, _swap)
_HOSTILE, _WORDS = (
    [joined(text).encode("latin-1") for text in texts] for texts in cases_beside(__file__).values()
)
_HOSTILE.append(bytes(range(256)))


def check_reading(path: Path) -> Counter[str]:
    """Read a file to its end and count what became of it."""
    try:
        with open_messages(path, chunk_rows=7) as file:
            n_rows = 0
            for chunk in file.chunks():
                n_rows += len(chunk.rows)
                assert all(len(row) == len(file.columns) for row in chunk.rows)
                assert all(isinstance(text, str) for text in chunk.texts)
                assert len(chunk.texts) == len(chunk.ids) == len(chunk.lines) == len(chunk.rows)
            assert file.rows_read == n_rows + len(file.rejects)
            return Counter(read=1, rows=n_rows, rejected=len(file.rejects))
    except DataError as error:
        _check_error(error)
        return Counter(refused=1)


def check_rewriting(path: Path) -> None:
    """Write a TEI document again, as it is and with other words."""
    content = path.read_bytes()
    try:
        document = TeiDocument("tei.xml", content, Markup.NAME)
        assert document.content("") == content
        for message in document.messages():
            document.replace(message, [Replacement(0, len(message.text), "PRE", "]]>&")])
            document.set_sender(message, f"S-{message.cells[1]}")
        written = document.content("fait")
    except DataError as error:
        _check_error(error)
        return
    again = TeiDocument("tei.xml", written)
    assert all(one.text.replace("\n", "") in ("", "]]>&") for one in again.messages())


def check_classifying(triage: Triage, path: Path) -> None:
    """Triage a file as the command line does."""
    target = path.with_name("decided.jsonl")
    try:
        request = Request(Source(str(path)), str(target))
        with request.source.open() as file:
            outcome = request.classify(triage, file)
        assert outcome["rows_read"] == outcome["rows_written"] + outcome["rows_rejected"]
        with open_messages(target, text_column="action") as file:
            assert sum(len(chunk.rows) for chunk in file.chunks()) == outcome["rows_written"]
    except (DataError, TriageError) as error:
        _check_error(error)


def _check_error(error: Exception) -> None:
    said = str(error)
    assert said, "an error that says nothing"
    assert "\n" not in said, "an error of several lines"
    # A header with two usual names is shown, with what damage made of its others.
    said = said.replace(shown_columns(getattr(error, "columns", ())), "")
    assert NAME[1:-1] not in said, "an error that shows a message"


def attack(seed: int, more: Callable[[int], bool], triage: Triage | None = None) -> Counter[str]:
    """Damage and read files as long as ``more(number of files)`` says."""
    counts = Counter(files=0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = sorted(originals().items())
        while more(counts["files"]):
            number = counts["files"]
            chance = random.Random(f"{seed} {number}")
            whole, content = chance.choice(files)
            path = folder / f"damaged.{whole}"
            path.write_bytes(mutated(content, chance))
            try:
                counts += check_reading(path)
                if whole == "corpus.xml":
                    check_rewriting(path)
                if triage and number % 10 == 0:
                    check_classifying(triage, path)
            except BaseException as error:
                kept = Path(tempfile.gettempdir()) / f"fuzz-{seed}-{number}-{whole}"
                kept.write_bytes(path.read_bytes())
                error.add_note(f"file {number} of seed {seed}: {kept}")
                raise
            counts["files"] += 1
    return counts
