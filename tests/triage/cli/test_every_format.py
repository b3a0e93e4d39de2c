"""Every format: triaged, anonymised, written back, and read by another program than this one."""

import csv
import json
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any
from xml.etree import ElementTree

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.data import sheet_files
from triage.data import Format
from triage.data.formats import FORMATS, WRITERS
from triage.data.output import default_output

Run = Callable[..., CompletedProcess[str]]

COLUMNS = ["N°", "Expéditeur", "Contenu"]
ROWS = [["1", "Léa", "Coucou Patrice, ça va ?"], ["2", "Karim", "Oui et toi\nà demain"]]
ANONYMOUS = ["Coucou <PRE_7>, ça va ?", "Oui et toi\nà demain"]


def delimited(path: Path, separator: str, encoding: str) -> None:
    with path.open("w", newline="", encoding=encoding) as file:
        csv.writer(file, delimiter=separator).writerows([COLUMNS, *ROWS])


def json_of(path: Path, found: object) -> None:
    path.write_text(json.dumps(found, ensure_ascii=False, indent=1), encoding="utf-8")


def json_lines(path: Path, found: list[dict[str, Any]]) -> None:
    path.write_text("".join(f"{json.dumps(one)}\n" for one in found), encoding="utf-8")


def objects() -> list[dict[str, str]]:
    return [dict(zip(COLUMNS, row, strict=True)) for row in ROWS]


