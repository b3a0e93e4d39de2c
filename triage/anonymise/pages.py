"""The pages of a record of an anonymised file, and of what a check found in one."""

import re
from collections.abc import Iterable, Iterator

from triage.reports.page import Block, Listing, Part, Report, Table, printable

from ..settings import StyleName
from .check import Certainty, Checked, Left
from .record import Record

REVEALS = {
    StyleName.TAG: "The tags tell the type of what they stand for.",
    StyleName.PAPER: "The tags tell type and length, and the number in them can be looked up: "
    "whoever has the public dictionary of first names can read these names.",
    StyleName.CONSISTENT: "The codes tell the type, and which identifiers are the same "
    "person or thing.",
    StyleName.SURROGATE: "The invented identifiers tell the type, the gender of a first name, the "
    "size of a town, the type of a street, and which identifiers are the same person or thing.",
    StyleName.MASK: "The crosses tell nothing of what they stand for.",
}
_NOT_PROMISED = (
    "That no identifier is left. Replaced is what people marked, and what rules, lists and a model "
    "found; names that are common words, nicknames, misspelt names and places are missed most.",
    "That nobody can be recognised. Events, relations and a way of writing may tell who wrote or "
    "who is meant, to those who know them; triage check --sample asks for that.",
    "That the messages are anonymous in the sense of the law. While the original messages or the "
    "key table exist, whoever has them can undo the replacements; whoever has the key can test "
    "names.",
    "That the types are right: they are guessed from lists.",
    "That columns other than the messages are free of identifiers: those that are kept are "
    "searched by lists and forms alone.",
)
_LENGTHS = " Tags and crosses tell the length, too."
_BOUND = (
    "The bound is on messages that hold an identifier and are released without one replaced. It "
    "does not cover a second identifier in a message of which another one is replaced."
)
_KEY = (
    "The fingerprint of the key tells only whether two runs had the same key; neither the key nor "
    "a pseudonym can be computed from it."
)


def page_of_record(record: Record) -> Report:
    """Return the page of a record."""
    columns = _table(
        "Columns of the input",
        record["columns"],
        "column; what became of it=treatment",
        "A name that is long, or like that of somebody, is left out.",
    )
    return Report(
        "Record of an anonymised file",
        tuple(_about(record)),
        (
            Part("done", "What was done", tuple(_done(record))),
            Part("decided", "Who decided", tuple(_decided(record))),
            Part("columns", "Columns", (columns,)),
            Part("left", "What is left", (*_residue(record), *_check(record), *_sample(record))),
            Part("not-promised", "What is not promised", _NOT_PROMISED),
        ),
    )


def _about(record: Record) -> Iterator[tuple[str, str]]:
    written, lists, model = (record[name] for name in ("output", "lists", "model"))
    known = f"SHA-256 {written['sha256']}" if written["sha256"] else "a stream"
    weights = f", weights {model['weights']}" if model["weights"] else ""
    made = f", fingerprint {lists['fingerprint']}" if lists["fingerprint"] else ""
    yours = "".join(f", {n:,} entries of your own ({role})" for role, n in lists["yours"].items())
    yield "Program", ", ".join(f"{name} {version}" for name, version in record["program"].items())
    yield "Input", f"{record['input']['rows']:,} messages"
    yield "Output", f"{written['rows']:,} messages, {known}"
    learnt = f"learnt from {model['learnt_from']:,} messages"
    yield "Model", f"features {model['features']}, {learnt}{weights}"
    yield "Lists", f"{lists['shipped']} shipped{yours}{made}"
    yield "Options", ", ".join(f"{name} {value}" for name, value in record["options"].items())
    yield "Key", f"fingerprint {record['key']}" if record["key"] else "none"


def _table(title: str, rows: Iterable[Record], columns: str, note: str = "") -> Table:
    """Return a table of rows; each column is ``header=key:format``, where header may be the key."""
    parts = [column.partition("=") for column in columns.split("; ")]
    keys = {header: (key or header).partition(":") for header, _, key in parts}
    heads = {header.partition(":")[0]: format_ for header, (_, _, format_) in keys.items()}
    cells = [tuple(row[key] for key, _, _ in keys.values()) for row in rows]
    return Table(title, heads, cells, note=note)


def _done(record: Record) -> Iterator[Block]:
    replaced = record["replaced"]
    reveals = " ".join(REVEALS[StyleName(one)] for one in sorted({r["style"] for r in replaced}))
    yield (
        f"{sum(row['identifiers'] for row in replaced):,} identifiers were replaced in "
        f"{record['changed']:,} messages; every other character of the messages is as it was."
    )
    yield _table(
        "Identifiers replaced",
        replaced,
        "type; severity; found by=rule; style; identifiers:,d",
        reveals + (_LENGTHS if record["options"]["lengths"] == "yes" else ""),
    )
    if record["held"]:
        yield _table(
            "Messages held back, or written although there is a reason to hold them back",
            record["held"],
            "reason; held back=held_back:,d; written:,d",
        )
    else:
        yield "No message was held back, nor was there a reason to."
    if changes := record["document"]:
        title = "Changes of the document beside its messages"
        yield Table(title, {"what": "", "number": ",d"}, [*changes.items()])
    if record["anonymity"]:
        yield _table(
            "Anonymity sets: how many names of the lists fit what is shown",
            record["anonymity"],
            "type; style; smallest:,d; median:,d",
            "Names of other types, and those that are in no list, are not counted.",
        )
    if record["key"]:
        yield _KEY


