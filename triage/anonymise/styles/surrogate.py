"""Invented identifiers of the same type, the same one for the same real thing."""

from collections import defaultdict
from collections.abc import Sequence

from ...vocabulary import IdentifierType
from ..entity import Entity, canonical
from ..keyed import digest
from ..records import Spelling, StyleName
from ..surrogates.addresses import street_address
from ..surrogates.codes import code
from ..surrogates.phones import telephone
from ..surrogates.taken import CorpusWords, Taken
from ..surrogates.web import mail_address, web_address
from ..surrogates.words import Words, Writer
from .context import StyleContext


class Surrogate:
    """Replaces an identifier by an invented one.

    The same entity has the same surrogate throughout, or within a sender; two entities of a scope
    never have one surrogate, and no surrogate is a name that occurs in the corpus. First names
    keep their gender where it is known, towns their size. Names are drawn from lists; where those
    of about the same length are used up, and for brands and nicknames, they are made up of
    syllables, longer ones if need be. A key (HMAC-SHA256) chooses: the same key and corpus give
    the same surrogates, in whatever order messages come.

    Parameters
    ----------
    context : StyleContext

    Raises
    ------
    TriageError
        If there is no key, or there are more telephone numbers than numbers for fiction.
    """

    reversible = False

    def __init__(self, context: StyleContext) -> None:
        context.check_key(StyleName.SURROGATE)
        self._entities = {spelling: context.entity(spelling) for spelling in context.spellings}
        variants: dict[Entity, list[Spelling]] = defaultdict(list)
        for spelling, entity in self._entities.items():
            variants[entity].append(spelling)
        corpus = _corpus_words(context, variants)
        makers: dict[str, _Maker] = {}
        self._writers: dict[Entity, Writer] = {}
        # Who comes first gets the first choice: neither the corpus nor the alphabet says who.
        for entity in sorted(variants, key=lambda entity: digest(context.key, "order", *entity)):
            scope = entity.sender
            if scope not in makers:
                makers[scope] = _Maker(context, corpus)
            self._writers[entity] = makers[scope].writer(entity, variants[entity])

    def replacement(self, spelling: Spelling) -> str:
        """Return the surrogate of a spelling.

        Raises
        ------
        KeyError
            If it is none of those that the style was made for.
        """
        return self._writers[self._entities[spelling]](spelling.text)


def _corpus_words(context: StyleContext, entities: dict[Entity, list[Spelling]]) -> CorpusWords:
    """Return what occurs in the corpus, and what its names are short for."""
    names = {entity.name for entity in entities}
    return CorpusWords({*context.corpus_words, *names, *(s.text for s in context.spellings)})


class _Maker:
    """Makes the surrogates of a scope.

    Parameters
    ----------
    context : StyleContext
    corpus : CorpusWords
    """

    def __init__(self, context: StyleContext, corpus: CorpusWords) -> None:
        self._key = context.key
        self._lexicon = context.lexicon
        self._taken = Taken(corpus)
        self._words = Words(context.key, context.lexicon, self._taken)

    def writer(self, entity: Entity, variants: Sequence[Spelling]) -> Writer:
        """Return what writes the surrogate of an entity."""
        names = {canonical(one.text, one.type, self._lexicon) for one in variants}
        reference = min(names, key=lambda name: (-len(name), name))
        match entity.kind:
            case IdentifierType.TEL:
                return telephone(self._key, entity, reference, self._taken)
            case IdentifierType.COD:
                return code(self._key, entity, reference, self._taken)
            case IdentifierType.MEL:
                return mail_address(self._key, entity, reference, self._words)
            case IdentifierType.URL:
                return web_address(self._key, entity, reference, self._words)
            case IdentifierType.ADR:
                return street_address(self._key, entity, reference, self._words, self._taken)
            case _:
                nickname = all(one.type is IdentifierType.SUR for one in variants)
                return self._words.write(entity, reference, nickname=nickname)
