"""The sections of ``pack.toml``: what the rules of a language go by, each with a type.

What each key means, and an example of it, is written in ``new_pack.toml``, which
``triage pack new`` copies. Everything may be left out: a rule without words finds nothing.
"""

from dataclasses import dataclass

# Words of a text, in any order; texts in an order; an expression of Python that never matches.
Words = frozenset[str]
Listed = tuple[str, ...]
NO_WORDS: Words = frozenset()
NEVER = "(?!)"


@dataclass(frozen=True)
class About:
    """The language, and the countries whose national numbers are looked for."""

    name: str = ""
    countries: Listed = ()


@dataclass(frozen=True)
class Splitting:
    """How words are cut, and which letters are stretched."""

    elided: str = NEVER
    vowels: str = "aeiouy"


@dataclass(frozen=True)
class SpellingWords:
    """The spelling rules that apply, and the words that they go by."""

    rules: Listed = ()
    elided: Listed = ()
    of_names: Words = NO_WORDS
    from_three: Words = NO_WORDS
    vowels: Listed = ()
    heads: Words = NO_WORDS
    subjects: Words = NO_WORDS
    objects: Words = NO_WORDS
    before_names: Words = NO_WORDS
    sounds: str = NEVER
    phonetic: Listed = ()
    misspelt_from: int = 7
    swapped_from: int = 5


@dataclass(frozen=True)
class Codes:
    """Codes of doors and cards, and those sent to confirm."""

    code_words: Listed = ()
    said: Listed = ()
    to: Listed = ()
    before_years: Listed = ()
    triggers: Listed = ()
    near: Listed = ()
    between: Listed = ()
    then: Listed = ()
    no_codes: Listed = ()
    aims: Listed = ()
    typing: Listed = ()
    copulas: Listed = ()
    whose: Listed = ()


@dataclass(frozen=True)
class Passwords:
    """Passwords and keys of wireless networks."""

    gate: str = NEVER
    participles: Listed = ()
    clauses: Listed = ()
    triggers: Listed = ()
    wifi: Listed = ()
    near: Listed = ()
    between: Listed = ()
    verbs: Listed = ()
    still: Listed = ()
    no_passwords: Words = NO_WORDS


@dataclass(frozen=True)
class StreetForms:
    """Streets as one expression finds them."""

    capitals: str = "A-Z"
    types: Listed = ()
    links: Listed = ()
    near: str = NEVER
    suffixes: Listed = ()


@dataclass(frozen=True)
class AddressWords:
    """Postal addresses, as the grammar of addresses reads them."""

    street_types: Words = NO_WORDS
    weak_street_types: Words = NO_WORDS
    written_out: Words = NO_WORDS
    complements: Words = NO_WORDS
    residences: Words = NO_WORDS
    boxes: Words = NO_WORDS
    triggers: Words = NO_WORDS
    in_triggers: Words = NO_WORDS
    links: Words = NO_WORDS
    titles: Words = NO_WORDS
    generic: Words = NO_WORDS
    street_adjectives: Words = NO_WORDS
    suffixes: Words = NO_WORDS
    months: Words = NO_WORDS
    units: Words = NO_WORDS
    no_names: Words = NO_WORDS
    town_links: Words = NO_WORDS
    cities_with_districts: Words = NO_WORDS
    kept: Words = NO_WORDS
    ground_floors: Words = NO_WORDS
    floors: Words = NO_WORDS
    great: Words = NO_WORDS
    of_great: Words = NO_WORDS
    said_numbers: Words = NO_WORDS
    numbers: Words = NO_WORDS
    articles: Words = NO_WORDS
    town_articles: Words = NO_WORDS
    naming: Listed = ()
    saints: Listed = ()
    conjunctions: Words = NO_WORDS
    town_suffixes: Words = NO_WORDS
    towards: Words = NO_WORDS
    ordinals: Listed = ()
    floor_ordinals: Listed = ()
    first: Words = NO_WORDS
    first_days: Words = NO_WORDS
    postcode: str = NEVER
    postcode_start: str = NEVER

    @property
    def all_street_types(self) -> Words:
        """The types of streets, weak ones too."""
        return self.street_types | self.weak_street_types


@dataclass(frozen=True)
class Announced:
    """What stands between a trigger and what it announces."""

    between: Listed = ()
    few: Listed = ()


@dataclass(frozen=True)
class Accounts:
    """Bank accounts."""

    triggers: Listed = ()
    parts: Listed = ()
    bic: Listed = ()


@dataclass(frozen=True)
class Cards:
    """Bank cards."""

    triggers: Listed = ()
    expiry: Listed = ()
    no_code: Listed = ()
    codes: Listed = ()
    no_card: Listed = ()


@dataclass(frozen=True)
class SocialSecurity:
    """Social security numbers."""

    triggers: Listed = ()
    key: str = NEVER


@dataclass(frozen=True)
class Plates:
    """Number plates."""

    triggers: Listed = ()
    no_letters: Listed = ()


@dataclass(frozen=True)
class Companies:
    """Numbers of companies."""

    triggers: Listed = ()
    vat: Listed = ()


@dataclass(frozen=True)
class Crypto:
    """Addresses of crypto-currencies."""

    triggers: Listed = ()


@dataclass(frozen=True)
class Handles:
    """Names on networks."""

    networks: Listed = ()
    pseudonyms: Listed = ()
    between: Listed = ()
    links: Listed = ()
    adding: Listed = ()
    behind: Listed = ()
    units: Listed = ()
    no_names: Words = NO_WORDS