def _decided(record: Record) -> Iterator[Block]:
    decisions = record["decisions"]
    by = {"people": decisions["by_people"], "the program": decisions["by_machine"]}
    yield Table(
        "Actions",
        {"decided by": "", "action": "", "messages": ",d"},
        [(who, action, n) for who, actions in by.items() for action, n in actions.items()],
    )
    yield (
        f"Policy: {decisions['policy']}."
        if decisions["policy"]
        else "The policy of the decisions is not known, so that no bound on the leak can be told."
    )
    yield from decisions["promise"]
    if decisions["promise"]:
        yield _BOUND
    elif decisions["policy"]:
        yield "This policy promises no bound on the leak."
    for what in decisions["other"]:
        yield f"The decisions were made with another {what}."


def _residue(record: Record) -> Iterator[Block]:
    if record["residue"] is None:
        yield (
            "The input has no column 'spans' of identifiers that people marked, so that what is "
            "left was not measured."
        )
        return
    yield _table(
        "Identifiers that people marked, in the messages that were written",
        record["residue"],
        "severity; marked:,d; untouched:,d; messages with one untouched=messages:,d; share:.2%; "
        "at most=at_most:.2%",
        "Untouched: no character was replaced. At most: exact, one-sided, 95 % confidence. In "
        "messages that the model was learnt from, less is left than in others.",
    )


def _check(record: Record) -> Iterator[Block]:
    found = record.get("check")
    if found is None:
        yield "Nobody has run triage check on this output yet."
        return
    sought = (
        "names and forms alone"
        if found["spellings"] is None
        else f"{found['spellings']:,} spellings that were replaced, for names and for forms"
    )
    yield (
        f"triage check looked through {found['rows']:,} rows for {sought}. "
        f"{'Nothing known is left.' if found['clean'] else 'The output is NOT clean.'}"
    )
    if found["found"]:
        columns = "certainty; severity; reason; findings:,d"
        yield _table("Findings of triage check", found["found"], columns)


def _sample(record: Record) -> Iterator[Block]:
    sample = record.get("sample")
    if sample is None:
        yield "Nobody has been asked yet whether they recognise somebody (triage check --sample)."
        return
    yield (
        f"A person was asked of {sample['answered']:,} messages drawn at random (seed "
        f"{sample['seed']}) whether they recognise somebody, and did in {sample['recognised']:,}: "
        f"at most {sample['at_most']:.2%} of all messages (exact, one-sided, 95 % confidence), for "
        "a person who knows as much."
    )


_MOST_PLACES = 50
_WIDTH = 30
_BREAKS = re.compile(r"\s")
_TITLES = {
    Certainty.CERTAIN: "Certain: most probably identify somebody",
    Certainty.LIKELY: "Likely: worth a look",
    Certainty.POSSIBLE: "Possible: most identify nobody",
}


_HOLDS_WORDS = (
    "This page holds words of messages: it may identify people. triage mine asks of each "
    "spelling whether it is to be replaced."
)


def page_of_check(checked: Checked) -> Report:
    """Return the page of what was found."""
    sought = "names and forms alone" if checked.replaced is None else f"{checked.replaced:,}"
    about = (
        ("Rows looked through", f"{checked.rows:,}"),
        ("Spellings replaced", sought),
        ("Result", checked.result),
    )
    rows = [(*kind, n) for kind, n in checked.counts().items()]
    columns = {"certainty": "", "severity": "", "reason": "", "findings": ",d"}
    blocks: list[Block] = [_HOLDS_WORDS, Table("Findings by reason", columns, rows)]
    whole = [(one.row, one.certainty.value, one.reason) for one in checked.left if not one.text]
    if whole:
        columns = {"row": ",d", "certainty": "", "reason": ""}
        blocks.append(Table("Whole messages", columns, whole))
    parts = [Part("summary", "Findings", tuple(blocks))]
    spellings = checked.spellings()
    for certainty, title in _TITLES.items():
        found = [one for one in spellings if one[0].certainty is certainty]
        if found:
            parts.append(Part(certainty.value, title, (_by_spelling(found), *map(_places, found))))
    return Report("What an anonymised file still holds", about, tuple(parts))


def _by_spelling(found: list[list[Left]]) -> Table:
    rows = [(one[0].text, len(one), one[0].replaced, one[0].reason) for one in found]
    columns = {"spelling": "", "left": ",d", "replaced elsewhere": ",d", "why": ""}
    return Table("By spelling", columns, rows)


def _places(spelling: list[Left]) -> Listing:
    lines = [*lines_of(spelling[:_MOST_PLACES])]
    if more := len(spelling) - len(lines):
        lines.append(f"  and {more:,} more")
    return Listing(spelling[0].text, "\n".join(lines))


def lines_of(places: Iterable[Left]) -> Iterator[str]:
    """Yield a line for each place; characters that control a terminal are replaced."""
    for one in places:
        left, right = one.before[-_WIDTH:].rjust(_WIDTH), one.behind[:_WIDTH].ljust(_WIDTH)
        where = f"row {one.row}" if one.row else "header"
        line = _BREAKS.sub(" ", f"{left}[{one.text}]{right}")
        yield printable(f"  {line}  {where}, {one.column}")
