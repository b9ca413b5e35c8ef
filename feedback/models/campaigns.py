import uuid
from functools import cached_property

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from feedback.querysets import CampaignQuerySet
from feedback.questions.form import Question, read_form


class Campaign(models.Model):
    """A named collection effort: questions, guidelines, tasks, members, overlap and quota."""

    class Status(models.TextChoices):
        DRAFT = "draft", _("draft")
        ACTIVE = "active", _("active")
        PAUSED = "paused", _("paused")
        CLOSED = "closed", _("closed")
        ARCHIVED = "archived", _("archived")

    # Who may follow whom; services move along these by compare-and-swap.
    MOVES = {
        Status.DRAFT: (Status.ACTIVE, Status.ARCHIVED),
        Status.ACTIVE: (Status.PAUSED, Status.CLOSED),
        Status.PAUSED: (Status.ACTIVE, Status.CLOSED),
        Status.CLOSED: (Status.ACTIVE, Status.ARCHIVED),
        Status.ARCHIVED: (),
    }

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    status = models.CharField(max_length=8, choices=Status, default=Status.DRAFT)
    overlap = models.PositiveSmallIntegerField(default=1, help_text=_("People who judge each task."))
    lease_seconds = models.PositiveIntegerField(default=600)
    undo_seconds = models.PositiveIntegerField(default=600)
    quota = models.PositiveIntegerField(null=True, blank=True, help_text=_("Counted judgements at which it stops."))
    n_quota_used = models.PositiveIntegerField(default=0)
    rater_quota = models.PositiveIntegerField(
        null=True, blank=True, help_text=_("Judgements that one person may give at most.")
    )
    max_leases = models.PositiveSmallIntegerField(default=3, help_text=_("Tasks that one person may hold at once."))
    park_after_skips = models.PositiveSmallIntegerField(
        null=True, blank=True, default=3, help_text=_("Skips after which a task waits for the manager.")
    )
    has_priorities = models.BooleanField(default=False, editable=False, help_text="Some task has a priority above 0.")
    form = models.ForeignKey("FormVersion", null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    guideline = models.ForeignKey("GuidelineVersion", null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    members = models.ManyToManyField(settings.AUTH_USER_MODEL, through="Membership", related_name="campaigns")

    objects = CampaignQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(condition=Q(overlap__gte=1, overlap__lte=100), name="campaign_overlap_range"),
            models.CheckConstraint(condition=Q(lease_seconds__gte=30), name="campaign_lease_range"),
            models.CheckConstraint(condition=Q(max_leases__gte=1, max_leases__lte=20), name="campaign_leases_range"),
            models.CheckConstraint(
                condition=Q(park_after_skips__isnull=True) | Q(park_after_skips__gte=1), name="campaign_parking_range"
            ),
            models.CheckConstraint(
                condition=Q(rater_quota__isnull=True) | Q(rater_quota__gte=1), name="campaign_rater_quota_range"
            ),
            models.CheckConstraint(
                condition=Q(quota__isnull=True) | Q(n_quota_used__lte=F("quota")), name="campaign_quota_kept"
            ),
            models.CheckConstraint(
                condition=Q(status__in=["draft", "active", "paused", "closed", "archived"]),
                name="campaign_status_known",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_open(self) -> bool:
        return self.status == self.Status.ACTIVE


class FormVersion(models.Model):
    """The questions of a campaign as they stood; a change makes a new version, never an edit.

    time_limit: seconds a person has for one task; shown, and kept with every judgement through its form.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="forms")
    number = models.PositiveIntegerField()
    questions_raw = models.JSONField(db_column="questions")
    time_limit = models.PositiveIntegerField(null=True, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "number"], name="form_number_once")]

    def __str__(self) -> str:
        return f"{self.campaign} · form {self.number}"

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        return read_form(self.questions_raw)


class GuidelineVersion(models.Model):
    """The guidelines of a campaign as they stood (Markdown)."""

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="guidelines")
    number = models.PositiveIntegerField()
    text = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "number"], name="guideline_number_once")]

    def __str__(self) -> str:
        return f"{self.campaign} · guidelines {self.number}"


class Membership(models.Model):
    """A person's role in one campaign: the boundary of what they may see and do."""

    class Role(models.TextChoices):
        MANAGER = "manager", _("manager")
        REVIEWER = "reviewer", _("reviewer")
        ANNOTATOR = "annotator", _("annotator")

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=9, choices=Role)
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "user"], name="membership_once"),
            models.CheckConstraint(
                condition=Q(role__in=["manager", "reviewer", "annotator"]), name="membership_role_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} · {self.role} · {self.campaign}"


class Invitation(models.Model):
    """A link that lets whoever is logged in join a campaign.  Only the sha256 of its token is kept."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="invitations")
    role = models.CharField(max_length=9, choices=Membership.Role, default=Membership.Role.ANNOTATOR)
    note = models.CharField(max_length=200, blank=True)
    token_hash = models.CharField(max_length=64, unique=True)
    max_uses = models.PositiveIntegerField(default=1)
    n_uses = models.PositiveIntegerField(default=0)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(condition=Q(n_uses__lte=F("max_uses")), name="invitation_uses_kept"),
            models.CheckConstraint(
                condition=Q(role__in=["manager", "reviewer", "annotator"]), name="invitation_role_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.role} · {self.campaign}"


class GuidelineReading(models.Model):
    """A person has been shown these guidelines and said so."""

    guideline = models.ForeignKey(GuidelineVersion, on_delete=models.PROTECT, related_name="readings")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["guideline", "user"], name="guideline_read_once")]

    def __str__(self) -> str:
        return f"{self.user} read {self.guideline}"
