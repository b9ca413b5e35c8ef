import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation.querysets import AssignmentQuerySet
from feedback.models import Campaign, FormVersion, GuidelineVersion, Judgement, Rater, Task


class Assignment(models.Model):
    """The lease of a task to a person, and what they were shown: questions, guidelines, order of the responses.

    One row per person and task, for good: a lease that expired and is taken up again is the same row, so that a page
    left open and the draft on it still lead somewhere.  `leased` holds a seat; every other status holds none (a
    submitted one's seat is its judgement's, if that is counted).
    """

    class Status(models.TextChoices):
        LEASED = "leased", _("leased")
        SUBMITTED = "submitted", _("submitted")
        SKIPPED = "skipped", _("skipped")
        EXPIRED = "expired", _("expired")
        RELEASED = "released", _("released")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="assignments")
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="assignments")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="assignments")
    form = models.ForeignKey(FormVersion, on_delete=models.PROTECT, related_name="+")
    guideline = models.ForeignKey(GuidelineVersion, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    status = models.CharField(max_length=9, choices=Status, default=Status.LEASED)
    shown = models.JSONField(help_text="Response ids in the order displayed, drawn at claim.")
    judgement = models.ForeignKey(
        Judgement, null=True, blank=True, on_delete=models.PROTECT, related_name="+", help_text="The current one."
    )
    started_at = models.DateTimeField(default=timezone.now, help_text="When it was first shown.")
    expires_at = models.DateTimeField()
    heartbeat_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)
    active_seconds = models.FloatField(default=0.0)
    skip_reason = models.CharField(max_length=500, blank=True)
    is_ahead = models.BooleanField(
        default=False, db_default=False, help_text="Leased while the one before is still worked on; not yet shown."
    )

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["task", "rater"], name="assignment_turn_once"),
            models.CheckConstraint(
                condition=Q(status__in=["leased", "submitted", "skipped", "expired", "released"]),
                name="assignment_status_known",
            ),
            models.CheckConstraint(condition=Q(active_seconds__gte=0), name="assignment_seconds_range"),
        ]
        indexes = [
            models.Index(fields=["campaign", "rater"], name="assignment_live", condition=Q(status="leased")),
            models.Index(fields=["expires_at"], name="assignment_overdue", condition=Q(status="leased")),
            models.Index(fields=["rater", "campaign", "-ended_at"], name="assignment_of_rater"),
        ]

    def __str__(self) -> str:
        return f"{self.task} for {self.rater} ({self.status})"


class Draft(models.Model):
    """What a person has typed and not yet submitted, as raw browser fields."""

    assignment = models.OneToOneField(Assignment, on_delete=models.CASCADE, related_name="draft")
    fields = models.JSONField()
    saved_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"draft of {self.assignment}"


class Cursor(models.Model):
    """How far a rater has walked a campaign's random order; its row lock serialises that rater's claims.

    n_counted: tasks whose seat this person has filled here, kept by the submit, for the quota of one person.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="+")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="+")
    order_key = models.BigIntegerField(default=-1)
    n_counted = models.PositiveIntegerField(default=0, db_default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "rater"], name="cursor_once")]

    def __str__(self) -> str:
        return f"{self.rater} in {self.campaign}"


class Reservation(models.Model):
    """A manager wants this person to judge this task: it comes first in their walk, if a seat is free."""

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="reservations")
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="reservations")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="reservations")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["task", "rater"], name="reservation_once")]
        indexes = [models.Index(fields=["campaign", "rater"], name="reservation_of_rater")]

    def __str__(self) -> str:
        return f"{self.task} reserved for {self.rater}"


class Flag(models.Model):
    """A person says that something is wrong with a task; a manager replies."""

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="flags")
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="flags")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="flags")
    note = models.TextField(max_length=2000)
    created_at = models.DateTimeField(auto_now_add=True)
    reply = models.TextField(max_length=2000, blank=True)
    replied_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    replied_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["campaign"], name="flag_open", condition=Q(replied_at__isnull=True))]

    def __str__(self) -> str:
        return f"{self.rater} on {self.task}: {self.note[:40]}"


class Parking(models.Model):
    """A task that was skipped so often that it waits for the manager: which skip put it here.  While it waits."""

    task = models.OneToOneField(Task, on_delete=models.CASCADE, related_name="parking")
    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="parkings")
    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["at"]

    def __str__(self) -> str:
        return f"{self.task} parked"


class Absence(models.Model):
    """A program that could not answer, and why.  Never a default verdict."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="absences")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="absences")
    question = models.CharField(max_length=40)
    response = models.CharField(max_length=64, blank=True)
    aspect = models.CharField(max_length=64, blank=True)
    reason = models.CharField(max_length=500)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["task", "rater", "question", "response", "aspect"], name="absence_once")
        ]

    def __str__(self) -> str:
        return f"{self.rater} absent on {self.task}: {self.reason}"
