"""Invented identifiers: they stand for a name, a place, a number, an address.

A surrogate must

- be the same for all spellings of an entity in its scope (the corpus, or a sender), and no other
  entity's there;
- be no identifier that is replaced anywhere in the corpus; if it is a number, a code or a made-up
  word, no word of the corpus at all (ages aside: every corpus holds most numbers of two digits);
- follow from the key and the identifiers of the corpus, not from their order;
- keep what makes a text read on: gender, first sound, frequency and length of a name, the size of a
  town, the form of a number, but so that the number is nobody's;
- be written like its identifier: capitals, accents, stretched letters, signs.
"""
