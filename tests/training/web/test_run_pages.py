"""Run pages: who sees them, what they say, and how polling ends."""

import re

import pytest
from django.urls import reverse

from feedback.models import Dataset, DatasetVersion
from tests.factories import CampaignFactory
from tests.training.conftest import finish_run, make_run, plan
from training.models import Run
from training.services.checkpoints import promote_checkpoint
from training.services.leases import claim_job
from training.services.metrics import store_metrics
from training.services.run_execution import execute_run
from training.views.run_page import smoothed, verdict


@pytest.fixture
def finished(run):
    return finish_run(run)


@pytest.fixture
def manager(client, alice):
    client.force_login(alice)
    return client


def page(client, name, *args, **query):
    return client.get(reverse(f"training:{name}", args=args), query)


def test_the_list_says_what_to_do_when_there_is_nothing(manager, campaign):
    response = page(manager, "run-list")
    assert "No runs yet" in response.text
    assert "Freeze a dataset first" in response.text


def test_the_list_shows_accuracy_with_its_interval(manager, finished):
    response = page(manager, "run-list")
    assert "0.700" in response.text
    assert "0.600–0.800" in response.text


def test_the_list_costs_the_same_for_one_run_and_for_many(manager, finished, version, alice, django_assert_num_queries):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(
        connection,
    ) as one:
        page(manager, "run-list")
    for _ in range(4):
        make_run(version, alice)
    with django_assert_num_queries(len(one)):
        page(manager, "run-list")


def test_a_finished_run_shows_evaluation_baseline_checkpoint_report_and_log(manager, finished):
    text = page(manager, "run-detail", finished.pk).text
    assert "0.550" in text  # the length baseline
    assert finished.checkpoints.get().sha256 in text
    assert "Promote" in text
    assert "starting after step 0" in text
    assert "data_sha256" in text  # the manifest
    assert "hx-trigger" not in text.partition('id="live"')[2].partition(">")[0]


def test_a_live_run_is_polled_and_the_end_stops_the_polling(manager, run):
    claimed = claim_job(Run, str(run.pk))
    text = page(manager, "run-detail", run.pk).text
    seen = text.partition("?seen=")[2].partition('"')[0]
    url = reverse("training:run-live", args=[run.pk])
    assert manager.get(url, {"seen": seen}).status_code == 204
    first = manager.get(url)
    assert first.status_code == 200
    assert manager.get(url, headers={"if-none-match": first.headers["ETag"]}).status_code == 304
    Run.objects.filter(pk=claimed.pk).update(progress={"phase": "training", "step": 3, "total": 9})
    moved = manager.get(url, {"seen": seen})
    assert moved.status_code == 200
    assert "step 3 of 9" in moved.text
    Run.objects.filter(pk=claimed.pk).update(status="failed", error="It broke.", advice="Mend it.")
    ended = manager.get(url, {"seen": seen})
    assert ended.status_code == 286
    assert "Mend it." in ended.text
    assert 'id="status"' in ended.text
    assert "hx-trigger" not in ended.text


def test_a_queued_run_says_that_the_train_extra_is_still_being_installed(manager, run, settings, tmp_path):
    settings.TRAINING_ENGINE = []
    settings.TOUCHSTONE_HOME = tmp_path
    told = '{"extra": "train", "state": "installing", "percent": 40, "message": "torch"}'
    (tmp_path / "install.json").write_text(told)
    text = page(manager, "run-detail", run.pk).text
    assert "still being installed" in text
    assert "40 %" in text


def test_what_a_model_or_engine_wrote_is_escaped(manager, finished):
    Run.objects.filter(pk=finished.pk).update(log_tail="<script>alert(1)</script>", name="<b>bold</b>")
    text = page(manager, "run-detail", finished.pk).text
    assert "<script>alert" not in text
    assert "<b>bold" not in text


def post(client, name, *args, **data):
    return client.post(reverse(f"training:{name}", args=args), data)


