"""Names of the types of identifiers: in words, by Presidio, and in TEI.

Presidio's names are those of its recognisers and of its mapping of models (``ID``, ``AGE``,
``ORGANIZATION``); `OURS` are made like them for what it has no name for. TEI's elements (P5) are
those that may stand in running text.
"""

from typing import NamedTuple

from .vocabulary import IdentifierType


class TypeName(NamedTuple):
    """The names of a type."""

    one: str
    several: str
    presidio: str
    tei: str


TYPE_NAMES = {
    IdentifierType.PRE: TypeName("first name", "first names", "PERSON", "<forename>"),
    IdentifierType.NOM: TypeName("last name", "last names", "PERSON", "<surname>"),
    IdentifierType.SUR: TypeName("nickname", "nicknames", "PERSON", '<addName type="nick">'),
    IdentifierType.ADR: TypeName("address", "addresses", "LOCATION", "<address>"),
    IdentifierType.LIE: TypeName("place", "places", "LOCATION", "<placeName>"),
    IdentifierType.TEL: TypeName(
        "telephone number", "telephone numbers", "PHONE_NUMBER", '<idno type="telephone">'
    ),
    IdentifierType.COD: TypeName("code", "codes", "ID", '<idno type="code">'),
    IdentifierType.URL: TypeName("URL", "URLs", "URL", '<ref type="url">'),
    IdentifierType.MAR: TypeName("brand", "brands", "ORGANIZATION", '<name type="brand">'),
    IdentifierType.MEL: TypeName("e-mail address", "e-mail addresses", "EMAIL_ADDRESS", "<email>"),
    IdentifierType.IBA: TypeName(
        "bank account (IBAN)", "bank accounts", "IBAN_CODE", '<idno type="IBAN">'
    ),
    IdentifierType.CRT: TypeName("bank card", "bank cards", "CREDIT_CARD", '<idno type="card">'),
    IdentifierType.NIR: TypeName(
        "social security number", "social security numbers", "FR_NIR", '<idno type="NIR">'
    ),
    IdentifierType.SIR: TypeName(
        "company number (SIREN, SIRET, VAT)", "company numbers", "FR_SIREN", '<idno type="SIREN">'
    ),
    IdentifierType.CRY: TypeName(
        "crypto address", "crypto addresses", "CRYPTO", '<idno type="crypto">'
    ),
    IdentifierType.IMM: TypeName(
        "number plate", "number plates", "FR_VEHICLE_REGISTRATION", '<idno type="plate">'
    ),
    IdentifierType.DDN: TypeName(
        "date of birth", "dates of birth", "DATE_TIME", '<date type="birth">'
    ),
    IdentifierType.AGE: TypeName("age", "ages", "AGE", '<measure type="age">'),
    IdentifierType.CPO: TypeName(
        "postcode and town", "postcodes and towns", "LOCATION", '<placeName type="postal">'
    ),
    IdentifierType.IPA: TypeName(
        "IP or MAC address", "IP or MAC addresses", "IP_ADDRESS", '<idno type="IP">'
    ),
    IdentifierType.GPS: TypeName("coordinates or map link", "coordinates", "LOCATION", "<geo>"),
    IdentifierType.PSD: TypeName("handle", "handles", "USERNAME", '<addName type="handle">'),
    IdentifierType.LNK: TypeName(
        "meeting or invitation link", "invitation links", "URL", '<ref type="invitation">'
    ),
    IdentifierType.NUM: TypeName(
        "reference number", "reference numbers", "ID", '<idno type="reference">'
    ),
    IdentifierType.ORG: TypeName(
        "school or employer", "schools or employers", "ORGANIZATION", "<orgName>"
    ),
}
# Presidio has no entity of these.
OURS = frozenset({"FR_NIR", "FR_SIREN", "FR_VEHICLE_REGISTRATION", "USERNAME"})
