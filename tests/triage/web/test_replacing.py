"""The styles as they are shown: on messages of the project, as they will be written."""

from triage.anonymise.record import HeldFor, held_path
from triage.settings import StyleName
from triage.web.project import Project
from triage.web.replacing import held_rows, style_cards

MESSAGE = "tu viens au mariage de Cé et Raph ?"


def _tagged(project: Project) -> list[tuple[str, str]]:
    return next(one["examples"] for one in style_cards(project) if one["style"] == StyleName.TAG)


def test_what_is_still_to_be_read_is_not_counted_among_the_held_back(project: Project) -> None:
    project.anonymised.touch()
    reasons = (HeldFor.WAITS, HeldFor.UNMARKED)
    rows = "".join(f"{row},,{reason},no\n" for row, reason in enumerate(reasons, 1))
    held_path(str(project.anonymised)).write_text(f"row,id,reason,written\n{rows}")
    assert held_rows(project) == [(2, HeldFor.UNMARKED)]
    # Both would be missing from what is published.
    assert [row for row, _ in held_rows(project, waiting=True)] == [1, 2]


def test_a_style_is_shown_on_what_people_marked_and_what_the_queue_suggests(
    project: Project,
) -> None:
    project.final.write_text(
        "text,final_action,decided_by,final_spans\n"
        f'{MESSAGE},TA,anna,"[[23, 25, ""PRE""], [29, 33, ""PRE""]]"\n'
        'Élodie Castaing a créé le groupe,TA,machine,"[[0, 6, ""PRE""], [7, 15, ""NOM""]]"\n'
        # A text that comes again is shown once.
        f'{MESSAGE},TA,anna,"[[23, 25, ""PRE""], [29, 33, ""PRE""]]"\n'
        "on se voit demain,NTA,machine,\n"
    )
    assert [after for _, after in _tagged(project)] == [
        "tu viens au mariage de <PRE> et <PRE> ?",
        "<PRE> <NOM> a créé le groupe",
    ]


def test_a_style_is_shown_on_what_was_replaced_until_something_else_is_decided(
    project: Project,
) -> None:
    project.final.write_text(f"text,final_action,decided_by,final_spans\n{MESSAGE},TA,anna,\n")
    header = "row,written,id,start,end,type,rule,identifier,replacement\n"
    project.key_table.write_text(f"{header}1,1,1,29,33,SUR,people,Raph,<SUR>\n")
    assert _tagged(project) == [(MESSAGE, "tu viens au mariage de Cé et <SUR> ?")]
    # While steps run, a page shows the last ones: what is worked out then would keep it waiting.
    project.final.write_text("text,final_action\nune autre,NTA\n")
    as_kept = style_cards(project, as_kept=True)
    assert as_kept[0]["examples"] == [[MESSAGE, "tu viens au mariage de Cé et <SUR> ?"]]
    assert style_cards(project)[0]["examples"] == ()
