"""The campaign that a round opens: the parent's pairwise question, its people, and the chosen pairs as tasks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from feedback.importing.layouts.base import PAIRWISE_FORM
from feedback.models import Campaign, DatasetVersion, Membership, Rater, User
from feedback.questions.content import sha256_of
from feedback.questions.form import Question
from feedback.services.campaigns import activate_campaign, create_campaign, set_role
from feedback.services.importing import import_tasks
from feedback.services.judgements import submit_program_judgement
from training.models import Round
from training.services.fresh_responses import Fresh
from training.services.selection import Pick

JSON = Any
Scores = Sequence[Sequence[float | None]]


def pairwise_parent(version: DatasetVersion) -> Campaign | None:
    """The campaign whose question and people the next one takes over: the first that asks a pairwise question."""
    campaigns = list(version.dataset.campaigns.select_related("form", "guideline").order_by("created_at"))
    asking = [campaign for campaign in campaigns if pairwise_spec(campaign) is not None]
    return next(iter(asking or campaigns), None)


def pairwise_spec(campaign: Campaign | None) -> dict[str, JSON] | None:
    """The campaign's pairwise question as stored, without a condition on other questions; None when it asks none."""
    if campaign is None or campaign.form is None:
        return None
    for question in campaign.form.questions:
        if question.kind.name == "pairwise":
            return question.spec.model_dump(mode="json", exclude={"shown_if"})
    return None


def open_campaign(round: Round, *, actor: User | None) -> Campaign:
    """A draft campaign for the round with the parent's question, guidelines, policies and members."""
    parent = round.parent
    spec = pairwise_spec(parent)
    policies = {
        name: getattr(parent, name) for name in ("overlap", "lease_seconds", "undo_seconds") if parent is not None
    }
    campaign = create_campaign(
        actor=actor,
        name=round.name,
        questions=[spec] if spec else list(PAIRWISE_FORM),
        guidelines=parent.guideline.text if parent is not None and parent.guideline else "",
        description=_("Pairs that “%(model)s” is least sure of.") % {"model": round.checkpoint.rater},
        **policies,
    )
    if parent is not None:
        members = parent.memberships.filter(is_active=True).exclude(user=actor) if actor else parent.memberships
        for member in members.filter(is_active=True).select_related("user"):
            set_role(campaign, member.user, member.role, actor=actor)
    if actor is not None:
        set_role(campaign, actor, Membership.Role.MANAGER, actor=actor)
    return campaign


def task_row(pick: Pick, fresh: Fresh, scores: Sequence[float | None], round: Round) -> dict[str, JSON]:
    """A pick as a row of our layout.  The stored order says nothing of the scores: it is that of the texts' hashes."""
    places = (pick.candidate.first, pick.candidate.second)
    salt = [str(round.pk), pick.candidate.prompt]
    chosen = sorted(places, key=lambda place: sha256_of([*salt, fresh.content.responses[place].text]))
    ids = {f"r{number}": place for number, place in enumerate(chosen, start=1)}
    responses = {id: fresh.content.responses[place] for id, place in ids.items()}
    probability = pick.candidate.probability if chosen[0] == pick.candidate.first else 1 - pick.candidate.probability
    row: dict[str, JSON] = {
        "external_id": f"{pick.candidate.prompt + 1}: {fresh.identity[:150]}, {places[0] + 1} and {places[1] + 1}",
        "prompt": [{"role": message.role, "content": message.content} for message in fresh.content.prompt],
        "responses": [{"id": id, "text": r.text, "model": r.model} for id, r in responses.items()],
        "metadata": {
            "reward": {
                "scores": {id: scores[place] for id, place in ids.items()},
                "probability": round_to(probability),
                "checkpoint": round.checkpoint.sha256,
            },
            "selection": {"round": str(round.pk), "how": pick.how, "probability": pick.selection_probability},
        },
    }
    return row if not fresh.content.reference else {**row, "reference": fresh.content.reference}


def round_to(value: float, digits: int = 6) -> float:
    return float(f"{value:.{digits}f}")


def fill_campaign(campaign: Campaign, rows: Sequence[Mapping[str, JSON]], rater: Rater, *, actor: User | None) -> None:
    """Import the pairs, store what the reward model thinks of each as its judgement, and open the campaign."""
    import_tasks(campaign, rows, "touchstone", actor=actor, with_judgements=False)
    assert campaign.form is not None  # noqa: S101  (published with the campaign)
    question = next(question for question in campaign.form.questions if question.kind.name == "pairwise")
    for task in campaign.tasks.select_related("campaign__form", "campaign__guideline"):
        if answer := reward_answer(question, task.metadata["reward"]):
            submit_program_judgement(
                task=task, rater=rater, raw_answers={question.key: answer}, key=f"reward:{task.pk}"
            )
    activate_campaign(campaign, actor=actor)


def reward_answer(question: Question, reward: Mapping[str, JSON]) -> dict[str, JSON] | None:
    """A reward model's verdict in the question's own scale; None when its scores are equal (it prefers neither).

    On a graded scale the strength is the share of |2P − 1| in that many equal steps.
    """
    lean = 2 * float(reward["probability"]) - 1
    if lean == 0:
        return None
    answer: dict[str, JSON] = {"verdict": "prefer", "preferred": "r1" if lean > 0 else "r2"}
    levels: int = question.settings.levels  # type: ignore[attr-defined]  # PairwiseSettings, by the kind's name
    if levels > 1:
        answer["strength"] = min(levels, max(1, math.ceil(abs(lean) * levels)))
    return answer
