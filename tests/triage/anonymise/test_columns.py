"""Columns are written because somebody chose so, and searched before they are."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from triage.anonymise.columns import sender_pseudonyms
from triage.anonymise.keys import make_key
from triage.data import create_output

Run = Callable[..., CompletedProcess[str]]
Rows = Callable[..., list[dict[str, object]]]
# A word that no error may hold.
MARKER = "zyxsecret"
TRIAGED = (
    "ville,date,id,expediteur,tel,text,label,action,evidence\n"
    "Lunel,2011-09-17 10:12,m1,Patrice Dupont,0639981234,Coucou Karim,TA,TA,«Karim»\n"
    "Lunel,2011-09-18 10:12,m2,Lucie Martin,0639985678,oui et toi,NTA,NTA,\n"
    "Lunel,2011-09-19 10:12,m3,Patrice Dupont,0639981234,ok,NTA,NTA,\n"
    "Lunel,,m4,,,ok a tte,NTA,NTA,\n"
)


@pytest.fixture
def triaged(tmp_path: Path) -> Path:
    path = tmp_path / "sms.triage.csv"
    path.write_text(TRIAGED)
    return path


@pytest.fixture
def anonymise(run: Run, triaged: Path, tmp_path: Path) -> Run:
    def anonymised(*options: str | Path) -> CompletedProcess[str]:
        return run("anonymise", triaged, "-o", tmp_path / "anon.csv", *options)

    return anonymised


@pytest.fixture
def with_column(tmp_path: Path) -> Callable[..., Path]:
    """Write triaged messages with one more column of these cells."""

    def write(*cells: object, column: str = "x", id_: str = "num") -> Path:
        path = tmp_path / "sms.triage.jsonl"
        rows = (
            {id_: f"m{n}", "text": "oui", "action": "NTA"} | {column: cell}
            for n, cell in enumerate(cells, 1)
        )
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    return write


def _refused(done: CompletedProcess[str], folder: Path) -> str:
    """Return the one line of an error that left nothing behind."""
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert [path for path in folder.iterdir() if "triage" not in path.name] == []
    return done.stderr


def _column(rows: list[dict[str, object]], name: str) -> list[object]:
    return [row[name] for row in rows]


def test_ids_dates_and_pseudonyms_are_written_in_order_and_the_rest_is_dropped(
    anonymise: Run, tmp_path: Path, rows_of: Rows
) -> None:
    told = anonymise().stdout
    rows = rows_of(tmp_path / "anon.csv")
    assert [*rows[0]] == ["date", "id", "expediteur", "text"]
    assert _column(rows, "date") == ["2011-09-17 10:12", "2011-09-18 10:12", "2011-09-19 10:12", ""]
    assert {*_column(rows, "expediteur")} == {"S0001", "S0002", ""}
    assert "columns written: date, id, expediteur, text\n" in told
    assert "columns dropped: ville, tel, label, action, evidence (--keep" in told


def test_a_sender_has_one_pseudonym_and_a_missing_one_has_none(
    anonymise: Run, tmp_path: Path, rows_of: Rows
) -> None:
    anonymise()
    first, second, third, fourth = _column(rows_of(tmp_path / "anon.csv"), "expediteur")
    assert first == third != second
    assert fourth == ""


def test_the_same_input_gives_the_same_bytes(anonymise: Run, tmp_path: Path) -> None:
    anonymise("--dates", "shift")
    before = (tmp_path / "anon.csv").read_bytes()
    anonymise("--dates", "shift", "--overwrite")
    assert (tmp_path / "anon.csv").read_bytes() == before


def test_without_a_key_pseudonyms_follow_from_the_whole_content(
    anonymise: Run, triaged: Path, tmp_path: Path, rows_of: Rows
) -> None:
    found = set()
    for word in ("oui", "non", "ok", "bof", "euh", "ah", "oh", "hum", "bah", "ben"):
        triaged.write_text(TRIAGED + f"{word},,m5,,,ok,NTA,NTA,\n")
        anonymise("--overwrite")
        found.add(_column(rows_of(tmp_path / "anon.csv"), "expediteur")[0])
    assert found == {"S0001", "S0002"}


def test_with_a_key_pseudonyms_follow_from_it_in_every_style(
    anonymise: Run, triaged: Path, tmp_path: Path, rows_of: Rows
) -> None:
    make_key(tmp_path / "corpus.key")
    found = []
    for n, style in enumerate(("tag", "mask", "consistent")):
        triaged.write_text(TRIAGED + f"{n},,m5,,,ok,NTA,NTA,\n")
        options = ("--style", style, "--key", tmp_path / "corpus.key", "--dates", "shift")
        anonymise(*options, "--overwrite")
        rows = rows_of(tmp_path / "anon.csv")[:4]
        found.append([(row["expediteur"], row["date"]) for row in rows])
    assert found[0] == found[1] == found[2]


def test_the_order_of_pseudonyms_tells_nothing() -> None:
    senders = [f"sender {n:02}" for n in range(50)]
    found = sender_pseudonyms(senders, b"key")
    assert found == sender_pseudonyms(senders[::-1], b"key")
    in_order = [found[sender] for sender in senders]
    assert in_order != sorted(in_order)
    assert found != sender_pseudonyms(senders, b"other")


@pytest.mark.parametrize("real", ["S0001", "s0002", " S0001 "])
def test_no_pseudonym_is_a_sender(real: str) -> None:
    found = sender_pseudonyms([real, "Karim"], b"key").values()
    assert {pseudonym.casefold() for pseudonym in found}.isdisjoint({real.strip().casefold()})
    assert len(set(found)) == 2


def test_senders_may_be_dropped(anonymise: Run, tmp_path: Path, rows_of: Rows) -> None:
    anonymise("--sender", "drop")
    assert [*rows_of(tmp_path / "anon.csv")[0]] == ["date", "id", "text"]


def test_senders_that_are_no_names_may_be_kept(
    run: Run, with_column: Callable[..., Path], tmp_path: Path, rows_of: Rows
) -> None:
    run(
        "anonymise",
        with_column(7, 31, column="sender"),
        "-o",
        tmp_path / "a.csv",
        "--sender",
        "keep",
    )
    assert _column(rows_of(tmp_path / "a.csv"), "sender") == ["7", "31"]


def test_senders_that_are_names_are_kept_when_that_is_said_twice(
    anonymise: Run, tmp_path: Path, rows_of: Rows
) -> None:
    error = _refused(anonymise("--sender", "keep"), tmp_path)
    assert (
        "'expediteur' holds first names (3 cells), last names (2 cells): leave --sender keep out"
        in error
    )
    anonymise("--sender", "keep", "--as-it-is", "expediteur")
    assert _column(rows_of(tmp_path / "anon.csv"), "expediteur")[0] == "Patrice Dupont"


@pytest.mark.parametrize(
    ("cell", "what"),
    [
        (f"appelle le 06 39 98 12 34 {MARKER}", "telephone numbers"),
        ("0639981234", "telephone numbers"),
        ("+33639981234", "telephone numbers"),
        (639981234, "telephone numbers"),
        ("33639981234", "telephone numbers"),
        (f"son compte 12345678 {MARKER}", "reference numbers"),
        (f"{MARKER}@example.org", "e-mail addresses"),
        (f"http://example.org/{MARKER}", "URLs"),
        ("12 rue Foch 34000 Montpellier", "addresses"),
        ("le code c'est 45B78", "codes"),
        (f"Patrice {MARKER}", "first names"),
        (["Karim", MARKER], "first names"),
    ],
)
def test_a_column_that_holds_identifiers_is_kept_when_that_is_said_twice(
    cell: object,
    what: str,
    run: Run,
    with_column: Callable[..., Path],
    tmp_path: Path,
    rows_of: Rows,
) -> None:
    source, output = with_column("rien", cell, cell), tmp_path / "anon.jsonl"
    error = _refused(run("anonymise", source, "-o", output, "--keep", "x"), tmp_path)
    assert f"its column 'x' holds {what} (2 cells): leave it out of --keep" in error
    assert "or add --as-it-is x" in error
    assert not any(word in error for word in (MARKER, "Patrice", "Karim", "39 98", "39981"))
    run("anonymise", source, "-o", output, "--keep", "x", "--as-it-is", "x")
    assert _column(rows_of(output), "x")[1] == cell


@pytest.mark.parametrize(
    ("cell", "what"),
    [
        ("612345678.0", "telephone numbers"),
        ("6.12345678E8", "telephone numbers"),
        ("467121314", "telephone numbers"),
        ("(06) 12 34 56 78", "telephone numbers"),
        ("33 6 12 34 56 78", "telephone numbers"),
        ("33,612,345,678", "telephone numbers"),
        ("32475123456", "telephone numbers"),
        ("sms-639981234-1", "telephone numbers"),
        ("Patrice12", "first names"),
        ("patrice.dupont.7", "first names"),
        ("Jean", "first names"),
    ],
)
def test_ids_that_are_numbers_or_names_of_somebody_are_refused(
    cell: str, what: str, run: Run, tmp_path: Path
) -> None:
    source = tmp_path / "sms.triage.csv"
    source.write_text(f'id,text,action\n"{cell}",oui,NTA\nautre,non,NTA\n')
    error = _refused(run("anonymise", source, "-o", tmp_path / "anon.csv"), tmp_path)
    assert f"its column 'id' holds {what} (1 cell)" in error
    assert "add --ids number" in error


def test_ids_that_follow_each_other_are_no_telephone_numbers(run: Run, tmp_path: Path) -> None:
    rows = "".join(f"{612345000 + n},oui,NTA\n" for n in range(9))
    (tmp_path / "sms.triage.csv").write_text(f"id,text,action\n{rows}")
    done = run("anonymise", tmp_path / "sms.triage.csv", "-o", tmp_path / "anon.csv")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_column_called_numero_is_no_id_unless_it_is_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "sms.triage.csv").write_text("numero,text,action\n612345678,oui,NTA\n")
    run("anonymise", tmp_path / "sms.triage.csv", "-o", tmp_path / "anon.csv")
    assert (tmp_path / "anon.csv").read_text() == "text\noui\n"


def test_a_header_that_names_somebody_is_refused_and_not_shown(run: Run, tmp_path: Path) -> None:
    header = "SMS de Patrice 0639981234"
    (tmp_path / "sms.triage.csv").write_text(f"id,{header},action\n1,oui,NTA\n")
    options = ("-o", tmp_path / "anon.csv", "--text-column", header)
    error = _refused(run("anonymise", tmp_path / "sms.triage.csv", *options), tmp_path)
    assert "the name of its column 2 holds first names" in error
    assert "Patrice" not in error


def test_another_column_than_the_one_triaged_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "sms.triage.csv").write_text(
        "id,text,corps,action,evidence\n1,Rose,Coucou Karim,TA,«Karim» DICTIONARY (x) 1.00\n"
    )
    error = _refused(
        run("anonymise", tmp_path / "sms.triage.csv", "-o", tmp_path / "a.csv"), tmp_path
    )
    assert "another column was triaged: name that one with --text-column" in error


@pytest.mark.parametrize(
    "cells",
    [
        ("TA", "NTA", "EXPERT", "UNTAGGED"),
        (True, False, None),
        ("oui", "non", "vrai", "faux", "NULL", ""),
        ("fr", "en", "de", "fr_FR", "français"),
        (0.0123456789, -1.5, "0.0123456789", "1,5", 1e-7),
        (1, 20110917, 12345678901, "000017", "SMS-201109170001", "sms_20110917"),
        ("2011-09-17 10.12", "17/09/2011 10h12", "2011-09-17T10:12:25.123+02:00"),
        ("9e107d9d372bb6826bd80639981234d6", "3f2504e0-4f89-11d3-9a0c-030639981234"),
        ("M", "F", "18-25", "étudiant", "SMS", "Android", "mars", "<PRE_7>"),
    ],
)
def test_a_column_of_labels_numbers_or_dates_is_kept(
    cells: tuple[object, ...], run: Run, with_column: Callable[..., Path], tmp_path: Path
) -> None:
    done = run("anonymise", with_column(*cells), "-o", tmp_path / "anon.csv", "--keep", "x")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_column_that_shows_the_words_is_kept_when_that_is_said_twice(
    anonymise: Run, tmp_path: Path
) -> None:
    error = _refused(anonymise("--keep", "evidence"), tmp_path)
    assert "'evidence' holds the words of messages, or where they stood: leave" in error
    assert anonymise("--keep", "evidence", "--as-it-is", "evidence").returncode == 0


def test_an_error_names_all_columns_that_hold_something(anonymise: Run, tmp_path: Path) -> None:
    error = _refused(anonymise("--keep", "tel", "--keep", "evidence"), tmp_path)
    assert "'tel' holds telephone numbers (3 cells)" in error
    assert "'evidence' holds" in error


def test_columns_that_are_kept_stand_where_they_stood(anonymise: Run, tmp_path: Path) -> None:
    anonymise("--keep", "label", "--keep", "ville")
    header = (tmp_path / "anon.csv").read_text().splitlines()[0]
    assert header == "ville,date,id,expediteur,text,label"


def test_ids_that_are_telephone_numbers_are_refused_or_numbered(
    anonymise: Run, tmp_path: Path, rows_of: Rows
) -> None:
    error = _refused(anonymise("--id-column", "tel"), tmp_path)
    assert "'tel' holds telephone numbers (3 cells): add --ids number, or add --as-it-is" in error
    anonymise("--id-column", "tel", "--ids", "number")
    assert _column(rows_of(tmp_path / "anon.csv"), "tel") == ["1", "2", "3", "4"]


@pytest.mark.parametrize(
    ("numbers", "code"), [((712345678, 712345679, 712345680), 0), ((612345678,) * 3, 2)]
)
def test_numbers_of_nine_digits_are_ids_if_they_follow_each_other(
    numbers: tuple[int, ...], code: int, run: Run, with_column: Callable[..., Path], tmp_path: Path
) -> None:
    source = with_column(*numbers, column="id", id_="x")
    assert run("anonymise", source, "-o", tmp_path / "anon.csv").returncode == code


def test_what_stands_beside_a_date_is_searched(
    run: Run, with_column: Callable[..., Path], tmp_path: Path
) -> None:
    source = with_column("2011-09-17", "samedi chez Patrice", column="date")
    error = _refused(run("anonymise", source, "-o", tmp_path / "anon.csv"), tmp_path)
    assert "'date' holds first names (1 cell): add --dates drop" in error


@pytest.mark.parametrize(
    ("dates", "first"), [("day", "2011-09-17"), ("month", "2011-09"), ("year", "2011")]
)
def test_dates_may_be_made_coarser(
    dates: str, first: str, anonymise: Run, tmp_path: Path, rows_of: Rows
) -> None:
    anonymise("--dates", dates)
    assert _column(rows_of(tmp_path / "anon.csv"), "date")[0] == first


def test_dates_may_be_dropped(anonymise: Run, tmp_path: Path) -> None:
    anonymise("--dates", "drop")
    assert (tmp_path / "anon.csv").read_text().startswith("id,expediteur,text\n")


def test_all_dates_of_a_sender_are_shifted_by_the_same_days(
    anonymise: Run, tmp_path: Path, rows_of: Rows
) -> None:
    anonymise("--dates", "shift")
    first, second, third, missing = _column(rows_of(tmp_path / "anon.csv"), "date")
    shifted = [datetime.fromisoformat(str(cell)) for cell in (first, second, third)]
    was = [datetime(2011, 9, day, 10, 12) for day in (17, 18, 19)]
    by = [(one - other).days for one, other in zip(shifted, was, strict=True)]
    assert by[0] == by[2] != by[1]
    assert 0 not in by
    assert missing == ""


def test_dates_of_unknown_senders_are_shifted_each_by_its_own_days(
    run: Run, with_column: Callable[..., Path], tmp_path: Path, rows_of: Rows
) -> None:
    source = with_column("2011-09-17", "2011-09-17", "2011-09-17", column="date")
    run("anonymise", source, "-o", tmp_path / "anon.csv", "--dates", "shift")
    shifted = _column(rows_of(tmp_path / "anon.csv"), "date")
    assert len({*shifted, "2011-09-17"}) == 4


def test_a_date_that_cannot_be_read_is_named_by_its_line(
    run: Run, with_column: Callable[..., Path], tmp_path: Path
) -> None:
    source = with_column("2011-09-17", MARKER, column="date")
    done = run("anonymise", source, "-o", tmp_path / "anon.csv", "--dates", "month")
    error = _refused(done, tmp_path)
    assert "line 2: its date is no date such as" in error
    assert MARKER not in error


def test_another_column_of_dates_may_be_named(
    anonymise: Run, triaged: Path, tmp_path: Path
) -> None:
    triaged.write_text("text,quand,action\noui,17/09/2011,NTA\n")
    anonymise("--date-column", "quand", "--dates", "year")
    assert (tmp_path / "anon.csv").read_text() == "text,quand\noui,2011\n"


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (("--keep", "expediteur"), "'expediteur' would not be written as it is: say --sender keep"),
        (("--keep", "date", "--dates", "day"), "would not be written as it is: say --dates keep"),
        (("--keep", "id", "--ids", "number"), "would not be written as it is: say --ids keep"),
        (("--as-it-is", "tel"), "'tel' would not be written as it is: say --keep tel"),
        (("--as-it-is", "text"), "'text' is the column of messages: --as-it-is is for others"),
        (("--keep", "none"), "no column 'none'"),
        (("--as-it-is", "none"), "no column 'none'"),
        (("--date-column", "none"), "no column 'none'"),
        (("--date-column", "text"), "name that of the dates with --date-column"),
    ],
)
def test_a_choice_that_cannot_be_followed_is_an_error(
    options: tuple[str, ...], error: str, anonymise: Run, tmp_path: Path
) -> None:
    assert error in _refused(anonymise(*options), tmp_path)


@pytest.mark.parametrize(
    ("options", "column"),
    [
        (("--ids", "number"), "ids to number: name it with --id-column"),
        (("--sender", "keep"), "senders: name it with --sender-column"),
        (("--dates", "shift"), "dates: name it with --date-column"),
    ],
)
def test_a_choice_for_a_column_that_is_not_there_is_an_error(
    options: tuple[str, ...], column: str, anonymise: Run, triaged: Path, tmp_path: Path
) -> None:
    triaged.write_text("text,action\noui,NTA\n")
    assert f"has no column of {column}" in _refused(anonymise(*options), tmp_path)


@pytest.mark.parametrize("format_", ["xlsx", "parquet", "jsonl"])
def test_typed_cells_stay_typed(format_: str, run: Run, tmp_path: Path, rows_of: Rows) -> None:
    source, output = tmp_path / f"sms.triage.{format_}", tmp_path / f"anon.{format_}"
    when = datetime(2011, 9, 17, 10, 12, 25)
    with create_output(source, ["id", "sender", "date", "text", "action", "score"]) as file:
        file.write(
            [
                [4001, 639981234, when, "Coucou Karim", "TA", 0.5],
                [4002, None, None, "ok", "NTA", 1.5],
            ]
        )
        file.commit()
    done = run("anonymise", source, "-o", output, "--keep", "score", "--dates", "month")
    assert (done.returncode, done.stderr) == (0, "")
    first, second = rows_of(output)
    assert first == {
        "id": 4001,
        "sender": "S0001",
        "date": "2011-09",
        "text": "Coucou <PRE_5>",
        "score": 0.5,
    }
    assert [second["sender"], second["date"]] == [None, None]


def test_metadata_of_parquet_stay_behind(run: Run, tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is an extra")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is an extra")
    told = {"senders": MARKER}
    fields = [arrow.field(name, arrow.string(), metadata=told) for name in ("id", "text", "action")]
    schema = arrow.schema(fields, metadata=told)
    columns = [arrow.array([cell]) for cell in ("m1", "oui", "NTA")]
    source, output = tmp_path / "sms.triage.parquet", tmp_path / "anon.parquet"
    parquet.write_table(arrow.Table.from_arrays(columns, schema=schema), source)
    assert run("anonymise", source, "-o", output).returncode == 0
    assert MARKER.encode() in source.read_bytes()
    assert MARKER.encode() not in output.read_bytes()


def test_windows_1252_is_read_and_searched(anonymise: Run, triaged: Path, tmp_path: Path) -> None:
    text = "id;prénom;text;action\n1;Frédérique;déjà là l’été;NTA\n2;Frédérique;ça va où;NTA\n"
    triaged.write_bytes(text.encode("cp1252"))
    assert "'prénom' holds first names (2 cells)" in _refused(
        anonymise("--keep", "prénom"), tmp_path
    )
    anonymise()
    assert "Frédérique" not in (tmp_path / "anon.csv").read_text(encoding="utf-8")


# Further columns of persons


def test_a_receiver_has_the_pseudonym_that_they_have_as_a_sender(
    run: Run, tmp_path: Path, rows_of: Rows
) -> None:
    (tmp_path / "sms.csv").write_text(
        "id,expediteur,destinataire,text,action\n"
        "1,Patrice Dupont,Lucie Martin,oui,NTA\n"
        "2,Lucie Martin,Patrice Dupont,non,NTA\n"
        "3,Lucie Martin,,ok,NTA\n"
        "4,Lucie Martin,0639981234,ok,NTA\n"
    )
    output = tmp_path / "anon.csv"
    done = run("anonymise", tmp_path / "sms.csv", "-o", output, "--pseudonym", "destinataire")
    assert done.returncode == 0, done.stderr
    rows = [(row["expediteur"], row["destinataire"]) for row in rows_of(output)]
    patrice, lucie = rows[0]
    assert rows[1] == (lucie, patrice)
    assert rows[2] == (lucie, "")
    assert rows[3][1] not in ("", patrice, lucie, "0639981234")
    record = json.loads((tmp_path / "anon.record.json").read_text())
    assert {"column": "destinataire", "treatment": "changed: pseudonym"} in record["columns"]


@pytest.mark.parametrize("column", ["text", "id", "expediteur", "date"])
def test_a_column_with_a_treatment_of_its_own_gets_no_pseudonyms(
    column: str, anonymise: Run, tmp_path: Path
) -> None:
    done = anonymise("--pseudonym", column)
    assert done.returncode == 2
    assert "--pseudonym is for other columns" in done.stderr
    assert not (tmp_path / "anon.csv").exists()


def test_a_plan_names_the_columns_of_pseudonyms(
    anonymise: Run, tmp_path: Path, rows_of: Rows
) -> None:
    (tmp_path / "plan.toml").write_text('[columns]\npseudonym = ["tel"]\n')
    assert anonymise("--plan", tmp_path / "plan.toml").returncode == 0
    cells = [row["tel"] for row in rows_of(tmp_path / "anon.csv")]
    assert cells[0] == cells[2] != cells[1]
    assert "0639981234" not in cells
