"""``triage anonymise --document``: a TEI document is written again with its messages anonymised."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cases import cases_beside
from tests.data.files import read
from tests.tables import write_key
from tests.triage.cli.program import Refused, Run

CASES = cases_beside(__file__)
Published = Callable[..., tuple[bytes, dict[str, int]]]
CORPUS = CASES["corpus"]


@pytest.fixture
def corpus(own_folder: Path) -> Path:
    path = Path("corpus.xml")
    path.write_text(CORPUS, encoding="utf-8")
    return path


@pytest.fixture
def published(done: Run) -> Published:
    def publish(document: str, *options: str) -> tuple[bytes, dict[str, int]]:
        corpus, triaged = Path("sms.xml"), Path("sms.triage.csv")
        corpus.write_text(document, encoding="utf-8")
        done("classify", corpus, "-o", triaged)
        told = ("--document", corpus, "-o", Path("anon.xml"), "--hold", "none", "--json")
        told_of = json.loads(done("anonymise", triaged, *told, *options).stdout)
        return Path("anon.xml").read_bytes(), told_of["document"]

    return publish


@pytest.mark.parametrize("name", CASES["headers"])
def test_nothing_planted_in_a_header_stands_in_any_byte(name: str, published: Published) -> None:
    case = CASES["headers"][name]
    found, counts = published(case["document"])
    for planted in case["planted"]:
        assert planted.encode() not in found, planted
    for stays in case["stays"]:
        assert stays.encode() in found, stays
    assert counts == case["counts"]
    assert not _dangling(found)


def _dangling(document: bytes) -> set[str]:
    """Return the references of a document that point to nothing."""
    tags = [*ElementTree.fromstring(document).iter()]
    ids = {tag.get("{http://www.w3.org/XML/1998/namespace}id") for tag in tags}
    values = (one for tag in tags for value in tag.attrib.values() for one in value.split())
    return {one for one in values if one.startswith("#") and one[1:] not in ids}


@pytest.mark.parametrize("options", CASES["options"])
def test_references_resolve_whatever_becomes_of_senders(options: str, published: Published) -> None:
    found, _ = published(CASES["headers"]["of a corpus of messages"]["document"], *options.split())
    assert not _dangling(found)
    assert b"olveig" not in found


@pytest.mark.parametrize("style", ["consistent", "surrogate"])
def test_a_person_has_one_pseudonym_in_header_and_message(style: str, published: Published) -> None:
    write_key(Path("k"))
    case = CASES["headers"]["of a transcription"]
    found = published(case["document"], "--style", style, "--key", "k")[0].decode()
    [title] = re.findall("<title>Messages de (.+?), 2011</title>", found)
    assert f"Bisous {title}" in found


def test_surrogates_beside_messages_are_told_from_names(published: Published, done: Run) -> None:
    write_key(Path("k"))
    case, keys = CASES["headers"]["of a corpus of messages"], ("--key-table", "keys.csv")
    published(case["document"], "--style", "surrogate", "--key", "k", *keys)
    assert "certain  " not in done("check", "anon.xml", *keys).stdout
    done("restore", "anon.xml", *keys, "-o", "a.csv")


def test_what_is_kept_beside_the_messages_loses_its_identifiers(published: Published) -> None:
    case = CASES["headers"]["of a corpus of messages"]
    kept = [option for kind in ("comment", "note", "instruction") for option in ("--keep", kind)]
    found, counts = published(case["document"], *kept)
    assert all(one in found for one in (b"<!-- relu par ", b"xml-model", b"voir "))
    assert b"Solveig" not in found.partition(b"<text>")[0]
    assert not {"comments left out", "notes left out", "instructions left out"} & {*counts}


@pytest.mark.parametrize("markup", ["text", "gap"])
def test_identifiers_across_lines_are_published_and_restored(markup: str, done: Run) -> None:
    corpus, triaged, keys = (Path(name) for name in ("sms.xml", "sms.triage.csv", "keys.csv"))
    posts = "".join(f"<post>{text}</post>" for text in CASES["across_lines"])
    corpus.write_text(f"<TEI><text><body>{posts}</body></text></TEI>", encoding="utf-8")
    done("classify", corpus, "-o", triaged)
    told = ("--document", corpus, "--key-table", keys, "--plan", f"markup={markup}")
    forms = [part for one in ("iob2", "brat", "spacy", "datasets") for part in ("--to", one)]
    why = ("--plan", "hold=none", "--because", "nobody is named")
    done("publish", triaged, "-o", Path("p"), *told, *why, *forms)
    done("restore", Path("p") / "corpus.xml", "--key-table", keys, "-o", Path("a.csv"))
    assert read("a.csv")[1].texts == read(triaged)[1].texts


OF_ANOTHER = "is not what triage classify read from corpus.xml: "
REFUSED = [
    *((CASES["triaged"], *case) for case in CASES["what_a_document_cannot_be_is_refused"]),
    *(
        (CASES["triaged"].replace(old, new), CASES["usual"], f"{OF_ANOTHER}{why}")
        for old, new, why in CASES["other_tables"]
    ),
]


@pytest.mark.parametrize(("table", "options", "why"), REFUSED)
def test_what_a_document_or_its_table_cannot_be_is_refused(
    table: str, options: str, why: str, refused: Refused, corpus: Path, triaged: Path
) -> None:
    triaged.write_text(table, encoding="utf-8")
    assert why in refused("anonymise", *options.split())
    assert corpus.read_text(encoding="utf-8") == CORPUS
