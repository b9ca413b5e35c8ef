"""The only way from an id to an object.  An object the person may not see does not exist for them (404)."""

from __future__ import annotations

import uuid

from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404

from feedback.models import Campaign, Dataset, DatasetVersion, Membership, Rater, Task, User

MANAGER, REVIEWER, ANNOTATOR = Membership.Role.MANAGER, Membership.Role.REVIEWER, Membership.Role.ANNOTATOR


def access_campaign(user: User, id: uuid.UUID, *roles: str) -> Campaign:
    """The campaign, if the person has one of `roles` in it (any role when none is named).

    Raises Http404 when they have no role in it, PermissionDenied when they have another one.
    """
    membership = (
        Membership.objects.select_related("campaign", "campaign__form", "campaign__guideline")
        .filter(campaign_id=id, user=user, is_active=True)
        .first()
    )
    if membership is None:
        raise Http404("No such campaign.")
    if roles and membership.role not in roles:
        raise PermissionDenied(f"Needs the role {' or '.join(roles)} in this campaign.")
    return membership.campaign


def access_task(user: User, id: int, *roles: str) -> Task:
    task: Task | None = Task.objects.select_related("campaign").filter(pk=id).first()
    if task is None:
        raise Http404("No such task.")
    access_campaign(user, task.campaign_id, *(roles or (MANAGER, REVIEWER)))
    return task


def managed_campaigns(user: User) -> QuerySet[Campaign]:
    return Campaign.objects.with_role(user, MANAGER)


def manages(user: User, campaign: Campaign) -> bool:
    return campaign.memberships.filter(user=user, role=MANAGER, is_active=True).exists()


def require_manager(user: User) -> None:
    """Raises PermissionDenied for who manages no campaign: there is nothing they could choose from."""
    if not managed_campaigns(user).exists():
        raise PermissionDenied("Datasets and runs are made by people who manage a campaign.")


def visible_datasets(user: User) -> QuerySet[Dataset]:
    """Datasets whose every campaign the person manages; one without campaigns is its maker's alone."""
    managed = managed_campaigns(user).values("pk")
    foreign = Campaign.objects.exclude(pk__in=managed)
    own = Dataset.objects.filter(Q(campaigns__in=managed) | Q(created_by=user))
    return Dataset.objects.filter(pk__in=own.values("pk")).exclude(campaigns__in=foreign)


def access_dataset(user: User, id: uuid.UUID) -> Dataset:
    dataset = visible_datasets(user).filter(pk=id).first()
    if dataset is None:
        raise Http404("No such dataset.")
    return dataset


def access_dataset_version(user: User, id: uuid.UUID) -> DatasetVersion:
    version = (
        DatasetVersion.objects.select_related("dataset")
        .filter(pk=id, dataset__in=visible_datasets(user).values("pk"))
        .first()
    )
    if version is None:
        raise Http404("No such dataset version.")
    return version


def rater_of(user: User) -> Rater:
    """The person as a rater, made on first use."""
    rater, _ = Rater.objects.get_or_create(
        user=user, defaults={"kind": Rater.Kind.ANNOTATOR, "name": user.username, "source": str(user.uid)}
    )
    return rater
