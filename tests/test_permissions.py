"""Who may do what, as a table over every named URL: a URL without a line in it fails the last tests.

A line: METHOD name, then what nobody (not logged in), a stranger (no role in the campaign), an annotator, a reviewer
and the manager get.  302 for nobody is the way to the login; 404 says that it does not exist for them; 4xx for the
manager means: allowed, but this request (or the run, whose log is not there) lacks something.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.test import Client
from django.urls import URLResolver, get_resolver, reverse
from django.utils import timezone

from annotation.flags import flag_task
from feedback.access import rater_of
from feedback.models import Dataset, DatasetVersion, Membership
from feedback.services.campaigns import set_role
from feedback.services.invitations import invite
from tests.annotation.queueing import claim
from training.models import Checkpoint, Round, Run
from training.services.runs import queue_run

pytestmark = pytest.mark.django_db

TABLE = """
GET  feedback:home                          302 200 200 200 200
GET  feedback:login                         200 200 200 200 200
POST feedback:logout                        302 302 302 302 302
GET  feedback:account                       302 200 200 200 200

GET  annotation:campaign-list               302 200 200 200 200
GET  annotation:campaign-new                302 403 403 403 200
POST annotation:campaign-new                302 403 403 403 422
GET  annotation:campaign-detail             302 404 403 200 200
GET  annotation:campaign-figures            302 404 403 200 200
GET  annotation:campaign-agreement          302 404 403 200 200
GET  annotation:campaign-settings           302 404 403 403 200
POST annotation:campaign-settings           302 404 403 403 422
GET  annotation:campaign-guidelines         302 404 403 403 200
POST annotation:campaign-guidelines         302 404 403 403 302
POST annotation:campaign-guidelines-preview 302 404 403 403 200
GET  annotation:campaign-questions          302 404 403 403 200
POST annotation:campaign-questions          302 404 403 403 422
POST annotation:campaign-questions-draft    302 404 403 403 200
GET  annotation:campaign-questions-screen   302 404 403 403 200
GET  annotation:campaign-forms              302 404 403 403 200
GET  annotation:preset-screen               302 403 403 403 200
POST annotation:campaign-copy               302 403 403 403 302
GET  annotation:campaign-members            302 404 403 403 200
POST annotation:campaign-members            302 404 403 403 422
GET  annotation:campaign-insights           302 404 403 200 200
GET  annotation:campaign-invitations        302 404 403 403 200
POST annotation:campaign-invitations        302 404 403 403 422
POST annotation:invitation-revocation       302 404 403 403 302
GET  annotation:invitation                  200 200 200 200 200
GET  annotation:campaign-hours              302 404 403 403 200
GET  annotation:campaign-tasks              302 404 403 200 200
GET  annotation:campaign-task               302 404 403 200 200
GET  annotation:campaign-assign             302 404 403 403 200
POST annotation:campaign-assign             302 404 403 403 422
GET  annotation:campaign-flags              302 404 403 403 200
POST annotation:campaign-flags-reply        302 404 403 403 302
POST annotation:campaign-flags-task         302 404 403 403 302
POST annotation:campaign-activation         302 404 403 403 302
POST annotation:campaign-state              302 404 403 403 302
GET  training:campaign-lineage              302 404 403 403 200

GET  annotation:my-work                     302 200 200 200 200
GET  annotation:assignment                  302 404 200 404 404
GET  annotation:assignment-revision         302 404 302 404 404
POST annotation:assignment-judgement        302 404 302 404 404
POST annotation:assignment-skip             302 404 302 404 404
POST annotation:assignment-comeback         302 404 302 404 404
POST annotation:assignment-draft            302 404 200 404 404
POST annotation:assignment-heartbeat        302 404 200 404 404
POST annotation:assignment-ahead            302 404 200 404 404
DELETE annotation:assignment-ahead          302 404 204 404 404
POST annotation:assignment-flag             302 404 302 404 404
GET  annotation:work                        302 404 302 302 200
POST annotation:work-guidelines             302 404 302 302 200

GET  annotation:campaign-imports            302 404 403 403 200
POST annotation:campaign-imports            302 404 403 403 422

GET  feedback:dataset-list                  302 200 200 200 200
GET  feedback:dataset-new                   302 403 403 403 200
GET  feedback:dataset-new-counts            302 200 200 200 200
GET  feedback:dataset-detail                302 404 404 404 200
POST feedback:dataset-versions              302 404 404 404 302
GET  feedback:dataset-version               302 404 404 404 200
GET  feedback:dataset-version-state         302 404 404 404 286
GET  feedback:dataset-download              302 404 404 404 200

