"""What holds of the words of any text."""

from hypothesis import given
from hypothesis import strategies as st

from tests.dictionaries.splitting import Word, split
from triage.dictionaries import split_all

PIECES = st.one_of(
    st.text(max_size=8),
    st.text(alphabet="aàeé'’-_ .,:;)(<>3^xXDdoO0128hH@/+\n", max_size=8),
    st.sampled_from(
        [
            *(
                "Coucou",
                "Patrice,",
                "c'est",
                "j’ai",
                "Jean-Luc",
                "e\u0301te\u0301",
                "2m1",
                " ",
                "  ",
            ),
            *(":)", "xD", "<3", "^^", "o_O", "👨‍👩‍👧", "👍🏽", "🇫🇷", "1️⃣", "\0", "\ufe0f"),
            *("18h30", "12,50€", "06 39 98 12 34", "+33 6 39 98 12 34", "<PRE_7>", "<ADR_LIE_21>"),
            *("lola@exemple.fr", "http://exemple.fr/a?b=c)", "www.exemple.fr", "code 45B78"),
            "12 rue des Lilas 34000 Montpellier",
        ]
    ),
)
MESSAGES = st.lists(PIECES, max_size=8).map("".join)


@given(MESSAGES)
def test_words_stand_in_order_where_they_say_with_white_space_alone_between(message: str) -> None:
    at = 0
    for word in split(message):
        assert message[at : word.start].strip() == ""
        assert message[word.start : word.end] == word.text != ""
        at = word.end
    assert message[at:].strip() == ""


@given(st.lists(MESSAGES, max_size=6))
def test_messages_split_together_are_split_as_each_alone(messages: list[str]) -> None:
    table = split_all(messages)
    together: list[list[Word]] = [[] for _ in messages]
    for form, message, start in zip(table.form, table.message, table.start, strict=True):
        text, kind = table.forms[form]
        together[message].append(Word(text, kind, int(start), int(start) + len(text)))
    assert together == [split(message) for message in messages]


@given(st.lists(MESSAGES, max_size=6))
def test_a_table_holds_no_form_twice_and_none_for_nothing(messages: list[str]) -> None:
    table = split_all(messages)
    assert len(set(table.forms)) == len(table.forms)
    assert set(table.form.tolist()) == set(range(len(table.forms)))
