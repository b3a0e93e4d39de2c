"""The command line: ``triage``. Each command mirrors a function of the library."""

import gc
import io
import json
import os
import sys
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from .. import __version__
from .anonymise import anonymise, check
from .console import files_read, formula_warning, load_triage, progress_bar
from .evaluate import evaluate
from .options import (
    CorpusEvidenceOption,
    EncodingOption,
    FeaturesOption,
    IdOption,
    JsonOption,
    MaxLeakOption,
    MinPrecisionOption,
    ModelOption,
    NamesOption,
    OverwriteOption,
    PolicyOption,
    QuietOption,
    SenderOption,
    SeparatorOption,
    StrictOption,
    TextOption,
    WordsOption,
)
from .queue import queue_app
from .review import review
from .streams import replace_closed
from .train import train

if TYPE_CHECKING:
    from ..decide.run import Outcome

USAGE = 2
_BROKEN_PIPE = 141  # what a shell reports of a program that SIGPIPE ended

app = typer.Typer(
    help="Decide, message by message, what must be anonymised (TA), what holds nothing to "
    "anonymise (NTA), and what a person must look at (EXPERT).",
    no_args_is_help=True,
    rich_markup_mode=None,
    # Rich's tracebacks show local variables, and those hold messages.
    pretty_exceptions_enable=False,
    add_completion=False,
    # Click suggests a command itself.
    suggest_commands=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"sms-triage {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


@app.command(
    epilog="Examples: triage classify sms.csv | "
    "triage classify corpus.ods -o out.csv --queue queue.csv --text-column SMS_ANON | "
    "triage classify sms.csv --policy guarded --max-leak 0.02 | "
    "zcat sms.csv.gz | triage classify - > out.csv"
)
def classify(
    source: Annotated[str, typer.Argument(metavar="FILE")],
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="By default FILE.triage.EXT; - for stdout.")
    ] = None,
    queue: Annotated[
        str | None, typer.Option("--queue", help="Write the messages for the expert here.")
    ] = None,
    text_column: TextOption = None,
    id_column: IdOption = None,
    names: NamesOption = [],  # noqa: B006 (typer copies it)
    words: WordsOption = [],  # noqa: B006
    model: ModelOption = None,
    features: FeaturesOption = None,
    strict: StrictOption = False,
    policy: PolicyOption = "agreement",
    max_leak: MaxLeakOption = None,
    min_precision: MinPrecisionOption = None,
    corpus_evidence: CorpusEvidenceOption = None,
    sender_column: SenderOption = None,
    encoding: EncodingOption = None,
    separator: SeparatorOption = None,
    overwrite: OverwriteOption = False,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write an action for every message: each row as it came, then what was decided.

    FILE is CSV, TSV, XLSX, ODS, JSON Lines or Parquet (.gz too), or - for standard input.
    """
    from ..decide.source import STANDARD_STREAM, Request, Source, read_ahead

    read = Source(source, text_column, id_column, sender_column, encoding, separator)
    request = Request(read, output, queue, corpus_evidence, overwrite)
    request.check_paths(files_read(names, words, model))
    with read_ahead(read) as stream:
        from ..decide.policy import chosen_policy

        chosen = chosen_policy(policy, max_leak, min_precision)
        triage = load_triage(names, words, model, strict, features, chosen)
        from ..decide.run import classify_stream

        with progress_bar(quiet) as progress:
            outcome = classify_stream(triage, request, stream, progress)
    if not quiet:
        text = _outcome_json(outcome) if as_json else _outcome_text(outcome)
        typer.echo(text, err=STANDARD_STREAM in (outcome.output, queue))


def _outcome_text(outcome: "Outcome") -> str:
    from ..decide.agreement import TABLE
    from ..decide.policy import promise_lines
    from ..vocabulary import Action

    order = [(str(verdict), str(vote), str(action)) for (verdict, vote), action in TABLE.items()]
    if outcome.promise:
        cells = ((str(v), str(vote), str(action)) for v, vote in TABLE for action in Action)
        order = [cell for cell in cells if outcome.counts.cells.get(cell)]
    lines = [
        f"{outcome.rows_read:,} rows read, {outcome.rows_written:,} written to {outcome.output}, "
        f"{outcome.rows_rejected:,} rejected",
        "",
        *outcome.counts.lines(order, [str(action) for action in Action]),
    ]
    if outcome.promise:
        lines += ["", *promise_lines(outcome.promise)]
    if outcome.rejects:
        lines += ["", f"The rejected rows and why are in {outcome.rejects}"]
    if outcome.ids_repeated:
        lines += ["", f"Warning: {outcome.ids_repeated:,} rows repeat the id of an earlier row"]
    if outcome.formulas:
        lines += ["", formula_warning(outcome.formulas)]
    return "\n".join(lines)


def _outcome_json(outcome: "Outcome") -> str:
    counts = [
        {"seek_hide": verdict, "model": vote, "action": action, "messages": n}
        for (verdict, vote, action), n in sorted(outcome.counts.cells.items())
    ]
    promised = asdict(outcome.promise) if outcome.promise else None
    return json.dumps(vars(outcome) | {"counts": counts, "promise": promised}, ensure_ascii=False)


@app.command(epilog='Example: triage explain "Coucou Patrice, tu vas chez pierre ?"')
def explain(
    message: Annotated[str, typer.Argument(metavar="MESSAGE")],
    names: NamesOption = [],  # noqa: B006
    words: WordsOption = [],  # noqa: B006
    model: ModelOption = None,
    strict: StrictOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show each word's label with its dictionary and rule, the two votes, and the action.

    MESSAGE is one message, in quotes. It is decided by itself: in a file, what the other messages
    say of its words counts too.
    """
    from ..decide.explain import explain as explain_message
    from ..decide.explain import explanation_text

    explained = explain_message(load_triage(names, words, model, strict), message)
    typer.echo(
        json.dumps(asdict(explained), ensure_ascii=False)
        if as_json
        else explanation_text(explained)
    )


