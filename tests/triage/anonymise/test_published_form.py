"""Tags are those of the published corpus: the benchmark's identifiers, masked, are that corpus."""

import csv
import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from triage.anonymise.entity import Spelling
from triage.anonymise.run import replaced
from triage.anonymise.styles import tag
from triage.decide.find import Identifier
from triage.vocabulary import IdentifierType

SHARED = Path(__file__).parents[4] / "shared"
BENCHMARK = SHARED / "benchmarks" / "sms_fr.csv.gz"
PUBLISHED = SHARED / "corpora" / "88milsms" / "raw_1_23055.csv.gz"

pytestmark = pytest.mark.skipif(
    not (BENCHMARK.exists() and PUBLISHED.exists()),
    reason=f"the published corpus and the benchmark are not in {SHARED}",
)


def rows(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def tagged(text: str, spans: list[tuple[int, int, str]]) -> str:
    """Tag each span by the first of its types."""
    found = [
        Identifier(start, end, IdentifierType(kind.split("_")[0]), "expert")
        for start, end, kind in sorted(spans)
    ]
    return replaced(
        text,
        [(one, tag(Spelling(text[one.start : one.end], one.type), lengths=True)) for one in found],
    )


def test_tags_are_those_of_the_published_corpus() -> None:
    published = {row["NUM_SMS"]: row["SMS_ANON"] for row in rows(PUBLISHED)}
    # 15 tags join two types; 29 invented addresses could not be made as long as the masked ones.
    same = [
        published[row["id"]]
        == tagged(row["text"], [tuple(span) for span in json.loads(row["spans"])])
        for row in rows(BENCHMARK)
    ]
    assert (sum(same), len(same)) == (22_173, 22_217)
