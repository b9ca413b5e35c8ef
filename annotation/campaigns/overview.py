"""The figures of a campaign's page.  Each function is a fixed number of statements, whatever the campaign's size."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from django.db.models import Aggregate, Count, F, FloatField, Q, QuerySet, Sum
from django.utils.translation import gettext_lazy as _

from annotation.models import Absence, Assignment
from feedback.models import Campaign, Dataset, Judgement, Membership, Preference, Rater, Task

JSON = Any


class Median(Aggregate):
    """percentile_cont(0.5): half of the values lie below it."""

    function = "percentile_cont"
    template = "%(function)s(0.5) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()


@dataclass(frozen=True)
class Progress:
    """Seats are people's.  n_judgements: current answers of every rater, programs and imports too."""

    n_tasks: int
    n_seats: int
    n_counted: int
    n_leased: int
    n_parked: int
    n_skipped: int
    n_judgements: int
    n_surplus: int
    n_preferences: int
    n_absences: int

    @property
    def percent(self) -> int:
        return round(100 * self.n_counted / self.n_seats) if self.n_seats else 0

    @property
    def n_free(self) -> int:
        return max(0, self.n_seats - self.n_counted - self.n_leased)


@dataclass(frozen=True)
class Readiness:
    """What a draft has of what people need before they can start."""

    n_questions: int
    has_guidelines: bool
    n_annotators: int


def readiness_of(campaign: Campaign) -> Readiness:
    active = campaign.memberships.filter(is_active=True, role=Membership.Role.ANNOTATOR)
    text = campaign.guideline.text if campaign.guideline else ""
    return Readiness(len(campaign.form.questions) if campaign.form else 0, bool(text.strip()), active.count())


FIGURES = [field.name for field in fields(Progress)]


def progress_of(campaign: Campaign) -> Progress:
    return progress_by_campaign([campaign])[campaign.pk]


def progress_by_campaign(campaigns: Iterable[Campaign]) -> dict[uuid.UUID, Progress]:
    """The progress of each: four grouped statements, however many campaigns."""
    ids = [campaign.pk for campaign in campaigns]
    figures: dict[uuid.UUID, dict[str, int]] = {id: dict.fromkeys(FIGURES, 0) for id in ids}
    tasks = Task.objects.filter(campaign__in=ids).exclude(status=Task.Status.WITHDRAWN).values("campaign")
    judgements = Judgement.objects.current().filter(campaign__in=ids).values("campaign")
    grouped: tuple[QuerySet[Any, Any], ...] = (
        tasks.annotate(
            n_tasks=Count("pk"),
            n_seats=Sum("overlap"),
            n_counted=Sum("n_counted"),
            n_leased=Sum("n_leased"),
            n_skipped=Sum("n_skipped"),
            n_parked=Count("pk", filter=Q(status=Task.Status.PARKED)),
        ),
        judgements.annotate(n_judgements=Count("pk"), n_surplus=Count("pk", filter=Q(is_surplus=True))),
        Preference.objects.filter(task__campaign__in=ids)
        .values(campaign=F("task__campaign"))
        .annotate(n_preferences=Count("pk")),
        Absence.objects.filter(task__campaign__in=ids)
        .values(campaign=F("task__campaign"))
        .annotate(n_absences=Count("pk")),
    )
    for rows in grouped:
        for row in rows.order_by():
            figures[row["campaign"]].update({name: n for name, n in row.items() if name in FIGURES})
    return {id: Progress(**found) for id, found in figures.items()}


def raters_of(campaign: Campaign) -> list[dict[str, JSON]]:
    """One row a rater: current judgements, counted ones, surplus, median seconds, skips."""
    skipped = Assignment.objects.filter(campaign=campaign, status=Assignment.Status.SKIPPED)
    skips = dict(skipped.values_list("rater").annotate(n=Count("pk")).order_by())
    rows = list(
        campaign.judgements.current()
        .values("rater", "rater__name", "rater__version", "rater__kind", "rater__admitted")
        .annotate(
            n=Count("pk"),
            n_counted=Count("pk", filter=Q(is_counted=True)),
            n_surplus=Count("pk", filter=Q(is_surplus=True)),
            seconds=Median(F("seconds"), filter=Q(seconds__isnull=False)),
        )
        .order_by("rater__kind", "-n", "rater__name")[:200]
    )
    for row in rows:
        row["n_skipped"] = skips.get(row["rater"], 0)
        row["kind"] = Rater.Kind(row["rater__kind"]).label
    return rows


def datasets_of(campaign: Campaign) -> list[Dataset]:
    return list(campaign.datasets.order_by("-created_at").annotate(n_versions=Count("versions"))[:20])


def absences_of(campaign: Campaign) -> list[dict[str, JSON]]:
    """Why programs could not answer, the commonest reasons first: [{rater__name, reason, n}]."""
    told = Absence.objects.filter(task__campaign=campaign).values("rater__name", "reason").annotate(n=Count("pk"))
    return [dict(row) for row in told.order_by("-n", "rater__name", "reason")[:8]]


HAPPENED = {
    "campaign.created": _("Campaign made"),
    "campaign.changed": _("Settings changed"),
    "campaign.active": _("Opened"),
    "campaign.paused": _("Paused"),
    "campaign.closed": _("Closed"),
    "campaign.archived": _("Archived"),
    "form.published": _("Questions published"),
    "guidelines.published": _("Guidelines published"),
    "tasks.imported": _("Tasks imported"),
    "member.set": _("Member changed"),
}


def events_of(campaign: Campaign) -> list[dict[str, Any]]:
    """The latest changes of state, in words: [{at, words, actor}]."""
    events = campaign.events.select_related("actor")[:12]
    return [{"at": e.at, "words": HAPPENED.get(e.verb, e.verb), "actor": e.actor} for e in events]
