"""Recognisers of identifiers, known by their form or by their place in a message: all are data.

A table of a TOML file for each, by its name: docs/reference/recognisers.md has the keys of a
user's, the head of ``recognisers.toml`` those of the shipped ones, whose expressions are templates.
"""

import _sre  # type: ignore[import-not-found]
import marshal
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from triage.safe import read_file

from ..cache import cached
from ..kinds import Kind
from ..lexicon import COMMON, Lexicon, load_lexicon
from ..lists import DictionaryError
from ..normal import fold
from ..pack import FRENCH, NEVER, PACKS, Examples, Pack, any_of, load_pack, require_known
from .checks import CHECKS, CHECKS_OF_FORMS
from .expressions import ExpressionReader, NotLinear, code_of, require_linear
from .gates import atoms_of, gates_of
from .search import ANNOUNCER, FOUND, Place, Recogniser, Recognisers
from .word_checks import MADE, WordChecks

__all__ = ["Recogniser", "Recognisers", "available", "chosen", "load", "shipped"]

ALL = "all"
OWN = "recognisers.toml"
_TYPES = [kind.value for kind in Kind if kind.is_identifier]
_LISTS = ("triggers", "examples", "counterexamples")
_FOR_USERS = ("type", "regex", "triggers", "check", "score", "examples", "counterexamples")
_ACCENTED = {of[0]: f"[{of}]" for of in ("aàâä", "cç", "eéèêë", "iîï", "oôö", "uùûü")}
# In a template: a part that is named, or settings of a pack.
_NAMES = re.compile(r"\{([a-z][a-z_0-9]*(?:\.[a-z_]+(?: [a-z]+\.[a-z_]+)*)?)\}")
_PARTS, _NAMES_OF, _RAREST_OF = "parts", "names_of_", "rarest_of_"
# The lists of the words of messages, the commonest first.
_WORD_LISTS = ("commonest_forms", "frequent_forms", "sms_forms", "inflected_forms")
_FIRST_NAMES = ("commonest_first_names", "common_first_names", "first_names")
_GROUP = f"(?P<{FOUND}>"
# Words between what announces an identifier and the identifier.
_MAX_BETWEEN = 5
_WRITTEN = {
    of[0]: f"[{of}]" for of in ("aàâäáãå", "cç", "eéèêë", "iîïíì", "nñ", "oôöóòõ", "uùûü", "yÿ")
}
_WRITTEN |= {" ": "[ -]{1,2}+", "'": "['’]", "&": " ?& ?"}
# Since when a person is known.
_YEAR = re.compile(r" \d{4}\Z")
_WORD = re.compile(r"[^\W_]+")
# The keys of the table of a recogniser.
_Table = Mapping[str, Any]
# As plain data: the arguments of `_sre.compile`, the gates, and the digits of an identifier.
_Facts = tuple[tuple[Any, ...], Sequence[tuple[str, ...]], int]
_Place = tuple[()] | tuple[str, str] | tuple[str, frozenset[str], int]


@cache
def available(language: str) -> tuple[Recogniser, ...]:
    """Return all recognisers of a language, those that are off by default, too."""
    pack = load_pack(language)
    write = _TemplateWriter(pack)
    word_checks = WordChecks(pack, write)

    def computed() -> dict[str, tuple[_Facts, _Place]]:
        """Return the facts and the place of each recogniser that the pack can use."""
        recognisers = {}
        for name, table in _file().items():
            country = table.get("only_in", "")
            is_abroad = country and country not in pack.pack.countries
            if name == _PARTS or is_abroad or word_checks.lacks(table.get("check", "")):
                continue
            regex, triggers = write(table["regex"]), write(table.get("triggers", ""))
            form = write.form(table, regex, triggers, write(table.get("between", "")))
            facts = _facts(form, write(table.get("near", "")), table.get("digits", 0))
            # An expression that never matches needs a text of none.
            if all(facts[1]):
                recognisers[name] = facts, _place(table.get("place", {}), write)
        return recognisers

    recognisers = []
    for name, (facts, place) in _cached(pack, computed).items():
        examples = pack.examples.get(name, Examples())
        tried = {"examples": examples.found, "counterexamples": examples.not_found}
        recognisers.append(_recogniser(name, _file()[name] | tried, facts, word_checks, place))
    files = (folder / OWN for folder in pack.folders if (folder / OWN).exists())
    return (*recognisers, *(one for file in files for one in load(file, language)))


@cache
def shipped(language: str) -> Recognisers:
    """Return the recognisers of a language that are used by default."""
    return Recognisers(one for one in available(language) if one.is_on)


