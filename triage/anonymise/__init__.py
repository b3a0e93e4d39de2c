"""The treatment: identifiers of a corpus, replaced in the style that is asked for."""
