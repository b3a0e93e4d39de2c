"""The strings of a document that a check of what is left reads."""

from pathlib import Path

import pytest

from triage.data.strings import document_strings

HEADER = "<teiHeader><title>{}</title><author>Léa</author></teiHeader><text>Oui</text>"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "iso-8859-1", "utf-16", "utf-16-be"])
@pytest.mark.parametrize("title", ["Zoé", "<![CDATA[Zoé]]>", "Z<hi>o</hi>é", "<!--Zoé-->"])
def test_a_name_is_among_them_in_any_encoding_and_markup(
    title: str, encoding: str, tmp_path: Path
) -> None:
    path, declared = tmp_path / "sms.xml", encoding.removesuffix("-sig").removesuffix("-be")
    document = f'<?xml version="1.0" encoding="{declared}"?><TEI>{HEADER.format(title)}</TEI>'
    path.write_bytes(document.encode(encoding))
    found = [*document_strings(str(path))]
    assert {"Léa", "Oui"} <= {*found}
    assert "Zoé" in "\n".join(found)


def test_a_document_that_declares_what_no_encoding_is_called_is_read(tmp_path: Path) -> None:
    path = tmp_path / "sms.xml"
    path.write_text(f'<?xml version="1.0" encoding="none"?><TEI>{HEADER.format("Zoé")}</TEI>')
    assert "Zoé" in [*document_strings(str(path))]