def chosen(
    language: str,
    also: Sequence[str] = (),
    own: Iterable[Recogniser] = (),
    files: Iterable[str] = (),
) -> Recognisers:
    """Return the recognisers that are used by default, those asked for, and the user's."""
    ours, mine = available(language), tuple(own)
    if not (also or mine):
        return shipped(language)
    asked = {*also}
    known_names = {ALL, *(one.name for one in ours), *(one.kind.value for one in ours)}
    for name in sorted(asked - known_names):
        listed = ", ".join(sorted(known_names))
        raise DictionaryError(f"no recogniser is called {name!r}: there are {listed}")
    replaced = {one.name for one in mine}
    used = (one for one in ours if one.is_on or asked & {ALL, one.name, one.kind.value})
    kept = [one for one in used if one.name not in replaced]
    return Recognisers([*kept, *mine], tuple(also), tuple(files))


def load(path: str | Path, language: str = FRENCH) -> tuple[Recogniser, ...]:
    try:
        text = read_file(Path(path)).decode()
        tables = tomllib.loads(text)
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise DictionaryError(f"recognisers {path} cannot be read: {reason}") from None
    if not tables:
        raise DictionaryError(f"recognisers {path} holds no table such as [badge]")
    pack = load_pack(language)

    def computed() -> list[_Facts]:
        write, forms = _TemplateWriter(pack), []
        for name, table in tables.items():
            try:
                forms.append(_of_user(name, _checked(table), write))
            except (DictionaryError, NotLinear, re.error, OverflowError, RecursionError) as error:
                raise DictionaryError(f"recognisers {path}, [{name}]: {error}") from None
        return forms

    facts = zip(tables.items(), _cached(pack, computed, text), strict=True)
    return tuple(_recogniser(name, table, one) for (name, table), one in facts)


def _cached(pack: Pack, make: Callable[[], Any], text: str = "") -> Any:  # noqa: ANN401 (plain data)
    """Return plain data made from a pack, a user's text and this code, from the cache if it can."""
    code = (*sorted(PACKS.glob("*.py")), *sorted(Path(__file__).parent.glob("*.py")))
    files = (*code, PACKS / OWN, *pack.files)
    made_by = sys.version, text, *(path.read_text("utf-8") for path in files)
    return marshal.loads(cached("recognisers", made_by, lambda: marshal.dumps(make())))  # noqa: S302


def _checked(table: object) -> _Table:
    """Return the table of a user if its keys and values are right."""
    if not isinstance(table, dict):
        raise DictionaryError("is no table")
    for key in (*table, "type", "regex"):
        require_known(_FOR_USERS, key, "unknown key")
        if key not in table:
            raise DictionaryError(f"{key} is missing")
    for key, value in table.items():
        texts = value if key in _LISTS else [value]
        if key == "score":
            if type(value) not in (int, float) or not 0 <= value <= 1:
                raise DictionaryError("score is a number from 0 to 1")
        elif type(texts) is not list or not all(type(x) is str and x.strip() for x in texts):
            raise DictionaryError(f"{key} is a {'list of texts' if key in _LISTS else 'text'}")
    require_known(_TYPES, table["type"], "unknown type")
    if check := table.get("check", ""):
        require_known(CHECKS, check, "unknown check")
    return table


def _of_user(name: str, table: _Table, write: "_TemplateWriter") -> _Facts:
    """Compute the facts of a user's form, and try its examples."""
    re.compile(table["regex"])
    require_linear(table["regex"])
    # With or without their accents.
    plain = (fold(words.strip()) for words in table.get("triggers", ()))
    triggers = any_of("".join(_ACCENTED.get(c, re.escape(c)) for c in words) for words in plain)
    facts = _facts(write.form(table, table["regex"], triggers, write("{announced.between}")), "", 0)
    find = Recognisers([_recogniser(name, table, facts)]).find
    for key, is_wanted in (("examples", True), ("counterexamples", False)):
        for number, example in enumerate(table.get(key, ()), 1):
            if bool(find(example)) is not is_wanted:
                raise DictionaryError(f"{key[:-1]} {number} is {'not ' * is_wanted}found")
    return facts


def _place(table: Mapping[str, str], write: "_TemplateWriter") -> _Place:
    """Return the parts of a `Place`."""
    for key, edge in (("behind", -1), ("before", 0)):
        if key in table:
            sets = ExpressionReader(write(table[key])).analysis.sets
            announced = atoms_of(sets[edge]) if sets else frozenset[str]()
            return table["shape"], announced, 2 * edge + 1
    return (table["shape"], table.get("behind_shape", "")) if table else ()


@cache
def _file() -> dict[str, Any]:
    return tomllib.loads((PACKS / OWN).read_text(encoding="utf-8"))


