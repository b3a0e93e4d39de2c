"""The words that French postal addresses are made of, and cutting a message for their rules.

The rules (`triage.dictionaries.addresses`) and the statistical model that they are compared with
both read messages through this.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from triage.dictionaries.lexicon import COMMON, FIRST_NAMES, FREQUENT, Lexicon
from triage.dictionaries.normal import fold, normal


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


# A number of the street before it is enough.
STREET_TYPES = words_of(
    """
    rue rues ruelle avenue aven ave boulevard boulvard boulv bvd blvd bvrd chemin chem allee
    allees impasse imp faubourg fbg fg rte sq esplanade espl lotissement venelle square
    hameau residence
    """
)
# Common words or short forms of others: "2 place de ciné", "3 cours de maths", "12 av JC".
WEAK_STREET_TYPES = words_of(
    """
    r av bd ch all pl place route quai qu cours lot res resid passage pass pge montee mtee
    traverse trav cite clos villa domaine mas parvis promenade voie sentier cour rpt
    """
)
# What stands inside a building: its letter, the flat, the floor.
COMPLEMENTS = words_of(
    """
    bat batiment batt bt appt appart appartement app apt apart etage etg esc escalier porte
    entree hall bloc tour immeuble imm chambre chb lot studio logement villa
    """
)
RESIDENCES = words_of("residence res resid lotissement lot hameau domaine cite immeuble")
BOXES = frozenset({"bp", "cs"})
# What announces an address.
TRIGGERS = words_of(
    """
    adresse adresses adress adres adrs adr habite habites habitent habit abite jhabite
    jabite jhab jhabit domicile loge loges logent emmenage demenage livre livrer livraison
    livrez courrier colis gps
    """
)
LINKS = words_of("de du des d da la le les l aux au en sur sous lez")
# Words of a street's name that another always follows: "du Docteur Roux", "de la Vieille Poste".
TITLES = words_of(
    """
    saint sainte st ste general gal gen docteur dr marechal mal capitaine commandant cdt
    colonel col lieutenant lt president pdt professeur pr pere abbe frere freres soeur notre
    vieux vieille vieilles grand grande petit petite comte duc prince cardinal amiral
    """
)
# Words that a proper name may follow: "du Pont Trinquat".
GENERIC = words_of(
    """
    pont place mas clos puits moulin chateau croix fort port marche four jeu tour mont roi
    reine plan faubourg val mer porte champ champs jardin jardins parc
    """
)
SUFFIXES = frozenset({"bis", "ter", "quater"})
MONTHS = words_of(
    "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre"
)
# What a number counts, so that it is none of a street: "12 min", "34000 euros".
UNITS = words_of(
    """
    h heure heures min mn minute minutes euro euros e km m m2 metre metres an ans jour jours
    j mois sec s semaine semaines fois personne personnes pers places rues cours kg l eu eur
    k degres
    """
)

# A run of letters and digits, else one sign; the longest run that is looked at is short.
_TOKEN = re.compile(r"[^\W_]++|[^\w\s]|_")
_LONGEST = 40


@dataclass(frozen=True)
class KnownWords:
    """What lists say of words, asked in lower case without accents.

    Parameters
    ----------
    is_town, is_first_name, is_name, is_frequent, is_word : callable
        Whether a word is a town; a first name; a first or last name; one of the words that
        messages are made of, or a short form of text messages; any word of the language.
    """

    is_town: Callable[[str], bool]
    is_first_name: Callable[[str], bool]
    is_name: Callable[[str], bool]
    is_frequent: Callable[[str], bool]
    is_word: Callable[[str], bool]

    @classmethod
    def of(cls, lexicon: Lexicon) -> Self:
        """Return what the lists of a pack say.

        Parameters
        ----------
        lexicon : Lexicon

        Returns
        -------
        KnownWords

        Examples
        --------
        >>> from triage.dictionaries import load_lexicon
        >>> known = KnownWords.of(load_lexicon("fr"))
        >>> known.is_town("nimes"), known.is_name("patrice"), known.is_frequent("jte")
        (True, True, True)
        """

        def held_by(*names: str) -> Callable[[str], bool]:
            bits = sum(lexicon.bit.get(name, 0) for name in names)
            return lambda word: bool((lexicon.exact.get(word) | lexicon.folded.get(word)) & bits)

        return cls(
            held_by("cities"),
            held_by(*FIRST_NAMES),
            held_by(*FIRST_NAMES, "last_names", "common_first_names", "famous_names"),
            held_by("commonest_forms", "sms_forms"),
            held_by("inflected_forms", "dicollecte_forms", FREQUENT, *COMMON),
        )


def _never(_: str) -> bool:
    return False


NOTHING_KNOWN = KnownWords(_never, _never, _never, _never, _never)


class Tokens:
    """A message cut into runs of letters and digits and single signs.

    Parameters
    ----------
    message : str

    Examples
    --------
    >>> tokens = Tokens("12bis r. de l'Étang")
    >>> tokens.folded
    ['12bis', 'r', '.', 'de', 'l', "'", 'etang']
    """

    def __init__(self, message: str) -> None:
        self.message = message
        self.raw = _TOKEN.findall(message)
        folded = fold(normal("\n".join(raw[:_LONGEST] for raw in self.raw)))
        self.folded = folded.split("\n")

    @cached_property
    def _ends(self) -> list[tuple[int, int]]:
        return [match.span() for match in _TOKEN.finditer(self.message)]

    def start(self, i: int) -> int:
        """Return where a token starts in the message."""
        return self._ends[i][0]

    def end(self, i: int) -> int:
        """Return where a token ends in the message."""
        return self._ends[i][1]

    def __len__(self) -> int:
        return len(self.raw)

    def at(self, i: int) -> str:
        """Return a token, folded; nothing beyond the ends."""
        return self.folded[i] if 0 <= i < len(self.folded) else ""

    def is_glued(self, i: int) -> bool:
        """Return whether no space stands before a token."""
        return 0 < i < len(self.raw) and self.start(i) == self.end(i - 1)

    def is_on_new_line(self, i: int) -> bool:
        """Return whether a line ends before a token."""
        return 0 < i < len(self.raw) and "\n" in self.message[self.end(i - 1) : self.start(i)]

    @cached_property
    def _capitals_tell(self) -> bool:
        """Whether the message has small letters, so that a capital is no matter of course."""
        return any(raw[1:].islower() for raw in self.raw)

    def is_capital(self, i: int) -> bool:
        """Return whether a token starts with a capital that says something."""
        raw = self.raw[i] if 0 <= i < len(self.raw) else ""
        return raw[:1].isupper() and not raw[1:].isupper() and self._capitals_tell