def test_cancel_resume_and_repeat_move_the_run(manager, run):
    post(manager, "run-cancellation", run.pk)
    assert Run.objects.get(pk=run.pk).status == "cancelled"
    post(manager, "run-resumption", run.pk)
    assert Run.objects.get(pk=run.pk).status == "queued"
    response = manager.post(reverse("training:run-resumption", args=[run.pk]), follow=True)
    assert "Only what failed or was cancelled" in response.text
    post(manager, "run-cancellation", run.pk)
    post(manager, "run-repetition", run.pk)
    assert Run.objects.get(pk=run.pk).directory.endswith(".1")


def test_the_whole_log_can_be_downloaded_while_it_runs_here_and_after(manager, run, settings):
    folder = plan(run, settings)
    (folder / "log.txt").write_text("so far\n")
    url = reverse("training:run-log", args=[run.pk])
    assert b"".join(manager.get(url).streaming_content) == b"so far\n"
    execute_run(str(run.pk))
    assert b"starting after step 0" in b"".join(manager.get(url).streaming_content)


def test_a_run_without_a_log_has_none_to_download(manager, run):
    assert page(manager, "run-log", run.pk).status_code == 404


def test_promotion_makes_a_rater_and_offers_the_next_campaign(manager, finished):
    checkpoint = finished.checkpoints.get()
    response = manager.post(reverse("training:checkpoint-promotion", args=[checkpoint.pk]), follow=True)
    assert "Open the next campaign" in response.text
    checkpoint.refresh_from_db()
    assert checkpoint.rater.kind == "reward_model"


# Who may see what

RUN_PAGES = ["run-detail", "run-live", "run-log"]
RUN_POSTS = ["run-cancellation", "run-resumption", "run-repetition"]


@pytest.mark.parametrize("name", RUN_PAGES)
@pytest.mark.parametrize("who", ["bob", "dave"])
def test_run_pages_do_not_exist_for_annotators_and_strangers(client, finished, request, bob, dave, name, who):
    client.force_login(request.getfixturevalue(who))
    assert page(client, name, finished.pk).status_code == 404
    assert str(finished.pk) not in page(client, "run-list").text


@pytest.mark.parametrize("name", RUN_POSTS)
def test_only_managers_move_runs(client, run, dave, name):
    client.force_login(dave)
    assert post(client, name, run.pk).status_code == 404
    assert Run.objects.get(pk=run.pk).status == "queued"


@pytest.mark.parametrize("name", RUN_POSTS)
def test_a_get_moves_nothing(manager, run, name):
    assert page(manager, name, run.pk).status_code == 405


def test_a_checkpoint_is_promoted_by_managers_only(client, finished, dave):
    client.force_login(dave)
    checkpoint = finished.checkpoints.get()
    assert post(client, "checkpoint-promotion", checkpoint.pk).status_code == 404
    assert page(client, "round-new", checkpoint.pk).status_code == 404


def test_who_manages_only_one_of_the_datasets_campaigns_does_not_see_the_run(manager, finished, version, dave):
    version.dataset.campaigns.add(CampaignFactory(manager=dave))
    assert page(manager, "run-detail", finished.pk).status_code == 404


# The form


@pytest.fixture
def filled(manager, version):
    """The fields of the new-run form as the page fills them in."""
    form = page(manager, "run-new", dataset_version=version.pk).context["form"]
    values = {name: form[name].value() for name in form.fields}
    return {name: value for name, value in values.items() if value is not None and value is not False}


def test_the_form_is_prefilled_so_that_one_press_starts_a_run(manager, filled, version, alice):
    response = manager.post(reverse("training:run-new"), filled)
    run = Run.objects.get()
    assert response.url == reverse("training:run-detail", args=[run.pk])
    assert (run.dataset_version, run.recipe, run.created_by) == (version, "reward", alice)
    assert run.settings["tuning"] == "full"
    assert run.base_model == {"kind": "tiny", "name": "tiny-llama"}


def test_every_wrong_setting_is_said_at_its_field_and_nothing_is_queued(manager, filled):
    wrong = {**filled, "setting_learning_rate": "-1", "setting_batch_size": "many", "setting_label_smoothing": "0.5"}
    response = manager.post(reverse("training:run-new"), wrong)
    assert response.status_code == 422
    assert set(response.context["form"].errors) == {
        "setting_learning_rate", "setting_batch_size", "setting_label_smoothing",
    }  # fmt: skip
    assert 'value="-1"' in response.text
    assert not Run.objects.exists()