@dataclass(frozen=True)
class Mail:
    """E-mail addresses as they are spelt out."""

    providers: Listed = ()
    word_providers: Listed = ()
    gate: str = NEVER
    ats: Listed = ()
    words_at: Listed = ()
    dots: Listed = ()
    signs: Listed = ()


@dataclass(frozen=True)
class Meetings:
    """Numbers of meetings."""

    triggers: Listed = ()
    between: Listed = ()


@dataclass(frozen=True)
class Network:
    """Addresses of machines."""

    triggers: Listed = ()
    between: Listed = ()
    no_triggers: Listed = ()


@dataclass(frozen=True)
class Coordinates:
    """Coordinates."""

    directions: Listed = ()
    links: Listed = ()
    units: Listed = ()
    triggers: Listed = ()


@dataclass(frozen=True)
class Dates:
    """The months, in order: expressions, names; what stands behind the number of a day."""

    months: Listed = ()
    names: Listed = ()
    ordinals: Listed = ()


@dataclass(frozen=True)
class Births:
    """Dates of birth."""

    near: str = NEVER
    born: Listed = ()
    triggers: Listed = ()
    not_of_people: str = ""
    between: Listed = ()
    between_behind: Listed = ()
    year_links: Listed = ()
    of_month: str = ""


@dataclass(frozen=True)
class Ages:
    """Ages."""

    years: Listed = ()
    numbers: str = NEVER
    about: Listed = ()
    triggers: Listed = ()
    other_before: Listed = ()
    other_behind: Listed = ()


@dataclass(frozen=True)
class Postcodes:
    """Postcodes."""

    form: str = NEVER
    elided: str = NEVER
    town_suffix: str = NEVER
    districts: Listed = ()
    articles: Listed = ()
    triggers: Listed = ()
    between: Listed = ()
    links: Words = NO_WORDS
    large_towns: Words = NO_WORDS


@dataclass(frozen=True)
class Titles:
    """The titles behind which a last name stands."""

    persons: Listed = ()


@dataclass(frozen=True)
class Public:
    """Names that are nobody's of the sender's world, and where they stand."""

    persons: Listed = ()
    stage_names: Listed = ()
    works: Listed = ()
    links: Listed = ()
    saint: str = NEVER
    saint_title: str = NEVER
    saint_gate: str = NEVER
    elided: str = NEVER
    saints: Listed = ()
    streets: Listed = ()
    namesakes: Listed = ()
    feasts: Listed = ()
    before_feasts: Listed = ()
    pet_words: Listed = ()
    tender_words: Listed = ()
    before_tender_words: Listed = ()
    behind_feasts: Listed = ()
    feast_article: str = NEVER
    possessives: Listed = ()


@dataclass(frozen=True)
class Schools:
    """Schools."""

    types: Listed = ()
    kinds: Listed = ()
    links: Listed = ()
    titles: Words = NO_WORDS
    in_names: Words = NO_WORDS


@dataclass(frozen=True)
class Residences:
    """Residences, streets that somebody lives in, and doors."""

    kinds: Listed = ()
    weak_kinds: Listed = ()
    links: Listed = ()
    homes: Listed = ()
    door: str = NEVER
    door_gate: str = NEVER


@dataclass(frozen=True)
class Employers:
    """Employers."""

    triggers: Listed = ()
    before_names: Listed = ()
    before_houses: Listed = ()
    houses: Listed = ()
    firms: Words = NO_WORDS
    stops: Listed = ()


@dataclass(frozen=True)
class Quantities:
    """Units behind numbers, which are no identifiers."""

    units: Listed = ()
    joined: Listed = ()


@dataclass(frozen=True)
class Telephone:
    """Telephone numbers."""

    triggers: Listed = ()
    near: Listed = ()
    between: Listed = ()
    said: Listed = ()
    said_gate: str = NEVER


@dataclass(frozen=True)
class Numbers:
    """Numbers of parcels, orders, customers."""

    kinds: Listed = ()
    things: Listed = ()
    references: Listed = ()
    links: Listed = ()
    bookings: Listed = ()
    near_bookings: str = NEVER
    marks: Listed = ()
    near: Listed = ()
    between: Listed = ()


@dataclass(frozen=True)
class Entities:
    """What all spellings of an entity have in common, and what says only of which kind it is."""

    links: Words = NO_WORDS
    organisations: Words = NO_WORDS
    spelt_at: str = NEVER
    spelt_dot: str = NEVER
    spelt_signs: Listed = ()
    labels: str = NEVER


@dataclass(frozen=True)
class Signatures:
    """How a message is signed."""

    greetings: str = NEVER
    farewells: str = NEVER
    gate: str = NEVER
    introductions: str = NEVER
    introduction_gate: str = NEVER
    beside: Listed = ()
    behind_initials: Listed = ()
    initial_gate: str = NEVER
    titles: Listed = ()
    no_names: Words = NO_WORDS
    at_the_phone: str = NEVER
    of_another: str = NEVER


@dataclass(frozen=True)
class Surrogates:
    """How names that are made up begin and end, and the words of streets that are."""

    male: Listed = ("",)
    female: Listed = ("",)
    last_name: Listed = ("",)
    town: Listed = ("",)
    brand: Listed = ("",)
    street: Listed = ("",)
    stems: Listed = ()
    family_endings: Listed = ()
    letters: str = "a-z"
    street_type: str = ""
    articles: Words = NO_WORDS
    of: Words = NO_WORDS
    town_head: str = NEVER
