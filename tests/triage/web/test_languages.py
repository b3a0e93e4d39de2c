"""Both languages say all that the pages ask for, and nothing else."""

import re
from collections.abc import Iterable
from importlib.resources import files
from string import Formatter

import pytest

from triage.anonymise.check import Certainty
from triage.anonymise.held import Reason as Held
from triage.dictionaries import Label, Lexicon
from triage.publish import Published
from triage.queue import Answer, Order, State, WordRule
from triage.queue import Reason as Why
from triage.settings import OfType, StyleName
from triage.vocabulary import IdentifierType
from triage.web.forms import CODES, chosen, translator
from triage.web.pages import list_name
from triage.web.people import Right
from triage.web.quality import Stratum
from triage.web.replacing import CHOICES, Becomes
from triage.web.spellings import GRADES
from triage.web.stages import Name
from triage.web.steps import Step

STRINGS = {code: translator(code).strings for code in CODES}
PACKAGE = files("triage.web")
SOURCES = {
    file.name: file.read_text(encoding="utf-8")
    for folder in (PACKAGE, PACKAGE / "templates")
    for file in folder.iterdir()
    if file.name.endswith((".py", ".html"))
}
NAMES = ("TA", "NTA", "UTC", "abc", "triage", "Seek", "Hide")
COMMANDS = ("pip", "install", "sms", "publish", "zip")
# What the pages put behind the beginning of a key.
MADE: dict[str, Iterable[str]] = {
    "answer.": [*Answer, "EXPERT"],
    "beside.": ["prev", "next"],
    "desk.": ["language", "format", "encoding", "separator", "sheet", "table"],
    "desk.certainty.": Certainty,
    "desk.change.": {
        *(*Becomes, *OfType),
        *(choice for of_role in CHOICES.values() for choice in of_role),
    },
    "desk.format.": Published,
    "desk.lock.": ["left_out", "added", "certain", "leaks", "above"],
    "desk.quality.": [f"{half}.question" for half in Stratum],
    "desk.reason.": Held,
    "desk.reach.": ["local", "network"],
    "desk.role.": ["text", "id", "sender", "date"],
    "desk.shared.": ["table", "record", "record_page"],
    "desk.step.": [*Step, "publish"],
    "desk.style.": [style for style in StyleName if style is not StyleName.PAPER],
    "desk.title.": [*Name, "home", "sample", "project", "people", "names"],
    "format.": ["lines", "sms-backup"],
    "form.": ["NAME", "PUBLIC", "MASKED", "NUMBER", "HOUR"],
    "kind.": ["word", "undo", "import", "adjudication"],
    "label.": Label,
    "order.": Order,
    "people.right.": {*Right} - {Right.READ, Right.PUBLISH},
    "reason.": GRADES.values(),
    "reasons.": Why,
    "stage.state.": ["done", "now", "waits", "problem"],
    "state.": {*State} - {State.DISAGREED},
    "task.": [*list(Why)[:3], Why.SPELLING],
    "title.": ["list", "status", "error", "guidelines"],
    "todo.": ["import", "bound", "read", "replace", "verify", "done", "others", "next"],
    "type.": IdentifierType,
    "word.": WordRule,
}
# Lists and rules come from packs, and problems from the whole program.
LOOKED_UP = ("list.", "problem.")


def _made() -> set[str]:
    return {f"{beginning}{end}" for beginning, ends in MADE.items() for end in ends}


def test_both_languages_have_the_same_keys_and_values() -> None:
    assert STRINGS["fr"].keys() == STRINGS["en"].keys()
    for key, french in STRINGS["fr"].items():
        english = STRINGS["en"][key]
        assert french.strip()
        assert english.strip()
        assert _values(french) == _values(english), key


def _values(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def test_pages_ask_for_what_there_is() -> None:
    asked = re.findall(
        r"\b(?:t|t\.count|say|HTTPError)\((?:\d+, )?\"([\w.]+)\"[,)]", "\n".join(SOURCES.values())
    )
    assert not {*asked, *_made()} - STRINGS["en"].keys()


def test_nothing_is_translated_for_nothing() -> None:
    whole = {key for key in STRINGS["en"] if not key.startswith(LOOKED_UP)} - _made()
    pages = "\n".join(SOURCES.values())
    assert not {key for key in whole if f'"{key}"' not in pages}


@pytest.mark.parametrize("code", CODES)
def test_lists_of_the_pack_have_a_name(french: Lexicon, code: str) -> None:
    t = translator(code)
    for word_list in french.lists:
        assert list_name(word_list.name, t) in STRINGS[code].values()


def test_templates_hold_no_text_of_their_own() -> None:
    for name, source in SOURCES.items():
        if not name.endswith(".html"):
            continue
        bare = re.sub(r"{[{%#].*?[}%#]}|<[^>]*>", " ", source, flags=re.DOTALL)
        words = set(re.findall(r"[^\W\d_]{2,}", re.sub(r"&\w+;", " ", bare)))
        assert words <= {*NAMES, *COMMANDS}, name


def test_choice() -> None:
    said = {
        "fr": [("", None, "fr-CA,fr;q=0.9"), ("", None, "de,fr;q=0.3,en;q=0.2"), ("", "fr", "en")],
        "en": [("", None, ""), ("", None, "x;q=;,;;q=a"), ("en", "fr", "fr")],
    }
    found = {code: {chosen(*one).code for one in of} for code, of in said.items()}
    assert found == {"fr": {"fr"}, "en": {"en"}}
    assert chosen("xx", None, "fr").code == "fr"


def test_numbers() -> None:
    french, english = translator("fr"), translator("en")
    assert [french.count("left", n) for n in (0, 1, 2)] == [
        *("0 texte restant", "1 texte restant", "2 textes restants")
    ]
    assert [english.count("items", n) for n in (0, 1, 2)] == ["0 texts", "1 text", "2 texts"]
    assert (french.share(999, 1000), english.share(9999, 10000)) == ("99,9\u202f%", "99.9%")
    assert english.share(0, 0) == "100.0%"
