"""The reader, on files of every format: case by case, their format, chunks and dates."""

import gzip
import io
import re
import sys
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases_beside, joined
from tests.data.files import file_of, read, write, zipped
from tests.processes import done_by
from triage.data import MISSING, Chunk, DataError, MessageFile, open_messages
from triage.data.dates import DateTally, moment_of, read_date
from triage.data.errors import words_of

pytestmark = pytest.mark.usefixtures("own_folder")
CHATS = cases_beside(__file__, "chats.toml")["case"]


def of_whatsapp() -> Iterator[dict[str, Any]]:
    """Yield chats whose headers, order of dates, kinds and dated lines stand in tables."""
    tables = cases_beside(__file__, "whatsapp.toml")
    for header, expected in tables["headers"]:
        row = [expected, "Léa", "message", "t où : là ?"]
        yield {"content": f"{header}Léa: t où : là ?\n", "format": "whatsapp", "rows": [row]}
    for case in tables["orders"]:
        content = "".join(f"{date}, 14:05 - Léa: Ok\n" for date in case["dates"])
        facts = [f"dates as {case['form']}", "100% of its lines begin a message"]
        yield {"content": content, "first_date": str(case["first"]), "facts": facts}
    for said, kind in tables["kinds"]:
        yield {"content": f"[31/01/2021 14:05:09] Léa: {said}\n", "kinds": [kind]}
    for line in tables["dated"]["lines"]:
        content = f"{line}\nmdr\noui\nnon\nbof\n" * 3
        fault = "3 of its first {} lines.*--format whats"
        yield {"content": content, "error": fault.format(15)}
        yield {"content": f"{line}\n" * 3, "error": fault.format(3)}
        yield {"content": content, "options": {"format": "lines"}, "n_rows": 15}
    yield from ({"content": f"{one}\n" * 5, "format": "lines"} for one in tables["dated"]["plain"])


CASES: list[dict[str, Any]] = [
    case
    for name in ("reading", "limits", "objects", "phones", "chats", "whatsapp", "tei")
    for case in cases_beside(__file__, f"{name}.toml")["case"]
] + [{"about": case["content"][:40], "name": "chat.txt"} | case for case in of_whatsapp()]


def what_was_read(messages: MessageFile, chunk: Chunk) -> dict[str, object]:
    facts, doubts = messages.notes()
    roles = messages.dialect.roles
    rows = [[*map(as_in_toml, row)] for row in chunk.rows]
    return {
        "format": messages.format.value,
        "columns": [*messages.columns],
        "text_column": messages.text_column,
        "id_column": messages.id_column or "",
        "sender": roles.get("sender", ""),
        "date": roles.get("date", ""),
        "read_as": messages.dialect.encoding,
        "separator": messages.dialect.separator,
        "line_terminator": messages.dialect.line_terminator,
        "bom": messages.dialect.bom,
        "n_rows": len(rows),
        "rows": rows,
        "dates": [row[0] for row in rows],
        "first_date": str(rows[0][0])[:10] if rows else "",
        "kinds": [row[2] for row in rows if "kind" in messages.columns],
        "texts": chunk.texts,
        "ids": chunk.ids,
        "lines": chunk.lines,
        "rejects": [[*one.cells] for one in messages.rejects],
        "reasons": [[one.line, one.reason] for one in messages.rejects],
        "facts": [*facts],
        "doubts": len(doubts),
        "doubt": "; ".join(doubts),
    }


def as_in_toml(cell: object) -> object:
    """Return a cell as a case writes it: TOML has no null."""
    if cell is None or cell is MISSING:
        return "<none>" if cell is None else "<missing>"
    return str(cell) if isinstance(cell, datetime) else cell


def content_of(case: dict[str, Any]) -> bytes:
    if "zip" in case:
        return zipped(
            "whole", **{name: joined(of) for name, of in case["zip"].items()}
        ).read_bytes()
    content = joined(case["content"]).encode(case.get("encoding", "utf-8"))
    return gzip.compress(content, mtime=0) if case.get("gzip") else content


