"""``triage dictionaries``: what lists and recognisers there are, and how many names they hold."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from triage.dictionaries import Lexicon
from triage.dictionaries.recognisers import available

Run = Callable[..., CompletedProcess[str]]


def test_every_list_has_its_role_entries_licence_and_source(run: Run, french: Lexicon) -> None:
    done = run("dictionaries")
    assert (done.returncode, done.stderr) == (0, "")
    header, *lines = done.stdout.partition("\n\n")[0].splitlines()
    assert header.split() == ["list", "role", "entries", "licence,", "source"]
    for words, line in zip(french.lists, lines, strict=True):
        assert line.split()[:3] == [words.name, str(words.role), f"{len(words.entries):,}"]
        assert words.licence in line
        assert line.endswith(words.source)


def test_every_recogniser_has_its_type_use_score_and_example(run: Run) -> None:
    header, *lines = run("dictionaries").stdout.partition("\n\n")[2].splitlines()
    assert header.split() == ["recogniser", "type", "used", "score", "example"]
    for one, line in zip(available("fr"), lines, strict=True):
        used = "yes" if one.is_on else "no"
        assert line.split()[:4] == [one.name, str(one.kind), used, str(one.score)]
        assert line.endswith(one.examples[0])


def test_json_tells_the_same(run: Run, french: Lexicon) -> None:
    told = json.loads(run("dictionaries", "--json").stdout)
    about, recognisers = told["lists"], told["recognisers"]
    assert [words["name"] for words in about] == [words.name for words in french.lists]
    ours = available("fr")
    assert [one["name"] for one in recognisers] == [one.name for one in ours]
    assert recognisers[0] == {
        "name": ours[0].name,
        "type": str(ours[0].kind),
        "is_on": ours[0].is_on,
        "score": ours[0].score,
        "examples": [*ours[0].examples],
        "counterexamples": [*ours[0].counterexamples],
    }
    assert about[0] == {
        "name": french.lists[0].name,
        "role": str(french.lists[0].role),
        "entries": len(french.lists[0].entries),
        "title": french.lists[0].title,
        "source": french.lists[0].source,
        "version": french.lists[0].version,
        "licence": french.lists[0].licence,
        "made": french.lists[0].made,
    }


@pytest.mark.parametrize("header", ["prenom,naissances", "name,sexe,count"])
def test_coverage_is_a_share_of_births(header: str, run: Run, tmp_path: Path) -> None:
    between = "," * header.count(",")
    rows = f"PATRICE{between}60\nJean-Patrice{between}15\nXqztlu{between}25\n"
    (tmp_path / "prenoms.csv").write_text(f"{header}\n{rows}")
    done = run("pack", "check", "fr", "--names", tmp_path / "prenoms.csv")
    assert done.stdout.endswith("cover 75.00% of 100 births\n")


def test_nobody_born_is_not_covered(run: Run, tmp_path: Path) -> None:
    (tmp_path / "prenoms.csv").write_text("name,count\n")
    done = run("pack", "check", "fr", "--names", tmp_path / "prenoms.csv")
    assert done.stdout.endswith("cover 0.00% of 0 births\n")