GET  training:run-list                      302 200 200 200 200
GET  training:run-new                       302 403 403 403 200
GET  training:run-new-settings              302 200 200 200 200
GET  training:run-estimate                  302 200 200 200 200
GET  training:run-detail                    302 404 404 404 200
GET  training:run-live                      302 404 404 404 200
GET  training:run-log                       302 404 404 404 404
POST training:run-cancellation              302 404 404 404 302
POST training:run-resumption                302 404 404 404 302
POST training:run-repetition                302 404 404 404 302
POST training:checkpoint-promotion          302 404 404 404 302
GET  training:round-new                     302 404 404 404 200
GET  training:round-list                    302 200 200 200 200
GET  training:round-detail                  302 404 404 404 200
GET  training:round-live                    302 404 404 404 200
POST training:round-cancellation            302 404 404 404 302
POST training:round-resumption              302 404 404 404 302

POST feedback-api:token                     400 400 400 400 400
GET  feedback-api:campaign-list             401 200 200 200 200
POST feedback-api:campaign-list             401 400 400 400 400
GET  feedback-api:campaign-detail           401 404 200 200 200
PATCH feedback-api:campaign-detail          401 404 403 403 200
GET  feedback-api:task-list                 401 404 403 200 200
GET  feedback-api:judgement-list            401 404 403 200 200
GET  feedback-api:preference-list           401 404 403 200 200
POST annotation-api:campaign-assignments    401 404 200 200 200
POST annotation-api:campaign-activation     401 404 403 403 409
POST annotation-api:campaign-state          401 404 403 403 200
POST annotation-api:campaign-imports        401 404 403 403 422
GET  annotation-api:assignment-detail       401 404 200 404 404
POST annotation-api:assignment-judgement    401 404 400 404 404
POST annotation-api:assignment-skip         401 404 204 404 404
POST annotation-api:campaign-priorities     401 404 403 403 400
POST annotation-api:campaign-reservations   401 404 403 403 400
POST annotation-api:assignment-heartbeat    401 404 200 404 404
POST annotation-api:assignment-flag         401 404 400 404 404
GET  feedback-api:dataset-list              401 200 200 200 200
POST feedback-api:dataset-list              401 400 400 400 400
GET  feedback-api:dataset-detail            401 404 404 404 200
POST feedback-api:dataset-versions          401 404 404 404 202
GET  feedback-api:dataset-version           401 404 404 404 200
GET  feedback-api:dataset-version-download  401 404 404 404 200
GET  training-api:run-list                  401 200 200 200 200
GET  training-api:run-detail                401 404 404 404 200
GET  training-api:run-metrics               401 404 404 404 200
POST training-api:run-move                  401 404 404 404 202
POST training-api:checkpoint-promotion      401 404 404 404 409
GET  training-api:round-list                401 200 200 200 200
GET  training-api:round-detail              401 404 404 404 200
GET  schema                                 200 200 200 200 200
GET  api-docs                               200 200 200 200 200
"""
LINES = [line.split() for line in TABLE.splitlines() if line]
ROLES = ("nobody", "stranger", "annotator", "reviewer", "manager")
ELSEWHERE = {
    "feedback:login-again": "the form beside an expired login (tests/feedback/test_account.py)",
}


@pytest.fixture
def people(alice, bob, dave, carol, campaign):
    """Carol reviews here; Bob annotates, Alice manages, Dave is a stranger."""
    set_role(campaign, carol, Membership.Role.REVIEWER, actor=alice)
    return {"nobody": None, "stranger": dave, "annotator": bob, "reviewer": carol, "manager": alice}


@pytest.fixture
def places(people, campaign, alice, bob):
    """The value of every URL argument, by the URL's beginning."""
    dataset = Dataset.objects.create(name="Sky", selection={"campaigns": [str(campaign.pk)]}, created_by=alice)
    dataset.campaigns.add(campaign)
    version = DatasetVersion.objects.create(dataset=dataset, number=1, selection=dataset.selection, sha256="a" * 64)
    path = f"datasets/{version.pk}"
    default_storage.save(f"{path}/README.md", ContentFile(b"# Sky"))
    DatasetVersion.objects.filter(pk=version.pk).update(status="frozen", path=path, frozen_at=timezone.now())
    version.refresh_from_db()
    asked = {"recipe": "reward", "base_model": {"kind": "tiny"}, "settings": {}, "seed": 1, "send": False}
    run = queue_run(dataset_version=version, actor=alice, **asked)
    checkpoint = Checkpoint.objects.create(run=run, step=1, path="checkpoints/x", sha256="b" * 64, size=1, manifest={})
    round = Round.objects.create(name="Next", checkpoint=checkpoint, source={}, n_pairs=1, created_by=alice)
    assignment = claim(rater_of(bob), campaign)
    flag = flag_task(assignment_id=assignment.pk, rater=assignment.rater, note="Cut off.")
    made, token = invite(campaign, role="annotator", n_uses=9, days=1, note="", actor=alice)
    return {
        "flag": flag.pk,
        "invitation": token,
        "invitation_id": made.pk,
        "task": assignment.task_id,
        "campaign": campaign.pk,
        "work": campaign.pk,
        "assignment": assignment.pk,
        "dataset": dataset.pk,
        "version": version.pk,
        "run": run.pk,
        "checkpoint": checkpoint.pk,
        "round": round.pk,
    }