def workbook(path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (["Corpus de SMS"], COLUMNS, *ROWS):
        book.active.append(row)
    book.save(path)


def parquet(path: Path) -> None:
    pq.write_table(pa.table(dict(zip(COLUMNS, zip(*ROWS, strict=True), strict=True))), path)


def whatsapp(path: Path) -> None:
    text = "".join(f"31/01/2021, 14:05 - {who}: {said}\n" for _, who, said in ROWS)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("Discussion WhatsApp.txt", text)


def sms_backup(path: Path) -> None:
    root = ElementTree.Element("smses")
    for _, who, said in ROWS:
        ElementTree.SubElement(root, "sms", address=who, type="1", date="1612101909000", body=said)
    ElementTree.ElementTree(root).write(path, "UTF-8", xml_declaration=True)


def telegram(path: Path) -> None:
    found = [{"id": n, "type": "message", "from": who, "text": said} for n, who, said in ROWS]
    json_of(path, {"name": "Les copines", "type": "private_group", "messages": found})


def signal(path: Path) -> None:
    said = [{"authorId": n, "standardMessage": {"text": {"body": t}}} for n, _, t in ROWS]
    people = [{"recipient": {"id": n, "contact": {"username": who}}} for n, who, _ in ROWS]
    json_lines(path, [*people, *({"chatItem": one} for one in said)])


def google_chat(path: Path) -> None:
    json_of(path, {"messages": [{"creator": {"name": who}, "text": t} for _, who, t in ROWS]})


def messenger(path: Path) -> None:
    said = [{"sender_name": who, "content": t.encode().decode("latin-1")} for _, who, t in ROWS]
    json_of(path, {"participants": [{"name": "x"}], "messages": said})


def imessage(path: Path) -> None:
    said = (f"May 17, 2022  5:29:42 PM\n{who}\n{text}\n\n" for _, who, text in ROWS)
    path.write_text("".join(said), encoding="utf-8")


def tei(path: Path) -> None:
    posts = (
        f'<post xml:id="m{n}" who="#{who}"><p>{said}</p></post>\n'.replace("toi\n", "toi<lb/>")
        for n, who, said in ROWS
    )
    tei = '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc/></teiHeader>'
    content = f"{tei}<text><body><div>{''.join(posts)}</div></body></text></TEI>"
    path.write_text(content, encoding="utf-8")


def sqlite(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE sms (id, sender, text)")
        database.executemany("INSERT INTO sms VALUES (?, ?, ?)", ROWS)


def lines(path: Path) -> None:
    path.write_text("\n".join(said.replace("\n", " ") for *_, said in ROWS), encoding="utf-8")


# The name of a file of each format, and what writes it.
MADE: dict[Format, tuple[str, Callable[[Path], object]]] = {
    Format.CSV: ("sms.csv", lambda path: delimited(path, ";", "cp1252")),
    Format.TSV: ("sms.tsv", lambda path: delimited(path, "\t", "utf-16")),
    Format.JSONL: ("sms.jsonl", lambda path: json_lines(path, objects())),
    Format.JSON: ("sms.json", lambda path: json_of(path, objects())),
    Format.XLSX: ("sms.xlsx", workbook),
    Format.ODS: ("sms.ods", lambda path: sheet_files.workbook(path, {"SMS": [COLUMNS, *ROWS]})),
    Format.PARQUET: ("sms.parquet", parquet),
    Format.WHATSAPP: ("chat.zip", whatsapp),
    Format.LINES: ("sms.txt", lines),
    Format.SMS_BACKUP: ("sms.xml", sms_backup),
    Format.TELEGRAM: ("result.json", telegram),
    Format.SIGNAL: ("main.jsonl", signal),
    Format.GOOGLE_CHAT: ("messages.json", google_chat),
    Format.MESSENGER: ("message_1.json", messenger),
    Format.IMESSAGE: ("copines.txt", imessage),
    Format.TEI: ("corpus.xml", tei),
    Format.SQLITE: ("sms.db", sqlite),
}


def of_delimited(path: Path, separator: str) -> list[str]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        return [str(row[text_key(row)]) for row in csv.DictReader(file, delimiter=separator)]


def text_key(row: dict[str, Any]) -> str:
    return next(key for key in ("Contenu", "text") if key in row)


def of_csv(path: Path) -> list[str]:
    first = path.read_text(encoding="utf-8-sig").partition("\n")[0]
    return of_delimited(path, ";" if ";" in first else ",")


def of_objects(found: list[dict[str, Any]]) -> list[str]:
    return [str(one[text_key(one)]) for one in found]


def of_sheet(rows: list[list[Any]]) -> list[str]:
    return [str(row[rows[0].index("Contenu")]) for row in rows[1:]]


def of_workbook(path: Path) -> list[str]:
    return of_sheet([list(row) for row in openpyxl.load_workbook(path).active.values])


def of_posts(path: Path) -> list[str]:
    found = ElementTree.parse(path).iter("{http://www.tei-c.org/ns/1.0}post")  # noqa: S314
    return ["\n".join(post.itertext()) for post in found]


# What else reads the files, by their extensions.
READERS: dict[str, Callable[[Path], list[str]]] = {
    ".csv": of_csv,
    ".tsv": lambda path: of_delimited(path, "\t"),
    ".jsonl": lambda path: of_objects(
        [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    ),
    ".json": lambda path: of_objects(json.loads(path.read_text(encoding="utf-8"))),
    ".xlsx": of_workbook,
    ".parquet": lambda path: pq.read_table(path).column("Contenu").to_pylist(),
    ".xml": of_posts,
}


def test_all_formats_are_here_and_in_the_table_of_the_documents() -> None:
    assert set(MADE) == set(FORMATS)
    root = Path(__file__).parents[3]
    table = [
        line.split("|")
        for line in (root / "docs" / "files.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("| `")
    ]
    known = {format_.value for format_ in Format}
    rows = {name.strip("` "): row for row in table for name in row[1].split(",")}
    assert {name for name in rows if name in known} == known
    for format_ in Format:
        assert rows[format_.value][4].strip().startswith("no: ") is (format_ not in WRITERS)
        for extension in FORMATS[format_].extensions:
            assert f"`{extension}`" in rows[format_.value][2]


@pytest.mark.parametrize("format_", MADE, ids=lambda format_: format_.value)
def test_a_file_comes_back_anonymised(
    format_: Format, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name, make = MADE[format_]
    make(Path(name))
    told = run("classify", name)
    assert f"read as {format_.value}: messages in " in told.stdout
    triaged = default_output(name)
    options: tuple[str, ...] = ()
    if format_ is Format.TEI:
        options = ("--document", name)
    output = Path("anonyme").with_suffix(".xml" if options else triaged.suffix)
    done = run("anonymise", triaged, "-o", output, "--hold", "none", *options)
    assert (done.returncode, done.stderr) == (0, "")
    expected = (
        ANONYMOUS if format_ is not Format.LINES else [t.replace("\n", " ") for t in ANONYMOUS]
    )
    assert READERS[output.suffix](output) == expected
    checked = run("check", output, "--against", name)
    assert "clean: nothing certain is left" in checked.stdout
