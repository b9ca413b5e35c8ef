"""Making a campaign and moving it through its states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import EllipsisType
from typing import Any

from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from feedback.exceptions import WrongState
from feedback.models import Campaign, FormVersion, GuidelineVersion, Membership, User
from feedback.questions.form import read_form
from feedback.services.events import record_event


@transaction.atomic
def create_campaign(
    *,
    actor: User | None,
    name: str,
    questions: Sequence[Mapping[str, Any]],
    guidelines: str = "",
    description: str = "",
    overlap: int = 1,
    time_limit: int | None = None,
    **settings: Any,
) -> Campaign:
    """A draft campaign with form 1 and guidelines 1; its creator manages it.  Raises FormInvalid."""
    campaign = Campaign.objects.create(
        name=name, description=description, overlap=overlap, created_by=actor, **settings
    )
    publish_form(campaign, questions, actor=actor, time_limit=time_limit)
    publish_guidelines(campaign, guidelines, actor=actor)
    if actor is not None:
        Membership.objects.create(campaign=campaign, user=actor, role=Membership.Role.MANAGER)
    record_event(actor, "campaign.created", campaign, campaign=campaign, name=name)
    return campaign


@transaction.atomic
def publish_form(
    campaign: Campaign,
    questions: Sequence[Mapping[str, Any]],
    *,
    actor: User | None,
    time_limit: int | EllipsisType | None = ...,
) -> FormVersion:
    """A new form version, which new judgements name; old answers keep theirs.  Raises FormInvalid.

    time_limit: seconds for one task, None for as long as one likes; left out, it stays as it is.
    """
    read_form(questions)
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    latest = campaign.forms.order_by("-number").first()
    limit = (latest.time_limit if latest else None) if time_limit is ... else time_limit
    form = FormVersion.objects.create(
        campaign=campaign,
        number=latest.number + 1 if latest else 1,
        questions_raw=list(questions),
        time_limit=limit,
        created_by=actor,
    )
    campaign.form = form
    campaign.save(update_fields=["form"])
    record_event(actor, "form.published", form, campaign=campaign, number=form.number)
    return form


@transaction.atomic
def publish_guidelines(campaign: Campaign, text: str, *, actor: User | None) -> GuidelineVersion:
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    latest = campaign.guidelines.aggregate(n=Max("number"))["n"] or 0
    guideline = GuidelineVersion.objects.create(campaign=campaign, number=latest + 1, text=text)
    campaign.guideline = guideline
    campaign.save(update_fields=["guideline"])
    record_event(actor, "guidelines.published", guideline, campaign=campaign, number=guideline.number)
    return guideline


@transaction.atomic
def change_campaign(
    campaign: Campaign,
    *,
    actor: User | None,
    questions: Sequence[Mapping[str, Any]] | None = None,
    time_limit: int | EllipsisType | None = ...,
    guidelines: str | None = None,
    **settings: Any,
) -> None:
    """Change what a manager may change.  Questions, their time limit and guidelines make new versions.

    A smaller overlap closes free seats only: a task never has fewer seats than it has leased and counted.
    A quota given later counts what was counted before it.
    """
    changed = {name: value for name, value in settings.items() if getattr(campaign, name) != value}
    for name, value in changed.items():
        setattr(campaign, name, value)
    campaign.clean_fields(exclude=["form", "guideline"])
    if "overlap" in changed:
        _spread_overlap(campaign, changed["overlap"])
    _publish(campaign, questions, time_limit, guidelines, actor)
    if changed.get("quota") is not None:
        _recount_quota(campaign)
    if changed:
        campaign.full_clean(exclude=["form", "guideline"])
        campaign.save(update_fields=[*changed, "n_quota_used"] if "quota" in changed else list(changed))
        record_event(actor, "campaign.changed", campaign, campaign=campaign, **changed)


def _publish(
    campaign: Campaign,
    questions: Sequence[Mapping[str, Any]] | None,
    time_limit: int | EllipsisType | None,
    guidelines: str | None,
    actor: User | None,
) -> None:
    """New versions of what differs from what is in force."""
    form = campaign.form
    asked = list(form.questions_raw if form is not None and questions is None else questions or ())
    limit = form.time_limit if form is not None and time_limit is ... else time_limit
    if asked and (form is None or asked != form.questions_raw or limit != form.time_limit):
        publish_form(campaign, asked, actor=actor, time_limit=limit)
    if guidelines is not None and (campaign.guideline is None or guidelines != campaign.guideline.text):
        publish_guidelines(campaign, guidelines, actor=actor)


SPREAD_OVERLAP = """
WITH changed AS MATERIALIZED (
    SELECT id FROM feedback_task WHERE campaign_id = %(campaign)s AND overlap <> %(overlap)s
    ORDER BY id FOR NO KEY UPDATE
)
UPDATE feedback_task task SET overlap = greatest(%(overlap)s, task.n_leased + task.n_counted)
FROM changed WHERE task.id = changed.id
"""


def _spread_overlap(campaign: Campaign, overlap: int) -> None:
    """Give the tasks their seats.  Before the campaign is locked, and by id: whoever labels locks in that order."""
    with connection.cursor() as cursor:
        cursor.execute(SPREAD_OVERLAP, {"campaign": campaign.pk, "overlap": overlap})


def _recount_quota(campaign: Campaign) -> None:
    """What counts against a quota: every counted judgement, those from before there was one too."""
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    campaign.n_quota_used = campaign.judgements.filter(is_counted=True).count()
    if campaign.quota is not None and campaign.quota < campaign.n_quota_used:
        message = _("%(n)d judgements are counted already: the campaign cannot stop at fewer.")
        raise ValidationError({"quota": message % {"n": campaign.n_quota_used}})


@transaction.atomic
def move_campaign(campaign: Campaign, status: str, *, actor: User | None) -> None:
    """Compare-and-swap to `status`.  Raises WrongState when the campaign cannot go there from where it is."""
    sources = [source for source, targets in Campaign.MOVES.items() if status in targets]
    if not Campaign.objects.filter(pk=campaign.pk, status__in=sources).update(status=status):
        campaign.refresh_from_db(fields=["status"])
        message = _("“%(name)s” is %(now)s and cannot become %(then)s.")
        raise WrongState(message % {"name": campaign.name, "now": campaign.status, "then": status})
    before, campaign.status = campaign.status, status
    record_event(actor, f"campaign.{status}", campaign, campaign=campaign, before=before)


def activate_campaign(campaign: Campaign, *, actor: User | None) -> None:
    """Open a campaign for claims.  Raises WrongState when it has no task."""
    if not campaign.tasks.exists():
        raise WrongState(_("“%(name)s” has no task yet: import some first.") % {"name": campaign.name})
    move_campaign(campaign, Campaign.Status.ACTIVE, actor=actor)


@transaction.atomic
def set_role(campaign: Campaign, user: User, role: str, *, actor: User | None, active: bool = True) -> Membership:
    """Give somebody a role, or switch them off.  Raises WrongState when nobody would manage the campaign any more."""
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)  # two managers cannot remove each other
    managers = campaign.memberships.filter(role=Membership.Role.MANAGER, is_active=True)
    manages = active and role == Membership.Role.MANAGER
    if not manages and [membership.user_id for membership in managers] == [user.pk]:
        raise WrongState(_("Somebody has to manage this campaign: make another person its manager first."))
    membership, _created = Membership.objects.update_or_create(
        campaign=campaign, user=user, defaults={"role": role, "is_active": active}
    )
    record_event(actor, "member.set", membership, campaign=campaign, user=user.username, role=role, active=active)
    return membership
