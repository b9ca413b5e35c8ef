"""Whole files: real ones, hostile ones, long ones, and two at once."""

import csv
import io
import json
import threading
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from feedback.models import Judgement, Rater, Task
from feedback.services.freezing import create_dataset, freeze_dataset
from feedback.services.importing import import_tasks
from tests.feedback.importing.files import judged, open_campaign

pytestmark = pytest.mark.django_db
PANDALM = Path(settings.TOUCHSTONE_DATA) / "pairwise_pandalm" / "testset-v1.json"


@pytest.mark.skipif(not PANDALM.exists(), reason="the shared data is not here ($TOUCHSTONE_DATA)")
def test_pandalm_is_999_tasks_with_2997_judgements_by_three_raters_however_often_it_is_imported():
    campaign = open_campaign()
    first = import_tasks(campaign, PANDALM, actor=None)
    assert (first.layout, first.format) == ("pandalm", "json")
    assert (first.n_tasks_added, first.n_judgements_added, first.n_refused) == (999, 2997, 0)
    assert campaign.tasks.count() == 999
    assert Judgement.objects.filter(campaign=campaign).count() == 2997
    raters = Rater.objects.filter(judgements__campaign=campaign).distinct()
    assert {(rater.kind, rater.source, rater.name) for rater in raters} == {
        ("imported", "pandalm", f"annotator{n}") for n in (1, 2, 3)
    }
    again = import_tasks(campaign, PANDALM, actor=None)
    assert (again.n_tasks_known, again.n_judgements_known, again.adds_nothing) == (999, 2997, True)
    assert Judgement.objects.filter(campaign=campaign).count() == 2997
    booleans = campaign.tasks.get(external_id="157").content
    assert booleans.responses[0].text == "True"


HOSTILE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1).filter(str.strip)


@hypothesis_settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(prompt=HOSTILE, first=HOSTILE, second=HOSTILE, format=st.sampled_from(["jsonl", "csv"]))
def test_hostile_text_is_stored_as_it_was_sent(prompt, first, second, format):
    campaign = open_campaign()
    columns = {"prompt": prompt, "response1": first, "response2": second}
    if format == "jsonl":
        data = json.dumps(columns).encode()
    else:
        text = io.StringIO()
        csv.writer(text, quoting=csv.QUOTE_ALL).writerows([columns.keys(), columns.values()])
        data = text.getvalue().encode()
    import_tasks(campaign, io.BytesIO(data), "touchstone", actor=None, format=format)
    content = Task.objects.get(campaign=campaign).content
    if not prompt.lstrip().startswith("[{"):
        assert content.prompt[0].content == prompt
    assert [response.text for response in content.responses] == [first, second]


def test_a_lone_surrogate_or_a_nul_costs_its_row_only():
    data = b'{"prompt": "a\\ud800", "responses": ["x", "y"]}\n{"prompt": "b", "responses": ["x\\u0000", "y"]}\n'
    data += json.dumps({"prompt": "c 🦜 \u2028 שלום", "responses": ["x", "y"]}).encode()
    campaign = open_campaign()
    report = import_tasks(campaign, io.BytesIO(data), "touchstone", actor=None, on_error="skip")
    assert [(error.number, error.column) for error in report.refused] == [(1, "prompt"), (2, "responses.0")]
    assert campaign.tasks.get().content.prompt[0].content == "c 🦜 \u2028 שלום"


@pytest.mark.django_db(transaction=True)
def test_two_imports_of_one_file_at_once_add_it_once():
    campaign = open_campaign()
    rows = [judged(n) for n in range(300)]
    reports = []

    def run():
        reports.append(import_tasks(campaign.__class__.objects.get(pk=campaign.pk), rows, actor=None))
        connection.close()

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(report.n_tasks_added for report in reports) == [0, 0, 300]
    assert campaign.tasks.count() == 300


def test_the_number_of_statements_grows_with_batches_not_with_rows(django_assert_max_num_queries):
    campaign = open_campaign()
    rows = [judged(n) for n in range(900)]
    with django_assert_max_num_queries(25):
        import_tasks(campaign, rows, actor=None)


@pytest.mark.slow
def test_nothing_is_cut_off_at_a_round_number(tmp_path):
    """More rows than any page or window elsewhere showed: every one arrives, is frozen and is exported."""
    rows = [{"id": f"x{n}", "prompt": f"Why {n}?", "chosen": f"good {n}", "rejected": "bad"} for n in range(12_345)]
    campaign = open_campaign()
    assert import_tasks(campaign, rows, actor=None).n_tasks_added == 12_345
    dataset = create_dataset(name="long", selection={"campaigns": [str(campaign.pk)]}, actor=None)
    version = freeze_dataset(dataset, actor=None)
    call_command("export_dataset", str(version.pk), "preference", str(tmp_path))
    exported = sum(len(path.read_text().splitlines()) for path in tmp_path.glob("preference/*.jsonl"))
    assert exported == version.counts["exported"] == 12_345
