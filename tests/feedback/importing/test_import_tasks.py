import io

import pytest

from feedback.exceptions import ImportRefused, WrongState
from feedback.importing.layouts.base import LayoutUnfit
from feedback.importing.layouts.registry import LayoutUnknown
from feedback.importing.rows import FileUnreadable
from feedback.models import AuditEvent, Judgement, Rater, Task
from feedback.services.campaigns import create_campaign, move_campaign
from feedback.services.importing import import_tasks
from tests.feedback.importing.files import TIE, adds_up, judged, lines, open_campaign, row

pytestmark = pytest.mark.django_db


def test_imported_judgements_take_no_seat_and_wait_for_aggregation():
    campaign = open_campaign(overlap=2)
    import_tasks(campaign, lines(judged(1), row(2)), actor=None)
    first, second = campaign.tasks.order_by("external_id")
    assert (first.needs_aggregation, second.needs_aggregation) == (True, False)
    assert (first.overlap, first.n_counted, first.n_leased) == (2, 0, 0)
    judgement = first.judgements.get()
    assert (judgement.is_current, judgement.is_counted, judgement.is_surplus) == (True, False, False)
    assert (judgement.form, judgement.guideline) == (campaign.form, campaign.guideline)
    assert judgement.answers == {"better": {"state": "answered", "value": TIE}}


def test_one_bad_row_and_nothing_is_imported():
    campaign = open_campaign()
    with pytest.raises(ImportRefused) as caught:
        import_tasks(campaign, lines(row(1), row(2, responses=["only one"]), row(3)), actor=None)
    assert "row 2, responses" in str(caught.value)
    assert adds_up(caught.value.report)
    assert not Task.objects.filter(campaign=campaign).exists()
    assert not AuditEvent.objects.filter(verb="tasks.imported").exists()


def test_bad_rows_can_be_left_out():
    campaign = open_campaign()
    report = import_tasks(campaign, lines(row(1), {"external_id": "x"}, row(3)), actor=None, on_error="skip")
    assert (report.n_tasks_added, report.n_refused) == (2, 1)
    assert adds_up(report)
    assert [error.number for error in report.refused] == [2]
    event = AuditEvent.objects.get(verb="tasks.imported")
    assert (event.campaign, event.detail["n_tasks_added"]) == (campaign, 2)


def test_a_dry_run_reports_exactly_what_would_happen_and_writes_nothing():
    campaign = open_campaign()
    dry = import_tasks(campaign, lines(judged(1), row(2, responses=[])), actor=None, dry_run=True)
    assert not Task.objects.filter(campaign=campaign).exists()
    assert not Rater.objects.filter(name="ann").exists()
    real = import_tasks(campaign, lines(judged(1), row(2, responses=[])), actor=None, on_error="skip")
    assert dry.counts() == real.counts()
    assert dry.refused == real.refused


def test_the_same_identity_with_other_content_is_refused_within_a_file_and_across_files():
    campaign = open_campaign()
    import_tasks(campaign, lines(row(1)), actor=None)
    report = import_tasks(
        campaign, lines(row(1, prompt="Other?"), row(2), row(2, prompt="Other?")), actor=None, on_error="skip"
    )
    assert [(error.number, error.column, error.excerpt) for error in report.refused] == [
        (1, "external_id", "t1"),
        (3, "external_id", "t2"),
    ]
    assert campaign.tasks.count() == 2


def test_without_an_external_id_the_content_is_the_identity():
    campaign = open_campaign()
    nameless = {"prompt": "Why?", "responses": ["a", "b"]}
    report = import_tasks(campaign, lines(nameless, nameless, {**nameless, "prompt": "How?"}), actor=None)
    assert (report.n_tasks_added, report.n_tasks_known) == (2, 1)
    assert import_tasks(campaign, lines(nameless), actor=None).adds_nothing


def test_a_later_file_may_add_judgements_to_known_tasks():
    campaign = open_campaign()
    import_tasks(campaign, lines(judged(1, "ann")), actor=None)
    Task.objects.update(needs_aggregation=False)
    report = import_tasks(campaign, lines(judged(1, "ben")), actor=None)
    assert (report.n_tasks_known, report.n_judgements_added) == (1, 1)
    assert campaign.tasks.get().needs_aggregation


def test_a_rater_who_said_otherwise_before_is_refused_not_revised():
    campaign = open_campaign()
    import_tasks(campaign, lines(judged(1, "ann")), actor=None)
    changed = judged(1, "ann", {"verdict": "prefer", "preferred": "r1"})
    with pytest.raises(ImportRefused, match="another source"):
        import_tasks(campaign, lines(changed), actor=None)
    report = import_tasks(campaign, lines(changed), actor=None, source_name="second wave")
    assert report.n_judgements_added == 1
    assert Judgement.objects.filter(campaign=campaign, is_current=True).count() == 2


