"""The admin is for looking: staff see every table, and change nothing past the services."""

import pytest
from django.contrib.admin import site
from django.urls import reverse

from feedback.access import rater_of
from feedback.models import User
from tests.annotation.queueing import claim
from tests.factories import PASSWORD, JudgementFactory

pytestmark = pytest.mark.django_db
OURS = ("feedback", "annotation", "training")
MODELS = [model for model in site._registry if model._meta.app_label in OURS]


@pytest.fixture
def staff(client):
    client.force_login(User.objects.create_superuser("root", password=PASSWORD))
    return client


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.model_name)
def test_every_table_can_be_looked_at(staff, campaign, bob, model):
    claim(rater_of(bob), campaign)
    JudgementFactory(task=campaign.tasks.first())
    name = f"admin:{model._meta.app_label}_{model._meta.model_name}"

    assert staff.get(reverse(f"{name}_changelist")).status_code == 200
    first = model.objects.first()
    if first is not None:
        assert staff.get(reverse(f"{name}_change", args=[first.pk])).status_code == 200
        assert staff.post(reverse(f"{name}_delete", args=[first.pk]), {"post": "yes"}).status_code == 403
    if model is not User:
        assert staff.get(reverse(f"{name}_add")).status_code == 403
