"""Which spellings stand for one thing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.anonymise.entity import Spelling, canonical, short_forms
from triage.anonymise.styles import StyleContext
from triage.dictionaries import Lexicon
from triage.dictionaries.normal import fold
from triage.dictionaries.pack import PACKS, load_pack
from triage.vocabulary import IdentifierType

FRENCH_PACK = load_pack("fr")

PRE, NOM, SUR, ADR, LIE, TEL, COD, URL, MAR, MEL = [*IdentifierType][:10]
IBA, CRT, NIR, SIR, CRY, IMM, DDN, AGE, CPO, IPA, GPS, PSD, LNK, NUM, ORG = [*IdentifierType][10:]
ANY_TEXT = st.text(st.characters(), max_size=30)

ONE = [
    (PRE, ["Léa", "léa", "LEA", "lea", "Léaaaa", "LÉAAA", "Le\u0301a"]),
    (PRE, ["Nicolas", "nico", "Nicooo", "niko", "NICOLAAAS"]),
    (PRE, ["Jean-Luc", "jean luc", "JEAN-LUC", "Jean_Luc"]),
    (PRE, ["Jean-Philippe", "jean phi", "Jeanphi"]),
    (PRE, ["Anna", "annnna"]),
    (PRE, ["André", "andréééé", "andre"]),
    (PRE, ["Michelle", "mmmichelle", "Michelleee"]),
    (PRE, ["Erwan", "erwannnn"]),
    (PRE, ["Zorglub", "zorglubbb", "ZORGLUB"]),
    (SUR, ["seb", "Sébastien", "Sebou"]),
    (NOM, ["Lefèvre", "LEFEVRE"]),
    (LIE, ["Saint-Étienne", "st etienne", "St-Etienne"]),
    (MAR, ["Carrefour", "CARREFOUR"]),
    (TEL, ["06 39 98 12 34", "06.39.98.12.34", "+33639981234", "0033 6 39 98 12 34"]),
    (TEL, ["+33 (0)6 39 98 12 34", "0639981234", "639981234", "33639981234"]),
    (TEL, ["06 39 98 12 34", "O6 39 98 l2 34", "o63998I234"]),
    (
        TEL,
        [
            "06 39 98 12 34",
            "０６３９９８１２３４",
            "06\u202f39\u202f98\u202f12\u202f34",
            "０6–39–98–12–34",
        ],
    ),
    (TEL, ["+44 20 7946 0958", "0044 2079460958"]),
    (MEL, ["Zoe@Example.org", "zoe@example.org", "zoe＠example．org", "zoe@\u200bexample.org"]),
    (URL, ["https://www.Example.org/a/", "example.org/a", "http://example.org/a"]),
    (COD, ["45B78", "45b78", "45 B 78"]),
    (ADR, ["12 av. Jean Jaurès", "12, avenue jean jaures", "12 AVE JEAN JAURÈS"]),
    (IBA, ["FR76 3000 6000 0112", "fr76300060000112", "FR76-3000.6000 0112"]),
    (CRT, ["4970 1234 5678 9012", "4970.1234.5678.9012", "4970123456789012"]),
    (NIR, ["1 85 05 78 006 084 36", "185057800608436"]),
    (SIR, ["303 265 045", "303265045"]),
    (CRY, ["0xAbCdEf", "0xabcdef"]),
    (CRY, ["bc1qar0srrr7", "BC1QAR0SRRR7"]),
    (IMM, ["AB-123-CD", "ab 123 cd", "AB123CD"]),
    (DDN, ["12/03/1987", "12.03.1987", "12.3.87", "12 mars 1987", "12 MARS 87", "12031987"]),
    (DDN, ["1er août 2001", "01/08/2001", "1 aout 01", "2001-08-01"]),
    (DDN, ["12 mars", "12/03"]),
    (AGE, ["17 ans", "17", "17ans"]),
    (CPO, ["34400 Lunel", "34400, LUNEL"]),
    (IPA, ["2001:DB8::1", "2001:db8:0:0:0:0:0:1"]),
    (IPA, ["A4:5E:60:C1:22:33", "a4-5e-60-c1-22-33", "a45e.60c1.2233"]),
    (GPS, ["43.6107, 3.8767", "43.6107,3.8767"]),
    (PSD, ["@Zorvan_34", "zorvan_34"]),
    (LNK, ["https://meet.example.org/abc", "meet.example.org/abc"]),
    (NUM, ["XY 123-456", "xy123456"]),
    (ORG, ["lycée Jules Ferry", "LYCEE JULES FERRY"]),
    (MEL, ["zoe.m@example.org", "zoe point m arobase example point org", "zoe.m [at] example.org"]),
    (MEL, ["zoe-m@example.org", "zoe tiret m (arobas) example.org", "zoe-m @ example.org"]),
    (IBA, ["30003 02018 70342366712 59", "30003 02018 compte 70342366712 clé 59"]),
    (DDN, ["1987", "87"]),
    (LNK, ["812 345 678", "812-345-678"]),
]

OTHERS = [
    (PRE, ["Nicolas", "Nicole"]),
    (PRE, ["Andrééé", "Andrée"]),
    (PRE, ["Anna", "Ana"]),
    (PRE, ["Théo", "Théodore"]),
    (PRE, ["Alex", "Alexandre", "Alexandra"]),
    (PRE, ["Mathieu", "Matthieu"]),
    (NOM, ["Nico", "Nicolas"]),
    (NOM, ["Mme Durand", "M. Durand"]),
    (TEL, ["06 39 98 12 34", "06 39 98 12 35"]),
    (COD, ["1122", "12"]),
    (URL, ["example.org/a", "example.org/A"]),
    (CRY, ["1BoatSLRHt", "1boatSLRHt"]),
    (DDN, ["12/03/1987", "12/03", "12/03/1988", "03/1987", "1987"]),
    (DDN, ["32/13/1987", "31/12/1987"]),
    (AGE, ["17 ans", "18 ans", "17/18 ans"]),
    (IPA, ["10.0.0.1", "10.0.0.1:80", "100.0.1"]),
    (GPS, ["43.6107, 3.8767", "43.610, 73.8767"]),
    (PSD, ["zorvan_34", "zorvan.34"]),
]


@pytest.mark.parametrize(("type_", "texts"), ONE)
def test_variants_are_one(type_: IdentifierType, texts: list[str], french: Lexicon) -> None:
    assert len({canonical(text, type_, french) for text in texts}) == 1


@pytest.mark.parametrize(("type_", "texts"), OTHERS)
def test_what_only_looks_alike_is_not(
    type_: IdentifierType, texts: list[str], french: Lexicon
) -> None:
    assert len({canonical(text, type_, french) for text in texts}) == len(texts)


def test_a_nickname_is_with_the_name_that_it_is_short_for(french: Lexicon) -> None:
    nico, nicolas = Spelling("Nico", SUR), Spelling("Nicolas", PRE)
    assert StyleContext(french).entity(nico) == StyleContext(french).entity(nicolas)


def test_a_first_name_is_not_the_last_name(french: Lexicon) -> None:
    first, last = (Spelling("Martin", type_) for type_ in (PRE, NOM))
    assert StyleContext(french).entity(first) != StyleContext(french).entity(last)


def test_per_sender_a_name_is_somebody_elses_in_other_messages(french: Lexicon) -> None:
    first, second = (Spelling("Zoé", PRE, sender) for sender in ("s1", "s2"))
    assert StyleContext(french).entity(first) == StyleContext(french).entity(second)
    apart = [StyleContext(french, per_sender=True).entity(one) for one in (first, second)]
    assert apart[0] != apart[1]


def test_the_list_of_short_forms_is_sound(french: Lexicon) -> None:
    forms = short_forms(FRENCH_PACK)
    assert len(forms) > 150
    assert not set(forms) & set(forms.values())
    for short, full in forms.items():
        assert canonical(short, PRE, french) == canonical(full, PRE, french) == full


def test_no_short_form_is_listed_twice() -> None:
    path = str(PACKS / "fr/surrogates/short_forms.txt")
    with open(path, encoding="utf-8") as file:  # noqa: PTH123
        lines = [line.partition("\t") for line in file if not line.startswith("#")]
    assert all(tab for _, tab, _ in lines)
    listed = [fold(short) for _, _, forms in lines for short in forms.split()]
    assert len(listed) == len(set(listed))
    heads = [fold(full) for full, _, _ in lines]
    assert len(heads) == len(set(heads))


def test_a_very_long_stretch_takes_no_time(french: Lexicon) -> None:
    assert canonical("l" + "é" * 100_000, PRE, french)
    assert canonical("ab" * 100_000, PRE, french)


@given(ANY_TEXT, st.sampled_from(IdentifierType))
def test_any_text_stands_for_something(french: Lexicon, text: str, type_: IdentifierType) -> None:
    found = canonical(text, type_, french)
    assert isinstance(found, str)
    assert bool(found) == bool(text)


@given(st.sampled_from(["Zoé", "Jean-Luc", "Maëlle", "Patrice", "Zorglub"]), st.integers(0, 5))
def test_case_and_stretching_do_not_count(french: Lexicon, name: str, longer: int) -> None:
    stretched = name + name[-1] * longer
    variants = {stretched, stretched.upper(), stretched.lower(), fold(stretched)}
    assert {canonical(one, PRE, french) for one in variants} == {canonical(name, PRE, french)}
