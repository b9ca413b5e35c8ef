"""Presets are data: every one of them is a form that holds together."""

import pytest
from django.urls import reverse

from annotation.campaigns.forms import NewCampaignForm
from annotation.campaigns.presets import PRESETS, _offered, questions_of
from annotation.campaigns.presets.criticising import REASONING_STEPS
from feedback.questions.form import read_form
from feedback.questions.registry import KINDS

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_a_valid_form(name):
    preset = PRESETS[name]

    questions = read_form(questions_of(preset))

    assert tuple(dict.fromkeys(question.kind.name for question in questions)) == preset.kinds
    assert preset.guidelines


def test_every_kind_there_is_has_a_preset():
    assert {kind for preset in PRESETS.values() for kind in preset.kinds} == set(KINDS)


def test_a_presets_questions_are_a_copy():
    questions_of(PRESETS["mqm"])[0]["settings"]["categories"].clear()

    assert questions_of(PRESETS["mqm"])[0]["settings"]["categories"]


def test_a_preset_whose_kind_is_missing_is_not_offered(monkeypatch):
    monkeypatch.delitem(KINDS, "steps")

    assert _offered(REASONING_STEPS).presets == ()


@pytest.mark.parametrize("points", [2, 3, 5, 7])
def test_there_is_a_pairwise_preset_of_each_scale(points):
    question = read_form(questions_of(PRESETS[f"pairwise-{points}"]))[0]

    assert question.settings.points == points


def form(**given):
    return NewCampaignForm({"name": "New", "preset": "pairwise-3", "overlap": "1", **given})


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"name": " "}, "name"),
        ({"preset": "no-such"}, "preset"),
        ({"overlap": "0"}, "overlap"),
        ({"overlap": "101"}, "overlap"),
    ],
)
def test_what_cannot_be_is_said_at_its_field(given, field):
    bound = form(**given)

    assert not bound.is_valid()
    assert list(bound.errors) == [field]


def test_every_preset_can_be_looked_at(client, alice):
    client.force_login(alice)
    for name in PRESETS:
        assert client.get(reverse("annotation:preset-screen"), {"preset": name}).status_code == 200
    assert client.get(reverse("annotation:preset-screen"), {"preset": "no-such"}).status_code == 404
