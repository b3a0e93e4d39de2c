"""The plan of treatment: what becomes of each type of identifier, of spellings and of columns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..decide.find import Ambiguous
from ..vocabulary import IdentifierType, Severity
from .columns import Columns
from .held import Hold
from .styles import StyleName, Styles
from .treatment import Treating, Treatment


@dataclass(frozen=True)
class General:
    """What holds of all types, as the options of the command line of these names."""

    style: StyleName = StyleName.TAG
    ambiguous: Ambiguous = Ambiguous.HOLD
    hold: Hold = Hold.UNDECIDED
    per_sender: bool = False
    reversible: bool = False


@dataclass(frozen=True)
class Plan:
    """A plan of treatment; the default one is that of the command line without a plan."""

    general: General = field(default_factory=General)
    types: Mapping[IdentifierType, Treatment] = field(
        default_factory=lambda: dict.fromkeys(IdentifierType, Treatment.REPLACE)
    )
    styles: Mapping[IdentifierType, StyleName] = field(default_factory=dict)
    severity: Mapping[IdentifierType, Severity] = field(
        default_factory=lambda: {type_: type_.severity for type_ in IdentifierType}
    )
    always: Mapping[str, IdentifierType] = field(default_factory=dict)
    never: tuple[str, ...] = ()
    columns: Columns = field(default_factory=Columns)
    options: Mapping[str, object] = field(default_factory=dict)
    read_from: tuple[Path, ...] = ()

    def styles_of(self, default: StyleName | None = None) -> Styles:
        """Return the styles; one that the command line names is that of all types."""
        return Styles(default) if default else Styles(self.general.style, self.styles)

    def told(self) -> dict[str, str]:
        """Return the plan for the record: types that stay or are asked about, and counts."""
        by = {
            treatment: ", ".join(type_ for type_ in self.types if self.types[type_] is treatment)
            for treatment in (Treatment.KEEP, Treatment.ASK)
        }
        return {
            "types kept": by[Treatment.KEEP] or "none",
            "types asked about": by[Treatment.ASK] or "none",
            "spellings always": str(len(self.always)),
            "spellings never": str(len(self.never)),
        }

    def treating(self) -> Treating:
        """Return what treats identifiers as this plan says."""
        return Treating(self.types, self.always, self.never)
