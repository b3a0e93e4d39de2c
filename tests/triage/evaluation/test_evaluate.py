"""``triage evaluate --paper`` on the sample messages."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from triage.dictionaries import load_lexicon
from triage.errors import TriageError
from triage.evaluation.corpus import AnnotatedCorpus, prepare, read_corpus
from triage.evaluation.measures import by_sender, triaged
from triage.evaluation.models import folds
from triage.evaluation.report import Options, PartName, evaluate, report
from triage.reports.document import Figure, Part, Table
from triage.reports.render import report_html, report_markdown
from triage.vocabulary import Action

pytestmark = pytest.mark.slow

SAMPLE = Path(__file__).parents[3] / "data" / "sample_fr.csv"
OPTIONS = Options(n_folds=4, first=220, following=30)


@pytest.fixture(scope="session")
def corpus() -> AnnotatedCorpus:
    return read_corpus(str(SAMPLE))


LEXICON = load_lexicon("fr")


def table(part: Part, title: str) -> Table:
    return next(b for b in part.blocks if isinstance(b, Table) and b.title.startswith(title))


def column(found: Table, name: str) -> list[object]:
    at = found.headings.index(name)
    return [row[at] for row in found.rows]


def one(corpus: AnnotatedCorpus, name: PartName, options: Options = OPTIONS) -> Part:
    (part,) = evaluate(corpus, options, name, lexicon=LEXICON)
    return part


def test_the_corpus_keeps_messages_labels_senders_spans_and_lines(corpus: AnnotatedCorpus) -> None:
    assert len(corpus.messages) == len(corpus.labels) == 260
    assert corpus.senders is not None
    assert corpus.spans is not None
    assert corpus.lines[0] == 2
    assert int(corpus.is_ta.sum()) == sum(bool(spans) for spans in corpus.spans)


def test_cross_validation_counts_every_balanced_message_once(corpus: AnnotatedCorpus) -> None:
    part = one(corpus, PartName.CROSS_VALIDATION)
    matrix = table(part, "Confusion matrix")
    counts = [row[1:3] for row in matrix.rows]
    n_ta = int(corpus.is_ta[:220].sum())
    assert sum(nta for nta, _ in counts) == n_ta  # type: ignore[misc]
    assert sum(ta for _, ta in counts) == n_ta  # type: ignore[misc]


def test_cross_validation_shows_the_papers_figures_marked_as_the_papers(
    corpus: AnnotatedCorpus,
) -> None:
    accuracy = table(one(corpus, PartName.CROSS_VALIDATION), "Accuracy")
    assert column(accuracy, "accuracy (paper)") == [0.5, 0.778, 0.794]


def test_cross_validation_without_senders_says_that_folds_are_not_grouped(
    corpus: AnnotatedCorpus,
) -> None:
    part = one(replace(corpus, senders=None), PartName.CROSS_VALIDATION)
    assert part.blocks[-1] == "No column of senders: the folds could not be grouped by sender."


def test_no_sender_is_in_two_folds() -> None:
    labels = np.array([True, False] * 40)
    senders = np.array([str(i // 4) for i in range(80)])
    for train, test in folds(labels, senders, 5, seed=0):
        assert not set(senders[train]) & set(senders[test])


def test_fewer_messages_of_a_label_than_folds_is_one_clear_line(corpus: AnnotatedCorpus) -> None:
    with pytest.raises(TriageError, match="100 folds need as many messages of each label"):
        evaluate(corpus, replace(OPTIONS, n_folds=100), PartName.CROSS_VALIDATION, lexicon=LEXICON)


def test_fewer_senders_than_folds_is_one_clear_line(corpus: AnnotatedCorpus) -> None:
    two = replace(corpus, senders=["1", "2"] * 130)
    with pytest.raises(TriageError, match="there are 2"):
        evaluate(two, OPTIONS, PartName.CROSS_VALIDATION, lexicon=LEXICON)


def test_training_on_all_messages_is_refused(corpus: AnnotatedCorpus) -> None:
    with pytest.raises(TriageError, match="--train-first"):
        evaluate(corpus, replace(OPTIONS, first=260), PartName.LATER_MESSAGES, lexicon=LEXICON)


def test_one_label_only_is_refused(corpus: AnnotatedCorpus) -> None:
    with pytest.raises(TriageError, match="labelled TA"):
        evaluate(replace(corpus, labels=["NTA"] * 260), OPTIONS, lexicon=LEXICON)


def test_later_messages_are_tested_with_all_and_half_of_the_training(
    corpus: AnnotatedCorpus,
) -> None:
    twice = AnnotatedCorpus(
        corpus.messages * 2, corpus.labels * 2, None, None, None, list(range(2, 522))
    )
    part = one(twice, PartName.LATER_MESSAGES, replace(OPTIONS, first=500))
    assert set(column(table(part, "Trained on the first"), "learnt from")) == {500, 250}


def test_half_of_the_training_is_left_out_when_it_holds_too_few(corpus: AnnotatedCorpus) -> None:
    found = table(one(corpus, PartName.LATER_MESSAGES), "Trained on the first")
    assert set(column(found, "learnt from")) == {220}


def several(corpus: AnnotatedCorpus, times: int) -> AnnotatedCorpus:
    """The same messages again and again, of nobody known."""
    n = len(corpus.messages) * times
    return AnnotatedCorpus(
        corpus.messages * times, corpus.labels * times, None, None, None, [*range(n)]
    )


def figures(part: Part) -> list[str]:
    return [block.name for block in part.blocks if isinstance(block, Figure)]


def test_a_learning_curve_has_three_points_or_is_not_drawn(corpus: AnnotatedCorpus) -> None:
    part = one(corpus, PartName.LATER_MESSAGES)
    assert figures(part) == []
    assert "No learning curve is drawn: it takes 3" in str(part.blocks[-1])
    more = one(several(corpus, 3), PartName.LATER_MESSAGES, replace(OPTIONS, first=600))
    assert figures(more) == ["learning-curve"]


def test_the_next_messages_are_tested_only_where_there_are_so_many(corpus: AnnotatedCorpus) -> None:
    part = one(corpus, PartName.LATER_MESSAGES, replace(OPTIONS, following=2000))
    found = table(part, "Trained on the first")
    assert set(column(found, "tested on")) == {"all later ones"}
    assert column(found, "accuracy (paper)") == [0.746, 0.769]


def test_next_messages_of_one_label_have_no_area(corpus: AnnotatedCorpus) -> None:
    found = table(
        one(corpus, PartName.LATER_MESSAGES, replace(OPTIONS, following=1)), "Trained on the first"
    )
    areas = dict(zip(column(found, "tested on"), column(found, "area under ROC"), strict=True))
    assert np.isnan(areas["the next 1"])  # type: ignore[call-overload]


def test_features_that_are_not_worth_a_cut_make_no_chart(corpus: AnnotatedCorpus) -> None:
    part = one(corpus, PartName.INFOGAIN, replace(OPTIONS, first=173))
    assert figures(part) == []
    assert "1 of 12 features are worth a cut" in str(part.blocks[-1])
    assert figures(one(several(corpus, 4), PartName.INFOGAIN, replace(OPTIONS, first=1000))) == [
        "infogain"
    ]


def test_leak_against_workload_takes_fifty_ta_messages(corpus: AnnotatedCorpus) -> None:
    part = one(corpus, PartName.COMBINED)
    assert figures(part) == []
    assert "It takes 50." in str(part.blocks[-1])
    assert figures(one(several(corpus, 3), PartName.COMBINED, replace(OPTIONS, first=260))) == [
        "leak-workload"
    ]


def test_a_tree_that_asks_nothing_is_not_drawn(corpus: AnnotatedCorpus) -> None:
    part = one(replace(corpus, messages=["ok"] * 260, spans=None), PartName.TREE)
    assert column(table(part, "Its size"), "here") == [1, 1]
    assert figures(part) == []


def test_a_share_of_nothing_or_everything_has_no_interval_by_sender() -> None:
    every, senders = np.ones(4, dtype=np.bool_), np.array(["1", "2", "3", "4"])
    assert by_sender(~every, every, senders, seed=0) is None
    assert by_sender(every, every, senders, seed=0) is None
    half = by_sender(np.array([True, False, True, False]), every, senders, seed=0)
    assert half is not None
    assert half.estimate == 0.5


def test_no_message_that_ends_as_ta_leaves_the_precision_open() -> None:
    found = triaged([Action.NTA] * 2, np.array([True, False]), np.array(["1", "2"]), seed=0)
    assert np.isnan(found.precision)


def test_infogain_ranks_all_twelve_features_beside_the_papers(corpus: AnnotatedCorpus) -> None:
    found = table(one(corpus, PartName.INFOGAIN), "Features by information gain")
    assert column(found, "rank") == list(range(1, 13))
    gains = column(found, "balanced once")
    assert gains == sorted(gains, reverse=True)  # type: ignore[type-var]
    assert dict(zip(column(found, "feature"), column(found, "InfoGain (paper)"), strict=True))[
        "UpperCase"
    ] == pytest.approx(0.2754)


def test_every_test_of_the_tree_leads_two_ways(corpus: AnnotatedCorpus) -> None:
    nodes, leaves = column(table(one(corpus, PartName.TREE), "Its size"), "here")
    assert isinstance(leaves, int)
    assert nodes == 2 * leaves - 1


def test_seek_hide_counts_each_message_once_in_both_readings(corpus: AnnotatedCorpus) -> None:
    found = table(one(corpus, PartName.SEEK_HIDE), "What Seek&Hide tags")
    for reading in ("default", "strict"):
        assert sum(column(found, f"{reading}: messages")) == 260  # type: ignore[arg-type]


def test_words_behind_errors_are_shown_only_when_asked_for(corpus: AnnotatedCorpus) -> None:
    hidden = one(corpus, PartName.SEEK_HIDE)
    shown = one(corpus, PartName.SEEK_HIDE, replace(OPTIONS, show_words=True))
    titles = {block.title for block in shown.blocks if isinstance(block, Table)}
    titles -= {block.title for block in hidden.blocks if isinstance(block, Table)}
    # The sample has no misses, so no words stand behind any.
    assert [title.partition(":")[0] for title in titles] == ["False alarms"]


def test_tables_say_how_many_of_how_many_words_they_show(corpus: AnnotatedCorpus) -> None:
    part = one(corpus, PartName.SEEK_HIDE, replace(OPTIONS, show_words=True))
    origins, words = (b for b in part.blocks if isinstance(b, Table) and "False" in b.title)
    assert origins.note == f"All {len(origins.rows)} combinations, 12 words in all."
    assert words.title.endswith(": the 10 most frequent of 12 different words")
    assert len(words.rows) == 10


def test_errors_that_nobody_made_are_no_table(corpus: AnnotatedCorpus) -> None:
    part = one(corpus, PartName.SEEK_HIDE)
    assert part.blocks[-1] == (
        "Misses: the words of TA messages that were taken for nothing: none."
    )


def test_the_cells_of_the_agreement_table_hold_all_later_messages(corpus: AnnotatedCorpus) -> None:
    found = table(one(corpus, PartName.COMBINED), "The cells")
    assert sum(column(found, "messages")) == 40  # type: ignore[arg-type]


def test_leak_and_workload_of_decided_messages() -> None:
    actions = [Action.NTA, Action.TA, Action.EXPERT, Action.NTA]
    is_ta = np.array([True, True, True, False])
    found = triaged(actions, is_ta, np.array(["1", "2", "3", "4"]), seed=0)
    assert found.leak.estimate == pytest.approx(1 / 3)
    assert found.workload == pytest.approx(1 / 4)
    assert found.precision == 1


def test_two_annotators_who_agree_have_a_kappa_of_one(corpus: AnnotatedCorpus) -> None:
    part = one(replace(corpus, second=corpus.labels), PartName.ANNOTATORS)
    assert column(table(part, "Agreement"), "Cohen's kappa") == [1.0]


def test_rows_on_which_annotators_differ_are_named(corpus: AnnotatedCorpus) -> None:
    second = list(corpus.labels)
    second[3] = "TA" if second[3] == "NTA" else "NTA"
    part = one(replace(corpus, second=second), PartName.ANNOTATORS)
    assert str(part.blocks[-1]).endswith(f"{corpus.lines[3]}.")


def test_the_second_annotator_must_be_named(corpus: AnnotatedCorpus) -> None:
    with pytest.raises(TriageError, match="--second-label"):
        evaluate(corpus, OPTIONS, PartName.ANNOTATORS, lexicon=LEXICON)


def test_comparison_measures_all_models_on_the_same_folds(corpus: AnnotatedCorpus) -> None:
    found = table(one(corpus, PartName.COMPARISON), "Models")
    assert len(found.rows) == 6
    assert column(found, "model")[0] == "dummy"


def test_the_same_seed_gives_the_same_page(corpus: AnnotatedCorpus) -> None:
    pages = []
    for _ in range(2):
        parts = evaluate(corpus, OPTIONS, PartName.COMBINED, lexicon=LEXICON)
        made = report(corpus, parts, "triage evaluate", SAMPLE)
        pages.append(report_html(made) + report_markdown(made))
    assert pages[0] == pages[1]


def test_no_message_text_is_in_a_report(corpus: AnnotatedCorpus) -> None:
    parts = evaluate(corpus, OPTIONS, PartName.SEEK_HIDE, lexicon=LEXICON)
    page = report_html(report(corpus, parts, "triage evaluate", SAMPLE))
    assert not [message for message in corpus.messages if len(message) > 12 and message in page]


def test_small_corpora_train_on_two_thirds(corpus: AnnotatedCorpus) -> None:
    assert prepare(corpus, LEXICON, "patel2013", None, 50).first == 173


def test_spans_that_are_not_json_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "sms.csv"
    path.write_text('text,label,spans\nCoucou,NTA,oops\nSalut Zoé,TA,"[[6, 9, ""PRE""]]"\n')
    assert read_corpus(str(path)).spans == [[], [(6, 9, "PRE")]]


def test_json_spans_are_read_from_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "sms.jsonl"
    row = {"text": "Salut Zoé", "label": "TA", "spans": [[6, 9, "PRE"]]}
    path.write_text(json.dumps(row) + "\n")
    assert read_corpus(str(path)).spans == [[(6, 9, "PRE")]]
