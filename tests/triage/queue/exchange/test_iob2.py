"""IOB2 holds messages token by token, and gives them back character by character."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.errors import TriageError
from triage.queue.exchange import Exported, export, read
from triage.queue.exchange.marks import solid

from .conftest import any_items

Item = Callable[..., Exported]


def blocks(path: Path) -> list[list[list[str]]]:
    """Return the tokens of each message as any reader of CoNLL finds them."""
    content = path.read_text(encoding="utf-8", errors="strict").split("\n\n")
    return [
        [line.split("\t") for line in block.split("\n") if line and not line.startswith("#")]
        for block in content
        if block
    ]


def test_a_message_is_a_token_a_line(item: Item, tmp_path: Path) -> None:
    export(tmp_path / "c.conll", [item("C'est Zoé Petit !", "TA", "Zoé PRE, Petit NOM")])
    assert (tmp_path / "c.conll").read_text(encoding="utf-8").split("\n") == [
        "# global.columns = ID FORM START END IOB2",
        '# id = "sms_1 sms_7"',
        "# answer = TA",
        '# text = "C\'est Zoé Petit !"',
        "1\tC'\t0\t2\tO",
        "2\test\t2\t5\tO",
        "3\tZoé\t6\t9\tB-PRE",
        "4\tPetit\t10\t15\tB-NOM",
        "5\t!\t16\t17\tO",
        "",
        "",
    ]


def test_an_identifier_of_several_tokens_goes_on_with_i(item: Item, tmp_path: Path) -> None:
    export(tmp_path / "c.conll", [item("au 06 39 98", "TA", "06 39 98 TEL")])
    [found] = blocks(tmp_path / "c.conll")
    assert [row[4] for row in found] == ["O", "B-TEL", "I-TEL", "I-TEL"]


def test_tokens_are_cut_where_identifiers_begin_and_end(item: Item, tmp_path: Path) -> None:
    export(tmp_path / "c.conll", [item("chezZoéPetit", "TA", "Zoé PRE, Petit NOM")])
    [found] = blocks(tmp_path / "c.conll")
    assert [row[1] for row in found] == ["chez", "Zoé", "Petit"]
    assert [row[4] for row in found] == ["O", "B-PRE", "B-NOM"]


def test_offsets_count_code_points(item: Item, tmp_path: Path) -> None:
    export(tmp_path / "c.conll", [item("👩🏽‍🚒 Zoé", "TA", "Zoé PRE")])
    [found] = blocks(tmp_path / "c.conll")
    assert found[-1][1:4] == ["Zoé", "5", "8"]


def test_a_hash_is_no_comment(item: Item, tmp_path: Path) -> None:
    export(tmp_path / "c.conll", [item("# Zoé", "TA", "Zoé PRE")])
    [found] = blocks(tmp_path / "c.conll")
    assert [row[1] for row in found] == ["#", "Zoé"]


@given(made=st.lists(any_items(), max_size=3))
def test_another_reader_finds_every_character_and_every_identifier(
    made: list[Exported], scratch: Path
) -> None:
    export(scratch / "c.conll", made, overwrite=True)
    full = [one for one in made if one.text.strip()]
    for one, found in zip(full, filter(None, blocks(scratch / "c.conll")), strict=True):
        places = [(int(start), int(end)) for _, _, start, end, _ in found]
        assert [one.text[start:end] for start, end in places] == [row[1] for row in found]
        left = list(one.text)
        for start, end in places:
            left[start:end] = " " * (end - start)
        assert not "".join(left).strip()
        begun = [(int(row[2]), row[4][2:]) for row in found if row[4].startswith("B-")]
        assert begun == [(s.start, s.type) for s in solid(one.text, one.marked)]


@given(made=any_items())
def test_whatever_is_written_comes_back(made: Exported, scratch: Path) -> None:
    export(scratch / "c.conll", [made], overwrite=True)
    [row] = read(scratch / "c.conll")
    spans = solid(made.text, made.marked) if made.answer == "TA" else ()
    assert (row.text, row.answer, row.spans, row.id) == (made.text, made.answer, spans, made.id)


def test_tags_that_somebody_has_corrected_are_read(item: Item, tmp_path: Path) -> None:
    path = tmp_path / "c.conll"
    export(path, [item("Zoé Petit arrive", "TA", "Zoé PRE")])
    changed = path.read_text(encoding="utf-8").replace("\tB-PRE", "\tB-NOM")
    path.write_text(changed.replace("4\t9\tO", "4\t9\tI-NOM"), encoding="utf-8", newline="\r\n")
    [row] = read(path)
    assert [(s.start, s.end, s.type) for s in row.spans] == [(0, 9, "NOM")]


def test_a_message_without_an_answer_is_open_unless_all_are_approved(
    item: Item, tmp_path: Path
) -> None:
    path = tmp_path / "c.conll"
    export(path, [item("Zoé arrive", suggested="Zoé PRE"), item("ok", number=2)])
    assert [row.answer for row in read(path)] == [None, None]
    assert [row.answer for row in read(path, approved=True)] == ["TA", "NTA"]


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("global.columns", "other", "does not name the columns"),
        ("FORM START", "FORM", "does not name the columns"),
        ("\tO", "\tX-PRE", "the tag of its token 2 is none of B-…, I-… and O"),
        ("\tB-PRE", "\tB-", "the tag of its token 1 is none"),
        ("\tB-PRE", "\tB-CITY", "is no type of identifiers"),
        ("\t0\t3", "\t1\t3", "its token 1 is not in the text where it says"),
        ("\t0\t3", "\t0\t-3", "its token 1 is not in the text where it says"),
        ("\t0\t3", "\t0", "too few columns"),
        ('# text = "', "# text = ", "no comment '# text =' with a JSON text"),
        ("answer = TA", "answer = OUI", "is no answer: say TA, NTA or SKIP"),
    ],
)
def test_a_damaged_file_is_one_clear_line(
    before: str, after: str, reason: str, item: Item, tmp_path: Path
) -> None:
    path = tmp_path / "c.conll"
    export(path, [item("Zoé Petit", "TA", "Zoé PRE")])
    path.write_text(path.read_text(encoding="utf-8").replace(before, after), encoding="utf-8")
    with pytest.raises(TriageError, match=reason) as error:
        read(path)
    assert "\n" not in str(error.value)
    assert "Petit" not in str(error.value)


LINES = [
    *('# text = "Zoé"', "# text = Zoé", "# answer = TA", "# answer =", "# id = 7", "#", "", " "),
    *("1\tZoé\t0\t3\tB-PRE", "1\tZoé\t0\t3\tO", "1\tZoé\t0\t3\tI-NOM", "1\tZ\t0\t1\tB-PRE"),
    *(
        "2\to\t1\t2\tI-PRE",
        f"1\tZoé\t{'9' * 5000}\t3\tO",
        "\t\t\t\t",
        "1\t\t0\t0\tB-PRE",
        "1 Zoé O",
    ),
]


@given(lines=st.lists(st.sampled_from(LINES), max_size=8))
def test_any_lines_are_read_or_refused(lines: list[str], scratch: Path) -> None:
    path = scratch / "any.conll"
    header = "# global.columns = ID FORM START END IOB2"
    path.write_text("\n".join([header, *lines]), encoding="utf-8")
    try:
        rows = read(path)
    except TriageError as error:
        assert "\n" not in str(error)  # noqa: PT017
        assert "Zoé" not in str(error)  # noqa: PT017
    else:
        assert all(row.text == "Zoé" for row in rows)
        assert all(span.end <= 3 for row in rows for span in row.spans)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"Zoe O\n", b"PK\x03\x04"])
def test_a_file_of_another_kind_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "c.conll").write_bytes(content)
    with pytest.raises(TriageError):
        read(tmp_path / "c.conll")
