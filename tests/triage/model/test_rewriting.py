"""Messages as if some of their words had no capitals."""

import numpy as np

from triage.dictionaries import LabelledMessages, Lexicon, label_messages
from triage.model.rewriting import without_capitals


def rewritten(labelled: LabelledMessages, *spellings: str) -> list[str]:
    words = labelled.words
    which = np.array([words.forms[form].text in spellings for form in words.form], dtype=np.bool_)
    return list(without_capitals(labelled, which).messages)


def test_chosen_words_are_in_lower_case_and_no_others(french: Lexicon) -> None:
    labelled = label_messages(["Coucou Zoé, ça va ?", "Élodie et ZOÉ"], french)
    assert rewritten(labelled, "Zoé", "ZOÉ") == ["Coucou zoé, ça va ?", "Élodie et zoé"]


def test_there_are_as_many_words_as_before(french: Lexicon) -> None:
    # In capitals the letters are a smiley.
    labelled = label_messages(["Merci XD Patrice", "tu vois Patrice"], french)
    every = np.ones(len(labelled.words.form), dtype=np.bool_)
    again = without_capitals(labelled, every)
    assert again.words.message.tolist() == labelled.words.message.tolist()
    assert again.messages[1] == "tu vois patrice"
