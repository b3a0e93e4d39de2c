"""What each part of the system can say of a message."""

from enum import StrEnum


class Verdict(StrEnum):
    """What Seek&Hide says (paper, section 5)."""

    TA = "TA"
    NTA = "NTA"
    UNTAGGED = "UNTAGGED"


class Prediction(StrEnum):
    """What the learnt model says."""

    TA = "TA"
    NTA = "NTA"


class Action(StrEnum):
    """What is done with the message."""

    TA = "TA"
    NTA = "NTA"
    EXPERT = "EXPERT"
