"""Parts that are left out of a TEI document go whole, also where a message was written anew."""

import pytest

from triage.data.tei import KINDS, Replacement, TeiDocument

CHOICE = "<choice><fs>Karim </fs>Karim</choice>"
READINGS = "<choice>Karim<corr>Karim &amp; co</corr></choice>"


def written(message: str, kept: tuple[str, ...], *, is_withheld: bool = False) -> str:
    document = TeiDocument("sms.xml", f"<TEI><text><p>{message}</p></text></TEI>".encode())
    [found] = document.messages()
    if is_withheld:
        document.withhold(found)
    else:
        document.replace(found, [Replacement(0, len("Karim"), "PRE", "Lou")])
    for one in document.beside(kept):
        if one.kind not in ("tag", "text", "markup"):
            document.rewrite(one, "")
        elif one.kind != "tag":
            document.rewrite(one, f"{one.text}?")
    return document.content("").decode().removeprefix("<TEI><text>").removesuffix("</text></TEI>")


@pytest.mark.parametrize(
    ("message", "kept", "expected"),
    [
        (CHOICE, (), "<p><choice>Lou</choice></p>"),
        (CHOICE, KINDS, "<p><choice><fs>Lou</fs>Lou</choice></p>"),
        (READINGS, (), "<p><choice>Lou<corr>Lou</corr></choice></p>"),
        ("Karim<!--a-->", (), "<p>Lou</p>"),
        ("Karim<!--a-->", KINDS, "<p>Lou<!--a-->?</p>"),
    ],
)
def test_beside_a_message_that_is_written_anew(
    message: str, kept: tuple[str, ...], expected: str
) -> None:
    assert written(message, kept) == expected


@pytest.mark.parametrize("message", [CHOICE, "<!--Karim-->Karim", "<note>Karim</note>Karim"])
@pytest.mark.parametrize("kept", [(), KINDS])
def test_nothing_beside_a_message_that_is_withheld_stays(
    message: str, kept: tuple[str, ...]
) -> None:
    assert written(message, kept, is_withheld=True) == '<p><gap reason="withheld"/></p>'