StandardInput = Callable[[bytes], None]


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> StandardInput:
    return lambda content: monkeypatch.setattr(
        sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content))
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["about"])
def test_a_file_is_read_or_refused(
    case: dict[str, Any], stdin: StandardInput, monkeypatch: pytest.MonkeyPatch
) -> None:
    content, name = content_of(case), case.get("name", "sms.csv")
    stdin(content)
    path = "-" if name == "-" else file_of(content, name)
    options = case.get("options", {})
    for name, limit in case.get("limits", {}).items():
        monkeypatch.setattr(f"triage.data.limits.{name}", limit)
    if fault := case.get("error"):
        with pytest.raises(DataError, match=fault) as caught:
            read(path, **options)
        assert not re.search("Zoé|Karim|Zéphyrine|Léa", str(caught.value))
        return
    found = what_was_read(*read(path, **options))
    wanted = {key: value for key, value in case.items() if key in found}
    assert wanted
    assert {key: found[key] for key in wanted} == wanted
    if path != "-":
        with open_messages(path, **options) as again:
            assert list(again.chunks()) == list(again.chunks())


@pytest.mark.parametrize("case", [c for c in CHATS if "rows" in c], ids=lambda case: case["about"])
def test_an_export_cut_short_loses_no_message_in_silence(case: dict[str, Any]) -> None:
    path = file_of(case["content"].rstrip()[:-60])
    if case["format"] == "signal":
        assert read(path)[0].rejects[-1].reason == "not JSON"
        return
    with pytest.raises(DataError, match="it is not JSON") as caught:
        open_messages(path)
    assert "Zoé" not in str(caught.value)


def test_each_line_of_an_error_is_named_by_the_code() -> None:
    folder = Path(__file__).parents[2] / "data"
    code = "".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py")))
    unnamed = {which for which in words_of("errors") if f'"{which}"' not in code}
    assert unnamed == {f"damaged.{suffix}" for suffix in ("xlsx", "ods")}


CSV = b"id,text\n1,Coucou Zo\xc3\xa9\n"
PACKED = gzip.compress(CSV * 1000, mtime=0)
TEXT_FORMATS = ["sms.csv", "sms.tsv", "sms.jsonl", "sms.csv.gz"]
BINARY_FORMATS = ["sms.xlsx", "sms.ods", "sms.parquet"]


@pytest.mark.parametrize("name", BINARY_FORMATS)
def test_content_tells_a_binary_format_and_its_damage(name: str, stdin: StandardInput) -> None:
    path = write(name, ["text"], [["Coucou Zoé"]])
    content = path.read_bytes()
    stdin(content)
    for source in ("-", path.rename("other.csv")):
        messages, chunk = read(source)
        assert messages.format.value == Path(name).suffix[1:]
        assert chunk.texts == ["Coucou Zoé"]
    for kept in (4, 100, -50):
        with pytest.raises(DataError, match=r"not a readable .*damaged"):
            open_messages(file_of(content[:kept], name))


def test_a_process_that_reads_standard_input_loads_nothing_heavy_and_leaves_no_file() -> None:
    heavy = {"pandas", "numpy", "openpyxl", "xlsxwriter", "xml.etree.ElementTree", "pyarrow"}
    program = (
        "import sys\nfrom triage.data import open_messages\nwith open_messages('-') as m: "
        f"print([c.texts for c in m.chunks()], {heavy} & set(sys.modules))"
    )
    command = sys.executable, "-c", program
    done = done_by(*command, stdin=CSV.decode(), TMPDIR=str(Path.cwd()))
    assert (done.stdout, done.stderr) == ("[['Coucou Zoé']] set()\n", "")
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize("content", [PACKED[:-20], PACKED[:-1], PACKED[:15] + b"\xff" * 20, CSV])
def test_a_damaged_gzip_file_is_said_to_be_damaged(content: bytes) -> None:
    with pytest.raises(DataError, match="not a whole gzip file"):
        open_messages(file_of(content, "sms.csv.gz"))


