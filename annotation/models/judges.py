from __future__ import annotations

from decimal import Decimal

from django.conf import settings
from django.core.validators import RegexValidator, URLValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from feedback.models import FormVersion, Judgement, Rater, Task

MILLION = Decimal(1_000_000)


class Endpoint(models.Model):
    """An address that answers as a model (OpenAI-compatible).

    key_variable: the environment variable that holds its key on the machines that ask; the key itself is never stored.
    """

    name = models.CharField(max_length=100, unique=True)
    base_url = models.CharField(
        max_length=500, validators=[URLValidator(schemes=["http", "https"])], help_text=_("Up to and with /v1.")
    )
    key_variable = models.CharField(
        max_length=100,
        blank=True,
        validators=[RegexValidator(r"^[A-Za-z_][A-Za-z0-9_]*\Z")],
        help_text=_("The environment variable that holds its key; empty for none."),
    )
    timeout_s = models.FloatField(default=90.0)
    max_in_flight = models.PositiveIntegerField(default=8, help_text=_("Requests at once, of all workers together."))
    requests_per_minute = models.PositiveIntegerField(null=True, blank=True)
    tokens_per_minute = models.PositiveIntegerField(null=True, blank=True)
    prompt_price = models.DecimalField(
        max_digits=12, decimal_places=6, default=Decimal(0), help_text=_("Of a million prompt tokens.")
    )
    completion_price = models.DecimalField(
        max_digits=12, decimal_places=6, default=Decimal(0), help_text=_("Of a million completion tokens.")
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(timeout_s__gt=0), name="endpoint_timeout_range"),
            models.CheckConstraint(
                condition=Q(max_in_flight__gte=1)
                & (Q(requests_per_minute__isnull=True) | Q(requests_per_minute__gte=2))
                & (Q(tokens_per_minute__isnull=True) | Q(tokens_per_minute__gte=2)),
                name="endpoint_limits_range",
            ),
            models.CheckConstraint(
                condition=Q(prompt_price__gte=0, completion_price__gte=0), name="endpoint_price_range"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def cost(self, prompt_tokens: int | None, completion_tokens: int | None) -> Decimal | None:
        """None where the server does not say how much it counted."""
        if prompt_tokens is None or completion_tokens is None:
            return None
        return (prompt_tokens * self.prompt_price + completion_tokens * self.completion_price) / MILLION


class Judge(models.Model):
    """One version of a judge: a model at an endpoint with a protocol and its settings.  It is a rater.

    Once it has been asked anything it never changes (a trigger says so): whatever differs is a new version.
    sampling: what is sent along (temperature, max_tokens, seed, …).  n_samples: votes in each order.
    """

    rater = models.OneToOneField(Rater, on_delete=models.PROTECT, related_name="judge")
    name = models.CharField(max_length=100)
    number = models.PositiveIntegerField()
    endpoint = models.ForeignKey(Endpoint, on_delete=models.PROTECT, related_name="judges")
    model = models.CharField(max_length=200)
    protocol = models.CharField(max_length=40)
    instruction = models.TextField(blank=True)
    sampling = models.JSONField(default=dict, blank=True)
    n_samples = models.PositiveSmallIntegerField(default=1)
    judges_own = models.BooleanField(default=False, help_text=_("May judge responses that its own model wrote."))
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["name", "number"], name="judge_version_once"),
            models.CheckConstraint(condition=Q(n_samples__gte=1, n_samples__lte=64), name="judge_samples_range"),
        ]

    def __str__(self) -> str:
        return f"{self.name} v{self.number}"


class Judging(models.Model):
    """What became of one task with one judge.

    reasons: {question: why it has no answer}.  not_before: when it may be tried again after a passing failure.
    """

    class Status(models.TextChoices):
        PENDING = "pending", _("pending")
        JUDGED = "judged", _("judged")
        ABSENT = "absent", _("absent")

    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="judgings")
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="judgings")
    form = models.ForeignKey(FormVersion, on_delete=models.PROTECT, related_name="+")
    status = models.CharField(max_length=7, choices=Status, default=Status.PENDING)
    reasons = models.JSONField(default=dict, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    not_before = models.DateTimeField(null=True, blank=True)
    judgement = models.OneToOneField(Judgement, null=True, blank=True, on_delete=models.PROTECT, related_name="judging")
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["judge", "task", "form"], name="judging_once"),
            models.CheckConstraint(
                condition=Q(status__in=["pending", "judged", "absent"]), name="judging_status_known"
            ),
            models.CheckConstraint(
                condition=Q(status="judged", judgement__isnull=False)
                | (~Q(status="judged") & Q(judgement__isnull=True)),
                name="judging_judged_has_judgement",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.judge} on {self.task}: {self.status}"


class JudgeCall(models.Model):
    """One request to a judge.  Its intent is committed before it is sent.

    intent → sent → answered, failed or unknown (sent, and whoever sent it is gone: it may have been paid for).
    order: response ids as shown.  stage: of the protocol, or `repair`, `longer`.  key: the word of this call.
    """

    class Status(models.TextChoices):
        INTENT = "intent", _("intent")
        SENT = "sent", _("sent")
        ANSWERED = "answered", _("answered")
        FAILED = "failed", _("failed")
        UNKNOWN = "unknown", _("unknown")

    judging = models.ForeignKey(Judging, on_delete=models.PROTECT, related_name="calls")
    question = models.CharField(max_length=40)
    order = models.JSONField()
    sample = models.PositiveSmallIntegerField(default=0)
    stage = models.CharField(max_length=20)
    ask_hash = models.CharField(max_length=64, help_text=_("Of question, order, sample, stage and what went before."))
    key = models.CharField(max_length=32)
    status = models.CharField(max_length=8, choices=Status, default=Status.INTENT)
    messages = models.JSONField()
    text = models.TextField(blank=True)
    finish_reason = models.CharField(max_length=40, blank=True)
    prompt_tokens = models.PositiveIntegerField(null=True, blank=True)
    completion_tokens = models.PositiveIntegerField(null=True, blank=True)
    cost = models.DecimalField(max_digits=14, decimal_places=8, null=True, blank=True)
    rung = models.CharField(max_length=10, blank=True, help_text=_("How its reply was read."))
    reason = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["judging", "ask_hash"],
                condition=Q(status__in=["intent", "sent", "answered"]),
                name="judgecall_paid_once",
            ),
            models.CheckConstraint(
                condition=Q(status__in=["intent", "sent", "answered", "failed", "unknown"]),
                name="judgecall_status_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.judging} ({self.question}, {self.stage})"
