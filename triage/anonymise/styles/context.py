"""What a style is made from."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from triage.dictionaries import Lexicon

from ...errors import TriageError
from ..entity import Entity, entity_of, kind_of
from ..keys import KEY_BYTES
from ..records import Spelling, StyleName


@dataclass(frozen=True)
class StyleContext:
    """What a style is made from.

    Parameters
    ----------
    lexicon : Lexicon
    key : bytes
        32 random bytes of a key file; empty for styles that need none.
    spellings : collection of Spelling
        All that will be replaced in the corpus.
    corpus_words : collection of str
        Folded words that occur anywhere in the corpus: no surrogate is one of them.
    per_sender : bool
        Whether replacements are consistent within a sender only.
    entities : mapping of Spelling to str
        What spellings stand for, where a person said so; else their spelling tells.
    """

    lexicon: Lexicon
    key: bytes = b""
    spellings: Collection[Spelling] = ()
    corpus_words: Collection[str] = ()
    per_sender: bool = False
    entities: Mapping[Spelling, str] = field(default_factory=dict)

    def entity(self, spelling: Spelling) -> Entity:
        """Return what a spelling stands for."""
        said = self.entities.get(spelling)
        if said is not None:
            sender = spelling.sender if self.per_sender else ""
            return Entity(kind_of(spelling.type), said, sender)
        return entity_of(spelling, self.lexicon, per_sender=self.per_sender)

    def check_key(self, style: StyleName) -> None:
        """Raise an error where there is no key.

        Raises
        ------
        TriageError
        """
        if len(self.key) < KEY_BYTES:
            raise TriageError(
                f"the style {style} needs a key of {KEY_BYTES} bytes, which a key file holds: "
                "name one with --key, and add --new-key to make it"
            )
