"""What goes out with answers comes back with the same answers, in each format."""

import json
import stat
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triage.data import DataError
from triage.errors import TriageError
from triage.queue import Answer, Span, Spans
from triage.queue.records import Votes
from triage.queue.exchange import ExchangeFormat, Exported, Imported, export, read
from triage.queue.exchange import FORMATS
from triage.vocabulary import Action, IdentifierType, Prediction, Verdict

Item = Callable[..., Exported]

NAMES = ["work.csv", "work.xlsx", "work.jsonl", "work.json"]
every_format = pytest.mark.parametrize("name", NAMES)

HOSTILE = [
    "Coucou Zoé, ça va ?",
    "Zoé dit \"oui\" et 'non'",
    "Zoé\nest là",
    "Hé\r\nZoé\r\nest là",
    "Hé\rZoé",
    "👩🏽‍🚒🇫🇷 Zoé 😀",
    "<script>alert('Zoé')</script> &amp; <b>",
    "=HYPERLINK(Zoé)",
    "'=Zoé",
    "+33 Zoé",
    "  Zoé  ",
    "Zoé | Zoé ; Zoé,\tZoé",
    "C:\\new\\nZoé",
    "e\u0301te\u0301 Zoé\u2028fin",
    '{"text": "Zoé"}',
    "_x000D_ Zoé",
    "NaN Zoé",
]


def answers(rows: list[Imported]) -> list[tuple[str, str, Answer | None, Spans]]:
    return [(row.digest, row.text, row.answer, row.spans) for row in rows]


def expected(items: list[Exported]) -> list[tuple[str, str, Answer | None, Spans]]:
    """Return what must come back: only a TA has spans."""
    return [(i.digest, i.text, i.answer, i.spans if i.answer == "TA" else ()) for i in items]


@every_format
@pytest.mark.parametrize("text", HOSTILE)
def test_texts_of_any_kind(name: str, text: str, item: Item, tmp_path: Path) -> None:
    items = [
        item(text, "TA", "Zoé PRE", number=1),
        replace(item(text, "NTA", suggested="Zoé PRE"), digest="b2"),
        replace(item(text, "SKIP", suggested="Zoé PRE"), digest="c3"),
        replace(item(text, suggested="Zoé PRE"), digest="d4"),
    ]
    assert export(tmp_path / name, items) == 4
    assert answers(read(tmp_path / name)) == expected(items)


# Letters, spaces, what formats quote, emoji of several code points, and line breaks whole.
PIECES = [*"abcéZ 0'\"|=+@,;<\\", "😀", "👩🏽‍🚒", "🇫🇷", "e\u0301", "\n", "\r\n", "Zoé", "l’", " x "]
examples = settings(max_examples=60, deadline=None)


@st.composite
def items_with_answers(draw: st.DrawFn) -> Exported:
    pieces = draw(st.lists(st.sampled_from(PIECES), min_size=1, max_size=12))
    edges = [sum(map(len, pieces[:n])) for n in range(len(pieces) + 1)]
    chosen = sorted(draw(st.sets(st.sampled_from(edges), max_size=8)))
    types = draw(st.lists(st.sampled_from(IdentifierType), min_size=4, max_size=4))
    spans = tuple(map(Span, chosen[::2], chosen[1::2], types))
    answer = draw(st.none() | st.sampled_from(Answer))
    votes = Votes(Verdict.NTA, Prediction.TA, draw(st.floats(0, 1)), Action.EXPERT)
    text = "".join(pieces)
    return Exported(7, "ab12", text, 1, ("1",), votes, "", spans, answer, spans)


@every_format
@examples
@given(made=items_with_answers())
def test_whatever_is_answered_comes_back(name: str, made: Exported, scratch: Path) -> None:
    export(scratch / name, [made], overwrite=True)
    assert answers(read(scratch / name)) == expected([made])


