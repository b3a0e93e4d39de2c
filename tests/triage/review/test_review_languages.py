"""Both languages say all that the pages ask for, and nothing else."""

import re
from importlib.resources import files
from string import Formatter

import pytest

from triage.anonymise.grading import Reason
from triage.dictionaries import Kind, Label, Lexicon
from triage.queue import Answer, Order, State, WordRule
from triage.queue import Reason as Why
from triage.vocabulary import IdentifierType
from triage.web.forms import CODES, chosen, translator

STRINGS = {code: translator(code).strings for code in CODES}
PACKAGE = files("triage.web")
SOURCES = {
    file.name: file.read_text(encoding="utf-8")
    for folder in (PACKAGE, PACKAGE / "templates")
    for file in folder.iterdir()
    if file.name.endswith((".py", ".html")) and file.name != "languages.py"
}
NAMES = ("TA", "NTA", "UTC", "abc", "triage", "Seek", "Hide")
COMMANDS = ("pip", "install", "sms", "publish", "zip")
# Keys that steps, problems and files of a project make.
MADE_ELSEWHERE = ("desk.", "methods.", "problem.", "keys.csv")
# What a key is made of beside its first part.
MADE = {
    "title.": ["queue", "table", "spellings", "status", "adjudicate", "confirm"],
    "answer.": [answer.value for answer in Answer],
    "type.": [type_.value for type_ in IdentifierType],
    "state.": [state.value for state in State],
    "order.": [order.value for order in Order],
    "label.": [label.value for label in Label],
    "form.": [kind.value for kind in Kind if kind is not Kind.WORD],
    "confirm.": [rule.value for rule in WordRule],
    "word.": [rule.value for rule in WordRule],
    "task.": [reason.value for reason in list(Why)[:3]],
    "reason.": [reason.name for reason in Reason],
    "kind.": ["message", "word", "undo", "import", "adjudication"],
    "stage.state.": ["done", "now", "waits", "problem"],
    "todo.": ["import", "bound", "read", "replace", "verify", "publish", "done", "others", "next"],
    "said.": [*(answer.value for answer in Answer), *(rule.value for rule in WordRule)],
}


def _used() -> set[str]:
    text = "\n".join(SOURCES.values())
    whole = re.findall(r"\bt\(\"([\w.&]+)\"[,)]", text) + re.findall(r"say\(\s*\"([\w.]+)\"", text)
    whole += re.findall(r"HTTPError\(\d+, \"([\w.]+)\"", text)
    counted = re.findall(r"t\.count\(\"([\w.]+)\"", text)
    named = re.findall(r"\"((?:status|context|keys|said|done|confirm)\.\w+)\"", text)
    counts = {f"{key}.{number}" for key in counted for number in ("one", "many")}
    made = {f"{group}{part}" for group, parts in MADE.items() for part in parts}
    return {*whole, *(k for k in named if f"{k}.one" not in STRINGS["en"]), *counts, *made}


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
    # Of texts that several messages have, there are never fewer than two.
    missing = _used() - STRINGS["en"].keys() - {"same_text.one"}
    assert not {key for key in missing if not key.startswith(MADE_ELSEWHERE)}


def test_nothing_is_translated_for_nothing() -> None:
    looked_up = ("list.", "rule.", *MADE_ELSEWHERE)
    unused = {key for key in STRINGS["en"] if not key.startswith(looked_up)} - _used()
    assert not unused


def test_lists_of_the_pack_have_a_name(french: Lexicon) -> None:
    for word_list in french.lists:
        assert f"list.{word_list.name}" in STRINGS["fr"]


def test_templates_hold_no_text_of_their_own() -> None:
    for name, source in SOURCES.items():
        if not name.endswith(".html"):
            continue
        bare = re.sub(r"{[{%#].*?[}%#]}|<[^>]*>", " ", source, flags=re.DOTALL)
        words = set(re.findall(r"[^\W\d_]{2,}", re.sub(r"&\w+;", " ", bare)))
        assert words <= {*NAMES, *COMMANDS}, name


@pytest.mark.parametrize(
    ("cookie", "default", "accepted", "code"),
    [
        ("", None, "fr-CA,fr;q=0.9", "fr"),
        ("", None, "de;q=1,en;q=0.2,fr;q=0.3", "fr"),
        ("", None, "", "en"),
        ("", None, "x;q=;,;;q=a", "en"),
        ("", "fr", "en", "fr"),
        ("en", "fr", "fr", "en"),
        ("xx", None, "fr", "fr"),
    ],
)
def test_choice(cookie: str, default: str | None, accepted: str, code: str) -> None:
    assert chosen(cookie, default, accepted).code == code


def test_numbers() -> None:
    french, english = translator("fr"), translator("en")
    assert [french.count("left", n) for n in (0, 1, 2)] == ["0 restant", "1 restant", "2 restants"]
    assert [english.count("items", n) for n in (0, 1, 2)] == ["0 texts", "1 text", "2 texts"]
    assert (french.share(999, 1000), english.share(9999, 10000)) == ("99,9\u202f%", "99.9%")
    assert english.share(0, 0) == "100.0%"
