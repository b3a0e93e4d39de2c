"""What learning in one language takes over from another: what is not of its words."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from triage.features.feature_names import is_lexical, is_of_context
from triage.features.second_stage import WordTrees
from triage.features.word_evidence import WordWeights


@dataclass(frozen=True)
class Start:
    """What was learnt in another language."""

    words: WordWeights
    trees: WordTrees | None = None


def translated(weights: WordWeights, counterparts: Mapping[str, Sequence[str]]) -> WordWeights:
    """Return the weights that hold in another language."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for name, weight in weights.weights.items():
        if not is_lexical(name):
            found[name].append(weight)
            continue
        side, _, rest = name.partition(": ")
        word, pair, group = rest.partition(" | ")
        for other in counterparts.get(word, ()) if is_of_context(name) else ():
            found[f"{side}: {other}{pair}{group}"].append(weight)
    means = {name: sum(given) / len(given) for name, given in found.items()}
    ordered = sorted(means.items(), key=lambda item: (-abs(item[1]), item[0]))
    return WordWeights(weights.intercept, dict(ordered))