@every_format
def test_files_are_for_their_owner_alone(name: str, item: Item, tmp_path: Path) -> None:
    path = tmp_path / name
    path.touch(mode=0o644)
    export(path, [item("Coucou Zoé")], overwrite=True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


@every_format
def test_what_was_there_stays_when_writing_fails(name: str, item: Item, tmp_path: Path) -> None:
    def broken() -> list[Exported]:
        raise RuntimeError

    path = tmp_path / name
    path.write_text("before")
    broken_off = (made for make in [lambda: [item("Coucou")], broken] for made in make())
    with pytest.raises(RuntimeError):
        export(path, broken_off, overwrite=True)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


@every_format
def test_no_items(name: str, tmp_path: Path) -> None:
    export(tmp_path / name, [])
    if name.endswith("jsonl"):
        with pytest.raises(TriageError, match="is empty"):
            read(tmp_path / name)
    else:
        assert read(tmp_path / name) == []


@every_format
def test_a_row_that_comes_twice_counts_once(name: str, item: Item, tmp_path: Path) -> None:
    twice = [item("Coucou Zoé", "TA", "Zoé PRE")] * 2
    export(tmp_path / name, twice)
    assert answers(read(tmp_path / name)) == expected(twice[:1])


@every_format
def test_two_answers_of_one_message_are_refused(name: str, item: Item, tmp_path: Path) -> None:
    export(tmp_path / name, [item("Coucou Zoé", "TA", "Zoé PRE"), item("Coucou Zoé", "NTA")])
    with pytest.raises(TriageError, match="answer the same message differently") as error:
        read(tmp_path / name)
    assert "Zoé" not in str(error.value)
    assert "\n" not in str(error.value)


@every_format
def test_a_row_without_answer_contradicts_none(name: str, item: Item, tmp_path: Path) -> None:
    export(tmp_path / name, [item("Coucou Zoé"), item("Coucou Zoé", "NTA"), item("Coucou Zoé")])
    assert [row.answer for row in read(tmp_path / name)] == [None, "NTA", None]


@pytest.mark.parametrize("format_", [one for one in ExchangeFormat if FORMATS[one].read])
def test_the_format_may_be_said(format_: ExchangeFormat, item: Item, tmp_path: Path) -> None:
    is_sheet = format_ in (ExchangeFormat.CSV, ExchangeFormat.XLSX)
    path = tmp_path / (f"work.{format_}" if is_sheet else "work.data")
    export(path, [item("Coucou Zoé", "NTA")], format_)
    assert [row.answer for row in read(path, format_)] == ["NTA"]


@pytest.mark.parametrize("format_", [ExchangeFormat.SPACY, ExchangeFormat.DATASETS])
def test_what_is_only_written_says_so(format_: ExchangeFormat, tmp_path: Path) -> None:
    with pytest.raises(TriageError, match=f"{format_} is written only"):
        read(tmp_path / "work", format_)


@pytest.mark.parametrize(
    ("format_", "module", "extra"),
    [
        (
            ExchangeFormat.SPACY,
            "spacy.tokens",
            r"spacy is not installed: pip install '\.\[spacy\]'",
        ),
        (ExchangeFormat.DATASETS, "pyarrow", r"pip install '\.\[parquet\]'"),
    ],
)
def test_a_library_that_is_missing_is_named(
    format_: ExchangeFormat,
    module: str,
    extra: str,
    item: Item,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(DataError, match=extra):
        export(tmp_path / "work", [item("Coucou Zoé")], format_)
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_doccano_may_be_named_json(item: Item, tmp_path: Path) -> None:
    export(tmp_path / "admin.json", [item("Coucou Zoé", "NTA")], ExchangeFormat.DOCCANO)
    assert [row.where for row in read(tmp_path / "admin.json")] == ["line 1"]


@pytest.mark.parametrize("name", ["work.ods", "work.tsv"])
def test_other_spreadsheets(name: str, item: Item, tmp_path: Path) -> None:
    items = [item("Coucou\r\nZoé", "TA", "Zoé PRE")]
    export(tmp_path / name, items)
    assert answers(read(tmp_path / name)) == expected(items)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("work.docx", "does not tell the format; say --format csv, xlsx, doccano, label-studio"),
        ("work", "does not tell the format"),
        ("work.zip", "unpack it"),
    ],
)
def test_names_that_tell_no_format(name: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(TriageError, match=reason):
        export(tmp_path / name, [])
    with pytest.raises(TriageError, match=reason):
        read(tmp_path / name)


def test_a_sheet_has_the_name_of_its_format(tmp_path: Path) -> None:
    with pytest.raises(TriageError, match=r"must end in \.xlsx"):
        export(tmp_path / "work.csv", [], ExchangeFormat.XLSX)


@every_format
def test_files_that_are_not_there(name: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot read"):
        read(tmp_path / name)
    with pytest.raises(DataError, match="cannot write"):
        export(tmp_path / "nowhere" / name, [])


@every_format
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b" \n",
        b"\xff\xfe\x00",
        b"Coucou Z\xe9phyrine",
        b"PK\x03\x04Zephyrine",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"{}",
        b"[[]]",
        b"[1]",
        b'"Zephyrine"',
        b"null",
        b'[{"data": {"text": NaN}}]',
        b'{"text": NaN, "label": []}',
        b'{"text": ' + b"9" * 5000 + b"}",
        b"text,mot\nCoucou Zephyrine,oui\n",
        b'text,answer\n"Zephyrine\n',
    ],
    ids=range(17),
)
def test_malformed_files_are_one_clear_line(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises((TriageError, DataError)) as error:
        read(tmp_path / name)
    assert "\n" not in str(error.value)
    assert name in str(error.value)
    assert "phyrine" not in str(error.value)


KEYS = [
    *("text", "label", "entities", "cats", "relations", "marked", "digest", "annotation_approver"),
    *("data", "annotations", "result", "value", "labels", "choices", "start", "end", "type", "id"),
    *("identifiers", "answer", "annotator", "completed_by", "was_cancelled", "start_offset"),
]
WORDS = ["Zoé", "😀 Zoé", "TA", "NTA", "PRE", "labels", "choices", "", "\ud83d"]
plain = st.none() | st.booleans() | st.integers(-2, 9) | st.just(1e999) | st.sampled_from(WORDS)
values = st.recursive(
    plain,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner),
    max_leaves=8,
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(value=st.lists(st.dictionaries(st.sampled_from(KEYS), values, min_size=1), min_size=1))
def test_any_json_is_read_or_refused(value: list[object], scratch: Path) -> None:
    lines, tasks = scratch / "any.jsonl", scratch / "any.json"
    lines.write_text("".join(f"{json.dumps(row)}\n" for row in value))
    tasks.write_text(json.dumps(value))
    for path in (lines, tasks):
        try:
            rows = read(path)
        except TriageError as error:
            assert "\n" not in str(error)  # noqa: PT017
        else:
            assert all(span.end <= len(row.text) for row in rows for span in row.spans)
            assert all(row.answer == "TA" or not row.spans for row in rows)
            assert "\ud83d" not in "".join(row.text for row in rows)