def arguments(name: str, places) -> list:
    """What the URL is asked with: its subject is what its name begins with."""
    _, _, view = name.rpartition(":")
    alone = ("-list", "-new", "-estimate", "-new-settings", "-new-counts")
    if view in ("task-list", "judgement-list", "preference-list"):
        return [places["campaign"]]
    if view == "invitation-revocation":
        return [places["campaign"], places["invitation_id"]]
    if view == "round-new":
        return [places["checkpoint"]]
    frozen = (view.startswith("dataset-version") and view != "dataset-versions") or view == "dataset-download"
    subject = "version" if frozen else view.split("-")[0]
    if subject not in places or view.endswith(alone):
        return []
    further = {
        "campaign-state": "pause",
        "run-move": "cancellation",
        "campaign-flags-reply": places["flag"],
        "campaign-flags-task": places["task"],
        "campaign-task": places["task"],
    }
    noun = [further[view]] if view in further else []
    return [places[subject], *noun]


def status(method: str, name: str, user, places) -> int:
    """What this person gets; whatever it changed is undone."""
    client = Client()
    if user is not None:
        client.force_login(user)
    query = f"?dataset_version={places['version']}" if name == "training:run-estimate" else ""
    body = ("{}", "application/json") if "-api:" in name else ("unknown=1", "application/x-www-form-urlencoded")
    with transaction.atomic():
        response = client.generic(method, reverse(name, args=arguments(name, places)) + query, *body)
        transaction.set_rollback(True)
    return response.status_code


@pytest.mark.parametrize("role", ROLES)
def test_everybody_gets_what_the_table_says(role, people, places):
    expected = {(method, name): int(codes[ROLES.index(role)]) for method, name, *codes in LINES}

    assert {line: status(*line, people[role], places) for line in expected} == expected


def names(resolver, prefix: str = "") -> Iterator[str]:
    for pattern in resolver.url_patterns:
        if not isinstance(pattern, URLResolver):
            yield f"{prefix}{pattern.name}"
        elif pattern.app_name != "admin":  # the admin's own rule: staff only
            yield from names(pattern, f"{prefix}{pattern.namespace}:" if pattern.namespace else prefix)


def test_every_named_url_has_its_line():
    assert set(names(get_resolver())) == {line[1] for line in LINES} | set(ELSEWHERE)


def test_every_url_has_a_name():
    assert not [name for name in names(get_resolver()) if name.endswith("None")]


def test_the_admin_is_for_staff(client, alice):
    client.force_login(alice)

    assert client.get(reverse("admin:index")).status_code == 302


def test_nobody_sees_a_run_without_an_account(client, places):
    response = client.get(reverse("training:run-detail", args=[places["run"]]))

    assert response.url.startswith(reverse("feedback:login"))
    assert Run.objects.exists()


def test_the_estimate_says_nothing_of_a_dataset_one_may_not_see(client, people, places):
    address = reverse("training:run-estimate")
    asked = {"dataset_version": places["version"], "recipe": "reward"}
    client.force_login(people["stranger"])

    page = client.get(address, asked).content.decode()

    assert page == client.get(address, {"recipe": "reward"}).content.decode()
    assert "Sky" not in page