@app.command(epilog="Example: triage dictionaries --coverage prenoms.csv")
def dictionaries(
    names: NamesOption = [],  # noqa: B006
    words: WordsOption = [],  # noqa: B006
    coverage: Annotated[
        Path | None,
        typer.Option("--coverage", help="Names with counts: say what share the lists hold."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the dictionaries: entries, role, source, licence."""
    from ..decide.lists import load_lists
    from .listing import coverage_of, listing_json, listing_text

    lexicon = load_lists("fr", names, words)
    if coverage:
        typer.echo(coverage_of(lexicon, coverage))
    else:
        typer.echo(listing_json(lexicon) if as_json else listing_text(lexicon))


app.command(
    epilog="Examples: triage train labelled.csv -o my_model | triage train final.csv -o my_model | "
    "triage train --from-queue work.queue -o my_model | "
    "triage train labelled.csv --from-queue work.queue -o my_model"
)(train)

app.add_typer(queue_app)

app.command(
    epilog="Examples: triage anonymise sms.triage.csv -o anon.csv | "
    "triage anonymise final.csv -o anon.csv --style surrogate --key corpus.key --new-key"
)(anonymise)

app.command(
    epilog="Examples: triage check anon.csv --against sms.csv | "
    "triage check anon.csv --key-table replaced.csv --show | triage check anon.csv"
)(check)

app.command(
    epilog="Examples: triage review work.queue | "
    "triage review work.queue --annotator anna --double 10%"
)(review)

app.command(
    epilog="Examples: triage evaluate labelled.csv | "
    "triage evaluate labelled.csv --policy guarded --max-leak 0.02 -o reports/mine | "
    "triage evaluate labelled.csv --paper -o reports/paper | "
    "triage evaluate labelled.csv --only infogain"
)(evaluate)


def main() -> None:
    """Run the command line: an error that the user can mend is one line and exit code 2."""
    # A run makes millions of small objects that live until it ends, and hardly a cycle:
    # looking for garbage among them would take a sixth of the time.
    gc.set_threshold(200_000, 50, 50)
    replace_closed()
    _print_whatever_comes()
    try:
        app(prog_name="triage")
    except SystemExit as end:
        # Nobody reads on (`| head`), which typer ends like any failure.
        if isinstance(end.__context__, BrokenPipeError):
            sys.exit(_BROKEN_PIPE)
        raise
    except OSError as error:
        # All files have errors of their own: what is left is printing, to a full disk.
        from triage.data.errors import reason_of

        _drop_what_is_unprinted()
        _stop(f"cannot write {error.filename or 'standard output'}: {reason_of(error)}")
    except MemoryError:
        _stop("there is not enough memory for this file: split it, or shorten its longest cells")
    except RecursionError:
        _stop("something in the input is nested too deeply: unnest it")
    except ValueError as error:
        if not isinstance(error, _user_errors()):
            raise
        _stop(str(error))


def _print_whatever_comes() -> None:
    """Let no character, however rare, end the program where a terminal cannot show it."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _drop_what_is_unprinted() -> None:
    """Send nowhere what Python would try to print once more when it ends."""
    with suppress(OSError), open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


def _stop(problem: str) -> NoReturn:
    """End with one line on standard error, also where a file's name has several."""
    typer.echo(f"triage: {' '.join(problem.splitlines())}", err=True)
    sys.exit(USAGE)


def _user_errors() -> tuple[type[ValueError], ...]:
    from triage.data.errors import DataError
    from triage.dictionaries import DictionaryError

    from ..errors import TriageError

    return DataError, DictionaryError, TriageError


def run() -> NoReturn:
    """Run the command line as a program, and end without tidying up.

    Freeing the dictionaries word by word would take 0.2 s that the system does in none. Not so
    where other processes were asked for help: they are sent home.
    """
    status = 0
    try:
        main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(bool(end.code))
    if sys.argv[1:2] == ["evaluate"]:
        sys.exit(status)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    run()
