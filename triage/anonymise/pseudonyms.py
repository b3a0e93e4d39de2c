"""Pseudonyms of a whole corpus: in a style, by a table that a person edited, and checked."""

from dataclasses import replace
from pathlib import Path

from .coherence import Finding, check
from .records import Style, StyleName
from .run import Corpus
from .styles import StyleContext, make_style
from .table import EntityTable, Tabled, build_table, read_table, write_table


def write_entities(
    path: str | Path, corpus: Corpus, name: StyleName, context: StyleContext
) -> EntityTable:
    """Write the table of a corpus's spellings, what each stands for, and its replacement.

    Parameters
    ----------
    path : str or Path
        Only its owner may read it.
    corpus : Corpus
    name : StyleName
    context : StyleContext

    Returns
    -------
    EntityTable

    Raises
    ------
    DataError
        If it cannot be written.
    """
    table = build_table(corpus.spellings, make_style(name, context), context)
    write_table(path, table)
    return table


def style_of(
    corpus: Corpus,
    name: StyleName,
    context: StyleContext,
    entities: str | Path | None = None,
    *,
    show: bool = False,
) -> tuple[Style, list[Finding]]:
    """Return how a corpus's identifiers are replaced, and what is incoherent about that.

    Parameters
    ----------
    corpus : Corpus
    name : StyleName
    context : StyleContext
    entities : str or Path, optional
        A table of `write_entities`, which a person may have edited.
    show : bool
        Whether examples may hold real names.

    Returns
    -------
    style : Style
    findings : list of Finding
        Of pseudonyms alone: tags and masks are the same for many.

    Raises
    ------
    DataError, TriageError
        If the table cannot be read.
    """
    if entities is None:
        style = make_style(name, context)
        if name not in (StyleName.CONSISTENT, StyleName.SURROGATE):
            return style, []
        table = build_table(corpus.spellings, style, context)
    else:
        read = read_table(entities)
        spellings = [*corpus.spellings, *read.spellings]
        told = replace(context, spellings=spellings, entities=read.entities(spellings))
        style = make_style(name, told)
        table = read.filled(style)
        style = Tabled(table, style)
    per_sender = context.per_sender
    return style, check(table.entries, context.corpus_words, per_sender=per_sender, show=show)
