"""Objects for tests.  Each factory makes something valid; keywords say what matters to the test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import factory
from django.contrib.auth.models import Permission
from factory.django import DjangoModelFactory

from feedback.models import Campaign, GuidelineReading, Judgement, Membership, Rater, Task, User
from feedback.questions.content import dump_content, prompt_hash, read_content, sha256_of
from feedback.services.campaigns import activate_campaign, create_campaign, set_role

PASSWORD = "touchstone-demo"
PAIRWISE = {"key": "better", "kind": "pairwise", "title": "Which response is better?"}
CHECKLIST = {
    "key": "rules",
    "kind": "checklist",
    "title": "Does the response keep each requirement?",
    "settings": {
        "criteria": [
            {"key": "bullets", "text": "Answers in exactly three bullet points."},
            {"key": "kind", "text": "Keeps a friendly tone."},
            {"key": "short", "text": "Stays under fifty words.", "weight": 2.0},
        ]
    },
}


class UserFactory(DjangoModelFactory):
    """A person; password PASSWORD.  opens_campaigns=True gives the permission to open new ones."""

    class Meta:
        model = User
        skip_postgeneration_save = True

    username = factory.Sequence(lambda n: f"person{n}")
    email = factory.LazyAttribute(lambda user: f"{user.username}@example.org")

    @classmethod
    def _create(cls, model_class: type[User], *args: Any, opens_campaigns: bool = False, **kwargs: Any) -> User:
        user = model_class.objects.create_user(password=PASSWORD, **kwargs)
        if opens_campaigns:
            user.user_permissions.add(Permission.objects.get(codename="add_campaign"))
        return user


def task_content(n: int = 1, **fields: Any) -> dict[str, Any]:
    """A valid content: two responses r1, r2; keywords replace fields."""
    return {
        "prompt": [{"role": "user", "content": f"Question {n}: why is the sky blue?"}],
        "responses": [
            {"id": "r1", "text": f"First answer to {n}: light scatters.", "model": "model-one"},
            {"id": "r2", "text": f"Second answer to {n}: it reflects the sea.", "model": "model-two"},
        ],
        **fields,
    }


class TaskFactory(DjangoModelFactory):
    """A task of `campaign`; `content` is the JSON layout that importers write."""

    class Meta:
        model = Task

    campaign = factory.SubFactory("tests.factories.CampaignFactory")
    external_id = factory.Sequence(lambda n: f"task-{n}")

    @classmethod
    def _create(
        cls, model_class: type[Task], *args: Any, campaign: Campaign, content: Any = None, **kwargs: Any
    ) -> Task:
        read = read_content(content or task_content(int(sha256_of(kwargs["external_id"])[:4], 16)))
        raw = dump_content(read)
        return model_class.objects.create(
            campaign=campaign,
            content_raw=raw,
            content_hash=sha256_of(raw),
            prompt_hash=prompt_hash(read),
            **{"overlap": campaign.overlap, **kwargs},
        )


class CampaignFactory(DjangoModelFactory):
    """A campaign with its form and guidelines.

    manager, annotators: people given the role; the latter have read the guidelines, unless unread=True.
    n_tasks: tasks made.  active: open for claims (needs a task).
    checklist, both: the questions (default: pairwise); or pass `questions`.
    """

    class Meta:
        model = Campaign

    class Params:
        checklist = factory.Trait(questions=[CHECKLIST])
        both = factory.Trait(questions=[PAIRWISE, CHECKLIST])

    name = factory.Sequence(lambda n: f"Campaign {n}")
    questions: list[dict[str, Any]] = [PAIRWISE]
    guidelines = "Prefer the **true** answer.\n\n* Read both.\n* Then decide."

    @classmethod
    def _create(
        cls,
        model_class: type[Campaign],
        *args: Any,
        manager: User | None = None,
        annotators: Sequence[User] = (),
        n_tasks: int = 0,
        active: bool = False,
        unread: bool = False,
        **kwargs: Any,
    ) -> Campaign:
        campaign = create_campaign(actor=manager, **kwargs)
        for user in annotators:
            set_role(campaign, user, Membership.Role.ANNOTATOR, actor=manager)
            if not unread:
                GuidelineReading.objects.create(guideline=campaign.guideline, user=user)
        for _ in range(n_tasks):
            TaskFactory(campaign=campaign)
        if active:
            activate_campaign(campaign, actor=manager)
        return campaign


class RaterFactory(DjangoModelFactory):
    """A rater that is no person: an imported name, unless `kind` says otherwise.  People: access.rater_of(user)."""

    class Meta:
        model = Rater

    kind = Rater.Kind.IMPORTED
    source = "test"
    name = factory.Sequence(lambda n: f"rater-{n}")


class JudgementFactory(DjangoModelFactory):
    """A current judgement, not through the queue: it takes no seat unless the test counts it itself."""

    class Meta:
        model = Judgement

    task = factory.SubFactory(TaskFactory)
    rater = factory.SubFactory(RaterFactory)
    campaign = factory.LazyAttribute(lambda judgement: judgement.task.campaign)
    form = factory.LazyAttribute(lambda judgement: judgement.campaign.form)
    guideline = factory.LazyAttribute(lambda judgement: judgement.campaign.guideline)
    answers = factory.LazyFunction(lambda: prefer("r1"))
    key = factory.Sequence(lambda n: f"key-{n}")
    body_hash = factory.LazyAttribute(lambda judgement: sha256_of(judgement.answers))


def prefer(response: str, question: str = "better") -> dict[str, Any]:
    """Stored answers of a pairwise question in which `response` won."""
    return {question: {"state": "answered", "value": {"verdict": "prefer", "preferred": response}}}