def test_one_file_can_be_imported_into_two_campaigns():
    for name in ("one", "two"):
        report = import_tasks(open_campaign(name), lines(judged(1)), actor=None)
        assert (report.n_tasks_added, report.n_judgements_added) == (1, 1)
    assert Rater.objects.filter(name="ann").count() == 1


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"verdict": "prefer", "preferred": "r9"}, "no such response"),
        ({"verdict": "purple"}, "Choose one of the options"),
        ({"verdict": "both_bad"}, "does not offer"),
        (None, "needs an answer"),
    ],
)
def test_an_imported_answer_passes_the_same_check_as_a_persons(value, said):
    report = import_tasks(open_campaign(), lines(judged(1, value=value)), actor=None, dry_run=True)
    assert said in report.refused[0].reason
    assert report.refused[0].column.startswith("judgement of ann.better")


def test_a_rater_who_never_saw_a_response_cannot_have_been_shown_it():
    said = {"rater": "ann", "answers": {"better": TIE}, "shown": ["r7"]}
    report = import_tasks(open_campaign(), lines(row(1, judgements=[said])), actor=None, dry_run=True)
    assert "Was shown" in report.refused[0].reason


def test_gold_is_checked_and_kept():
    campaign = open_campaign()
    gold = {"better": {"verdict": "prefer", "preferred": "r2"}}
    report = import_tasks(
        campaign, lines(row(1, gold=gold), row(2, gold={"better": {"verdict": "prefer"}})), actor=None, on_error="skip"
    )
    assert [error.column for error in report.refused] == ["gold.better.preferred"]
    assert campaign.tasks.get().gold == gold


def test_judgements_can_be_left_out_even_where_the_form_could_not_take_them():
    graded = [{"key": "q", "kind": "pairwise", "title": "Which?", "settings": {"points": 5}}]
    campaign = create_campaign(actor=None, name="graded", questions=graded)
    pair = {"prompt": "p", "chosen": "a", "rejected": "b"}
    with pytest.raises(LayoutUnfit, match="how much better"):
        import_tasks(campaign, lines(pair), actor=None)
    report = import_tasks(campaign, lines(pair), actor=None, with_judgements=False)
    assert (report.n_tasks_added, report.n_judgements_added) == (1, 0)


def test_the_source_names_the_rater_of_a_preference_file():
    campaign = open_campaign()
    import_tasks(campaign, lines({"prompt": "p", "chosen": "a", "rejected": "b"}), actor=None, source_name="ultra")
    rater = Rater.objects.get(kind="imported")
    assert (rater.source, rater.name) == ("ultra", "ultra")


def test_the_report_says_what_became_metadata_and_what_was_mended():
    report = import_tasks(open_campaign(), lines(row(1, note="x"), row(2, topic="y")), actor=None)
    assert report.metadata_columns == {"note", "topic"}
    assert report.sample[0].external_id == "t1"


@pytest.mark.parametrize("status", ["closed", "archived"])
def test_a_campaign_that_is_over_takes_no_tasks(status):
    campaign = open_campaign()
    import_tasks(campaign, lines(row(1)), actor=None)
    for step in ("active", "closed", "archived"):
        move_campaign(campaign, step, actor=None)
        if step == status:
            break
    with pytest.raises(WrongState):
        import_tasks(campaign, lines(row(2)), actor=None)


@pytest.mark.parametrize(
    ("data", "error"),
    [(b"", FileUnreadable), (b"nonsense", FileUnreadable), (b'{"a": 1}', LayoutUnknown), (b"{\n{", FileUnreadable)],
)
def test_a_file_that_is_nothing_we_know_is_refused_as_a_whole(data, error):
    with pytest.raises(error):
        import_tasks(open_campaign(), io.BytesIO(data), actor=None)


def test_a_judgement_stays_with_the_task_its_row_names_whatever_the_order_of_rows():
    """Elsewhere an import matched labels to documents by time, and put them on wrong ones without a word."""
    campaign = open_campaign()
    import_tasks(campaign, [row(n) for n in range(40)], actor=None)
    said = {n: f"r{n % 2 + 1}" for n in range(40)}
    later = [judged(n, value={"verdict": "prefer", "preferred": said[n]}) for n in reversed(range(40))]
    report = import_tasks(campaign, later, actor=None)
    assert (report.n_tasks_known, report.n_judgements_added) == (40, 40)
    stored = Judgement.objects.filter(campaign=campaign).select_related("task")
    assert {j.task.external_id: j.answers["better"]["value"]["preferred"] for j in stored} == {
        f"t{n}": preferred for n, preferred in said.items()
    }
