"""InfoGain of the features (paper, Table 5)."""

from triage.reports.charts import bars
from triage.reports.document import Figure, Part, Table
from triage.reports.infogain import Ranked, rank

from ..model.training import balanced_rows
from .corpus import Prepared

_FEWEST_BARS = 3
PAPER = {
    "UpperCase": 0.2754,
    "SMSLength": 0.2121,
    "FirstName": 0.1366,
    "Countries": 0.0986,
    "Cities": 0.0986,
    "WordLength": 0.0776,
    "Numbers": 0.0367,
    "Elongations": 0.0353,
    "Abbreviations": 0.034,
    "Punctuation": 0.0269,
    "LEFFF": 0.0262,
    "Pronouns": 0.0,
}


def information_gain(prepared: Prepared, seed: int) -> Part:
    """Rank the features by information gain on the training messages, balanced and not."""
    labels, values = prepared.labels[prepared.training], prepared.values[prepared.training]
    balanced = balanced_rows(labels == "TA", seed)
    ranked = rank(values[balanced], labels[balanced], prepared.names)
    natural = {r.feature: r.gain for r in rank(values, labels, prepared.names)}
    rows = [
        (r.rank, r.feature, r.gain, natural[r.feature], len(r.cut_points), PAPER.get(r.feature))
        for r in ranked
    ]
    return Part(
        "infogain",
        "InfoGain of the features (the paper's Table 5)",
        (
            f"Bits that a feature tells of the label, on the first {prepared.first:,} messages; "
            "numeric features are cut by Fayyad and Irani's MDL criterion, as Weka's "
            "InfoGainAttributeEval does.",
            Table(
                "Features by information gain",
                {
                    "rank": "d",
                    "feature": "",
                    "balanced once": ".4f",
                    "as they come": ".4f",
                    "cut points": "d",
                    "InfoGain (paper)": ".4f",
                },
                rows,
            ),
            _chart(ranked),
        ),
    )


def _chart(ranked: list[Ranked]) -> Figure | str:
    n_cut = sum(r.gain > 0 for r in ranked)
    if n_cut < _FEWEST_BARS:
        return (
            f"No chart is drawn: on so few messages {n_cut} of {len(ranked)} features are worth "
            "a cut, and a gain of 0 says that no cut could be found, not that a feature tells "
            "nothing."
        )
    return Figure(
        "infogain",
        "Information gain, in bits, balanced once",
        f"{ranked[0].feature} tells most, {ranked[0].gain:.3f} bits.",
        bars(
            [r.feature for r in ranked],
            [r.gain for r in ranked],
            paper=[PAPER.get(r.feature) for r in ranked],
            unit="bits",
        ),
    )
