import hashlib
import io
import re
import zipfile

import pytest
from django.urls import reverse

from feedback.access import visible_datasets
from feedback.datasets.folder import sha256_of_rows
from feedback.models import Campaign, Dataset, DatasetVersion, Membership
from feedback.services.campaigns import set_role
from feedback.services.freezing import create_dataset, freeze_version, start_version
from tests.factories import CampaignFactory, JudgementFactory, RaterFactory, prefer

pytestmark = pytest.mark.django_db
TIE = {"better": {"state": "answered", "value": {"verdict": "tie"}}}


def text(response):
    return " ".join(response.content.decode().split())


@pytest.fixture
def alices(client, alice):
    client.force_login(alice)
    return client


@pytest.fixture
def judged(campaign):
    """Three tasks, two votes each: agreed, tied, agreed."""
    for task, answers in zip(campaign.tasks.order_by("pk"), [prefer("r1"), TIE, prefer("r2")], strict=True):
        for _ in range(2):
            JudgementFactory(task=task, answers=answers)
    return campaign


@pytest.fixture
def sent(monkeypatch, django_capture_on_commit_callbacks):
    """Ids of versions whose message was sent; messages go out when a request has committed."""
    found = []
    monkeypatch.setattr("feedback.tasks.freeze_version.delay", found.append)
    return found


@pytest.fixture
def frozen(judged, alice):
    dataset = create_dataset(name="Sky", selection={"campaigns": [str(judged.pk)]}, actor=alice)
    return freeze_version(start_version(dataset, actor=alice).pk)


def new_dataset(client, campaign, **fields):
    values = {
        "name": "Sky",
        "campaigns": [str(campaign.pk)],
        "ties": "half",
        "both_bad": "half",
        "min_raters": "1",
        "weights": "equal",
        "test_fraction": "0.2",
    }
    return client.post(reverse("feedback:dataset-new"), {**values, **fields})


def test_an_empty_list_says_what_a_dataset_is_and_how_to_make_one(alices, campaign):
    page = text(alices.get(reverse("feedback:dataset-list")))
    assert "No dataset yet" in page
    assert reverse("feedback:dataset-new") in page


def test_someone_who_manages_nothing_is_told_so(client, dave):
    client.force_login(dave)
    assert "You manage none yet" in text(client.get(reverse("feedback:dataset-list")))