def test_settings_that_contradict_each_other_are_refused_at_one_of_them(manager, filled):
    response = manager.post(
        reverse("training:run-new"), {**filled, "setting_batch_size": "10", "setting_micro_batch_size": "3"}
    )
    assert "setting_micro_batch_size" in response.context["form"].errors


@pytest.mark.parametrize(("kind", "name"), [("path", ""), ("path", "models/x"), ("hub", "no-organisation")])
def test_a_model_that_needs_a_name_says_what_a_name_looks_like(manager, filled, kind, name):
    response = manager.post(reverse("training:run-new"), {**filled, "base_model": kind, "base_name": name})
    assert "base_name" in response.context["form"].errors


def chosen_tuning(text):
    radios = re.findall(r'<input type="radio" name="setting_tuning"[^>]*>', text)
    (checked,) = (radio for radio in radios if "checked" in radio)
    return re.search('value="([a-z]+)"', checked)[1]


def test_another_base_model_brings_its_own_defaults(manager, version):
    tiny = page(manager, "run-new-settings", base_model="tiny", recipe="reward", dataset_version=version.pk)
    small = page(manager, "run-new-settings", base_model="smollm2", recipe="reward", dataset_version=version.pk)
    assert chosen_tuning(tiny.text) == "full"
    assert chosen_tuning(small.text) == "frozen"
    assert "<html" not in small.text


def test_the_estimate_follows_the_form(manager, filled):
    url = reverse("training:run-estimate")
    short, long, wrong = (manager.get(url, {**filled, "setting_epochs": epochs}).text for epochs in (1, 900, "x"))
    assert "for 3 groups" in short
    assert "About 15 s" in short
    assert "About 62 s" in long
    assert "No estimate" in wrong


def test_a_copy_brings_the_settings_of_its_run(manager, version, alice, quick):
    run = make_run(version, alice, settings={"epochs": 5, "tuning": "lora"}, seed=11)
    form = page(manager, "run-new", copy=run.pk).context["form"]
    assert form["setting_epochs"].value() == 5.0
    assert form["setting_tuning"].value() == "lora"
    assert form["setting_seed"].value() == 11


@pytest.mark.parametrize("query", [{"copy": "nonsense"}, {"copy": "2b0c0e0e-0000-4000-8000-000000000000"}])
def test_a_copy_of_nothing_is_not_found(manager, version, query):
    assert page(manager, "run-new", **query).status_code == 404


def test_a_foreign_dataset_version_cannot_be_chosen(client, filled, version, dave):
    other = Dataset.objects.create(name="Other", selection={})
    other.campaigns.add(CampaignFactory(manager=dave))
    foreign = DatasetVersion.objects.create(dataset=other, number=1, selection={}, status="frozen")
    response = client.post(reverse("training:run-new"), {**filled, "dataset_version": foreign.pk})
    assert "dataset_version" in response.context["form"].errors
    assert client.post(reverse("training:run-new"), {**filled, "dataset_version": "x"}).status_code == 422


def test_promoted_models_lead_on_in_the_lineage(manager, finished, alice, campaign):
    promote_checkpoint(finished.checkpoints.get(), actor=alice)
    text = page(manager, "run-detail", finished.pk).text
    assert campaign.name in text.partition('class="lineage"')[2].partition("</nav>")[0]


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [(0.01, 0.2, "Better than"), (-0.2, -0.01, "Worse than"), (-0.1, 0.1, "No better"), (None, None, "")],
)
def test_the_verdict_goes_by_the_interval_of_the_difference(low, high, said):
    assert verdict(low, high).startswith(said)


def test_a_long_curve_is_smoothed_and_says_so(manager, run):
    claimed = claim_job(Run, str(run.pk))
    store_metrics(claimed, [{"step": step, "loss": 0.5 + 0.1 * (step % 2)} for step in range(1, 80)])
    assert "training, smoothed" in page(manager, "run-detail", run.pk).text
    points = smoothed([(float(step), 1.0) for step in range(50)])
    assert {round(y, 9) for _x, y in points} == {1.0}