class _TemplateWriter:
    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self._parts = _file()[_PARTS]
        self._written: dict[str, str] = {}

    def __call__(self, template: str, names: Mapping[str, str] | None = None) -> str:
        """Return the expression of a template, which may have names of its own."""
        # A line goes on behind a backslash.
        return _NAMES.sub(
            lambda name: names[name[1]] if names and name[1] in names else self._part(name[1]),
            template.replace("\\\n", ""),
        )

    def form(self, table: _Table, regex: str, triggers: str, between: str) -> str:
        form = regex
        if table.get("triggers"):
            names = {"regex": regex, "triggers": triggers, "between": between or NEVER}
            names["most"] = str(table.get("most", _MAX_BETWEEN))
            names["signs"] = self(table.get("signs", "{signs}"))
            frame = self._parts[table.get("form", "behind")]
            form = self(frame.replace(_GROUP, "(?:") if _GROUP in regex else frame, names)
        return form if table.get("cased") else f"(?i:{form})"

    def _part(self, name: str) -> str:
        """Return the expression of a part, or of settings of the pack."""
        if name in self._written:
            return self._written[name]
        if "." in name:
            keys = (one.split(".") for one in name.split(" "))
            values = [getattr(getattr(self._pack, section), key) for section, key in keys]
            # A set has another order in each process, and an expression must not.
            ordered = (sorted(one) if isinstance(one, frozenset) else one for one in values)
            is_text = isinstance(values[0], str)
            written = values[0] if is_text else any_of(chain.from_iterable(ordered))
        elif name in MADE:
            written = MADE[name](self._pack)
        elif name.startswith(_NAMES_OF):
            written = _any_name(getattr(self._pack.public, name.removeprefix(_NAMES_OF)))
        elif name.startswith(_RAREST_OF):
            names = getattr(self._pack.public, name.removeprefix(_RAREST_OF))
            written = _any_rarest(names, load_lexicon(self._pack.language))
        else:
            part = self._parts[name]
            written = self(part) if isinstance(part, str) else any_of(map(self, part))
        self._written[name] = written
        return written


def _any_name(names: Iterable[str]) -> str:
    """Return the expression of any of some names, the longest first, beginnings shared."""
    tree: dict[str, Any] = {}
    for name in sorted(names):
        node, plain = tree, fold(_YEAR.sub("", name)).replace("-", " ").replace("’", "'")
        for letter in " ".join(plain.split()).replace(" & ", "&"):
            node = node.setdefault(letter, {})
        node[""] = {}

    def branch(tree: dict[str, Any]) -> str:
        ways = [
            _WRITTEN.get(letter, re.escape(letter)) + branch(rest)
            for letter, rest in tree.items()
            if letter
        ]
        if "" in tree:
            return f"(?:{'|'.join(ways)})?" if ways else ""
        return any_of(ways) if len(ways) > 1 else ways[0]

    return branch(tree) if tree else NEVER


def _any_rarest(names: Iterable[str], lexicon: Lexicon) -> str:
    """Return the expression of the words of names: of each the one that fewest messages have."""
    lists = [*map(lexicon.bits, (*_FIRST_NAMES, *_WORD_LISTS))]
    common = lexicon.bits("commonest_forms", *COMMON)
    first_names = lexicon.bits(*_FIRST_NAMES)

    def rarity(word: str) -> tuple[bool, bool, bool, list[bool], int]:
        lists_of_word = lexicon.lists_of(word)
        is_common, is_name = bool(lists_of_word & common), bool(lists_of_word & first_names)
        # Of common words, first names are the rarest; of others, those that are none.
        how_rare = is_name == is_common, [not lists_of_word & one for one in lists], len(word)
        return word.isalpha(), not is_common, *how_rare

    words = {max(_WORD.findall(fold(_YEAR.sub("", name))), key=rarity) for name in names}
    return any_of(map(re.escape, sorted(words)))


def _facts(form: str, near: str, digits: int) -> _Facts:
    """Compute the facts of an expression: code, gates, and number of digits."""
    read, near_analysis = ExpressionReader(form), ExpressionReader(near).analysis
    state, analysis = read.parsed.state, read.analysis
    names = {group: name for name, group in state.groupdict.items()}
    # The arguments that `re.compile` passes on.
    code = (
        *(form, int(state.flags), code_of(read), state.groups - 1),
        *(dict(state.groupdict), tuple(map(names.get, range(state.groups)))),
    )
    if not (analysis.sets and near_analysis.sets):
        return code, [()], 0
    sets = [*map(tuple, map(sorted, gates_of(analysis.sets + near_analysis.sets)))]
    return code, sets, max(analysis.digits, digits)


def _recogniser(
    name: str,
    table: _Table,
    facts: _Facts,
    word_checks: WordChecks | None = None,
    place: _Place = (),
) -> Recogniser:
    (code, sets, digits), check = facts, table.get("check", "-")
    return Recogniser(
        name,
        Kind(table["type"]),
        _sre.compile(*code),
        tuple(map(frozenset, sets)),
        check=CHECKS.get(check) or CHECKS_OF_FORMS.get(check) or getattr(word_checks, check, None),
        score=float(table.get("score", 0.8)),
        examples=tuple(table.get("examples", ())),
        counterexamples=tuple(table.get("counterexamples", ())),
        is_on=not table.get("off"),
        digits=digits,
        trim=table.get("trim", ""),
        is_shortened=table.get("shortened", False),
        is_behind_break=_file()[_PARTS]["begins"] in code[0],
        place=Place(*place) if place else None,
        announcer=word_checks.is_first_name if word_checks and ANNOUNCER in code[4] else None,
        around=word_checks.with_town if word_checks and table.get("with_town") else None,
    )