def test_a_dataset_is_made_sent_to_a_worker_and_shown_when_it_is_frozen(
    alices, judged, sent, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        response = new_dataset(alices, judged)
    version = DatasetVersion.objects.get()
    assert response.url == reverse("feedback:dataset-version", args=[version.pk])
    assert sent == [str(version.pk)]
    waiting = alices.get(response.url)
    assert "Waiting for a worker" in text(waiting)
    assert 'hx-trigger="every 1s"' in text(waiting)
    freeze_version(version.pk)
    state = alices.get(reverse("feedback:dataset-version-state", args=[version.pk]))
    assert state.status_code == 286
    assert "hx-trigger" not in text(state)
    assert "The version is frozen." in text(state)
    page = text(alices.get(response.url))
    assert version.__class__.objects.get().sha256 in page
    assert f"?dataset_version={version.pk}" in page


def test_the_page_accounts_for_every_judgement(alices, frozen, judged):
    JudgementFactory(task=judged.tasks.first(), rater=RaterFactory(kind="judge", name="j", admitted=False))
    again = freeze_version(start_version(frozen.dataset, actor=None).pk)
    page = text(alices.get(reverse("feedback:dataset-version", args=[again.pk])))
    rows = dict(re.findall(r'<tr><th scope="row">([^<]+)</th><td class="num">(?:<strong>)?(\d+)', page))
    assert rows["all judgements of its campaigns"] == "7"
    assert (rows["exported"], rows["its rater is not admitted"]) == ("6", "1")
    assert "<figure" in page
    assert "Its rows are exactly those of" in page
    assert " style=" not in page


def test_a_failed_version_says_why_and_where_everything_went(alices, judged, alice):
    selection = {"campaigns": [str(judged.pk)], "min_raters": 3}
    version = start_version(create_dataset(name="Sky", selection=selection, actor=alice), actor=alice)
    with pytest.raises(Exception, match="Nothing to export"):
        freeze_version(version.pk)
    response = alices.get(reverse("feedback:dataset-version-state", args=[version.pk]))
    assert response.status_code == 286
    assert "Nothing to export: all 6 judgements are left out" in text(response)
    assert "its pair has too few raters" in text(response)


def test_the_form_keeps_what_was_typed_and_says_what_is_wrong_where(alices, judged, frozen):
    response = new_dataset(alices, judged, name="Sky", min_raters="0", test_fraction="2")
    page = text(response)
    assert response.status_code == 422
    assert 'value="Sky"' in page
    assert 'id="id_min_raters-error">Ensure this value is greater than or equal to 1' in page
    taken = text(new_dataset(alices, judged, name="Sky"))
    assert "There is a dataset of this name already" in taken


def test_the_chosen_campaigns_are_counted_live(alices, judged, bob, alice):
    url = reverse("feedback:dataset-new-counts")
    JudgementFactory(task=judged.tasks.first(), is_surplus=True)
    page = text(alices.get(url, {"campaigns": [str(judged.pk)]}))
    assert "<dd>6 <small>of 7</small></dd>" in page
    assert "imported: 6" in page
    assert "<dd>0 <small>of 7" in text(alices.get(url, {"campaigns": [str(judged.pk)], "rater_kinds": ["judge"]}))
    foreign = CampaignFactory(manager=bob, n_tasks=1)
    assert "Tick a campaign" in text(alices.get(url, {"campaigns": [str(foreign.pk), "nonsense"]}))


def test_a_campaign_of_others_cannot_be_chosen(alices, alice, bob):
    CampaignFactory(manager=alice, n_tasks=1)
    foreign = CampaignFactory(manager=bob, n_tasks=1)
    response = new_dataset(alices, foreign)
    assert response.status_code == 422
    assert not Dataset.objects.exists()


def test_a_dataset_with_one_foreign_campaign_does_not_exist_for_its_other_manager(client, frozen, alice, bob, dave):
    other = Campaign.objects.exclude(pk=frozen.dataset.campaigns.first().pk).first() or CampaignFactory(manager=bob)
    frozen.dataset.campaigns.add(other)
    client.force_login(alice)
    for name, args in (
        ("dataset-detail", [frozen.dataset.pk]),
        ("dataset-version", [frozen.pk]),
        ("dataset-version-state", [frozen.pk]),
        ("dataset-download", [frozen.pk]),
    ):
        assert client.get(reverse(f"feedback:{name}", args=args)).status_code == 404
    assert client.post(reverse("feedback:dataset-versions", args=[frozen.dataset.pk])).status_code == 404
    assert "Sky" not in text(client.get(reverse("feedback:dataset-list")))
    set_role(other, alice, Membership.Role.MANAGER, actor=bob)
    assert client.get(reverse("feedback:dataset-detail", args=[frozen.dataset.pk])).status_code == 200


def test_freezing_again_makes_the_next_version(alices, frozen, sent, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        response = alices.post(reverse("feedback:dataset-versions", args=[frozen.dataset.pk]))
    version = DatasetVersion.objects.get(number=2)
    assert response.url == reverse("feedback:dataset-version", args=[version.pk])
    assert sent == [str(version.pk)]
    page = text(alices.get(reverse("feedback:dataset-detail", args=[frozen.dataset.pk])))
    assert "v1" in page
    assert "v2" in page


def download(client, version):
    return b"".join(client.get(reverse("feedback:dataset-download", args=[version.pk])).streaming_content)


def test_the_download_is_the_same_bytes_each_time_also_after_later_votes(alices, frozen, judged, tmp_path):
    first = download(alices, frozen)
    JudgementFactory(task=judged.tasks.first(), answers=prefer("r2"))
    second = freeze_version(start_version(frozen.dataset, actor=None).pk)
    assert second.sha256 != frozen.sha256
    assert hashlib.sha256(download(alices, frozen)).digest() == hashlib.sha256(first).digest()
    with zipfile.ZipFile(io.BytesIO(first)) as archive:
        assert archive.testzip() is None
        archive.extractall(tmp_path)
    assert sha256_of_rows(tmp_path / "sky-v1") == frozen.sha256


def test_what_is_not_frozen_cannot_be_downloaded(alices, frozen):
    waiting = start_version(frozen.dataset, actor=None)
    assert alices.get(reverse("feedback:dataset-download", args=[waiting.pk])).status_code == 404


def test_the_list_costs_the_same_for_two_datasets_and_ten(alices, frozen, alice, django_assert_num_queries):
    def cost():
        from django.db import connection
        from django.test.utils import CaptureQueriesContext

        with CaptureQueriesContext(connection) as queries:
            alices.get(reverse("feedback:dataset-list"))
        return len(queries)

    cost()
    few = cost()
    for n in range(8):
        create_dataset(name=f"d{n}", selection=frozen.selection, actor=alice)
    assert cost() == few


def test_text_of_models_is_escaped_in_the_preview(alices, campaign, alice):
    from tests.factories import TaskFactory, task_content

    hostile = [{"id": "r1", "text": "<script>alert(1)</script>"}, {"id": "r2", "text": "b"}]
    task = TaskFactory(campaign=campaign, content=task_content(9, responses=hostile))
    JudgementFactory(task=task)
    selection = {"campaigns": [str(campaign.pk)], "test_fraction": 0}
    version = freeze_version(start_version(create_dataset(name="x", selection=selection, actor=alice), actor=alice).pk)
    page = text(alices.get(reverse("feedback:dataset-version", args=[version.pk])))
    assert "&lt;script&gt;" in page
    assert "<script>alert" not in page


def test_a_dataset_without_campaigns_is_its_makers_alone(alice, bob):
    own = Dataset.objects.create(name="Empty", selection={}, created_by=alice)
    assert own in visible_datasets(alice)
    assert own not in visible_datasets(bob)