@pytest.mark.parametrize("name", [*TEXT_FORMATS, *BINARY_FORMATS])
def test_a_file_is_read_in_chunks_repeatedly(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(name, ["id", "text"], [[n, f"Coucou {n}"] for n in range(70)])
    with open_messages(path, chunk_rows=40) as messages:
        assert messages.lines == pytest.approx(70, abs=1)
        assert [(len(chunk.rows), messages.rows_read) for chunk in messages.chunks()] == [
            (40, 40),
            (30, 70),
        ]
        assert list(messages.chunks()) == list(messages.chunks())
        assert messages.rows_read == 70
        half_way = messages.chunks()
        next(half_way)
    # Warnings are errors here, also those of a generator that ends after its file is closed.
    del half_way
    monkeypatch.setattr("triage.data.limits.CHUNK_CELLS", 80)
    with open_messages(path) as messages:
        assert [len(chunk.rows) for chunk in messages.chunks()] == [40, 30]


@pytest.mark.parametrize("name", [*TEXT_FORMATS, "sms.parquet"])
def test_memory_stays_flat_however_long_the_file_and_wide_its_rows(name: str) -> None:
    path = write(name, ["text"], [["Coucou Zoé, à demain ! " * 160]] * 4_000)
    tracemalloc.start()
    with open_messages(path) as messages:
        for chunk in messages.chunks():
            assert sum(map(len, chunk.texts)) < 1_300_000
        _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert messages.rows_read == 4_000
    # The texts alone are over 15 MB.
    assert peak < 8_000_000


def test_emojis_of_a_backup_are_read_wherever_it_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    sms = '<sms body="&#55357;&#56832; mdr &#233;"/>\n'
    path = file_of(f"<smses>\n{sms * 20}</smses>", "sms.xml")
    for size in range(1, 40):
        monkeypatch.setattr("triage.data.chats._PIECE", size)
        assert read(path)[1].texts == ["😀 mdr é"] * 20


ANDROID = "31/01/2021, 14:05 - Léa Martin: Coucou Zoé !\n31/01/2021, 14:06 - Zoé: slt\n"


def test_a_damaged_text_that_was_sent_hides_no_chat() -> None:
    path = zipped("a.zip", **{"_chat.txt": ANDROID, "sent.txt": "pain"})
    checksum = zlib.crc32(b"pain").to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(checksum, b"\0" * 4))
    assert read(path)[1].texts == ["Coucou Zoé !", "slt"]


@pytest.mark.parametrize("kept", [40, 200, -60, None])
def test_a_damaged_zip_is_said_to_be_damaged(kept: int | None) -> None:
    path = zipped("chat.zip", **{"_chat.txt": ANDROID * 50})
    content = path.read_bytes()
    within = content[:60] + b"\xff" * 60 + content[120:]
    path.write_bytes(content[:kept] if kept else within)
    with pytest.raises(DataError, match="not a readable zip file"):
        open_messages(path)


def test_a_zip_with_a_name_that_is_not_utf_8_is_said_to_be_damaged() -> None:
    path = zipped("chat.zip", **{"chaté.txt": ANDROID})
    path.write_bytes(path.read_bytes().replace("é".encode(), b"\xff\xfe"))
    with pytest.raises(DataError, match="not a readable zip file"):
        open_messages(path)


said = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf"]), min_size=1, max_size=40)


@given(texts=st.lists(said.filter(lambda text: text.strip() == text), min_size=1, max_size=5))
def test_what_was_said_is_read_as_it_was(texts: list[str]) -> None:
    content = "".join(f"31/01/2021, 14:05 - Léa: {text}\n" for text in texts)
    assert read(file_of(content, "chat.txt"))[1].texts == texts


DATES = cases_beside(__file__, "dates.toml")


@pytest.mark.parametrize(
    ("cell", "expected"), [*DATES["read"], *((cell, None) for cell in [None, *DATES["no_dates"]])]
)
def test_a_date_of_any_form_is_read(cell: object, expected: object) -> None:
    assert moment_of(cell) == expected


@pytest.mark.parametrize(("written", "moved", "month"), DATES["another_date_is_written_alike"])
def test_another_date_is_written_alike(written: str, moved: str, month: str) -> None:
    found = read_date(written)
    assert found
    assert found.day
    assert found.with_day(found.day + timedelta(1)) == moved
    assert found.only("month", "year") == month


@pytest.mark.parametrize(("cells", "said"), DATES["said"])
def test_what_is_not_ordinary_of_dates_is_said(cells: list[object], said: str) -> None:
    tally = DateTally()
    for cell in cells:
        tally.add([cell])
    assert tally.note("date") == said
