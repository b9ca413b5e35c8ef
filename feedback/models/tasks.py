import secrets
from functools import cached_property

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from feedback.models.campaigns import Campaign
from feedback.querysets import TaskQuerySet
from feedback.questions.base import Content
from feedback.questions.content import read_content


def draw_order_key() -> int:
    """A random place in the order in which a campaign's tasks are claimed (63 bits)."""
    return secrets.randbits(63)


class Task(models.Model):
    """One prompt with its responses, exactly as raters saw it: `content` is immutable (a trigger says so).

    `n_leased` and `n_counted` are seats; they change only in the transaction that moves an assignment.
    """

    class Status(models.TextChoices):
        OPEN = "open", _("open")
        PARKED = "parked", _("parked")
        WITHDRAWN = "withdrawn", _("withdrawn")

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="tasks")
    external_id = models.CharField(max_length=200, blank=True)
    content_hash = models.CharField(max_length=64)
    prompt_hash = models.CharField(max_length=64, help_text=_("Splits keep one prompt on one side."))
    content_raw = models.JSONField(db_column="content")
    metadata = models.JSONField(default=dict, blank=True)
    gold = models.JSONField(null=True, blank=True)
    status = models.CharField(max_length=9, choices=Status, default=Status.OPEN)
    priority = models.PositiveSmallIntegerField(default=0, db_default=0, help_text=_("Higher is asked first."))
    names_model = models.BooleanField(
        default=False, db_default=False, help_text=_("A response seems to say which model wrote it.")
    )
    order_key = models.BigIntegerField(default=draw_order_key, editable=False)
    overlap = models.PositiveSmallIntegerField(default=1)
    n_leased = models.PositiveSmallIntegerField(default=0)
    n_counted = models.PositiveSmallIntegerField(default=0)
    n_skipped = models.PositiveIntegerField(default=0)
    needs_aggregation = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = TaskQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(n_leased__gte=0, n_counted__gte=0, n_leased__lte=F("overlap") - F("n_counted")),
                name="task_seats_kept",
            ),
            models.UniqueConstraint(
                fields=["campaign", "external_id"], condition=~Q(external_id=""), name="task_external_id_once"
            ),
            models.UniqueConstraint(
                fields=["campaign", "content_hash"], condition=Q(external_id=""), name="task_content_once"
            ),
        ]
        indexes = [
            models.Index(
                F("campaign"),
                F("order_key"),
                name="task_claimable",
                condition=Q(status="open", n_leased__lt=F("overlap") - F("n_counted")),
            ),
            models.Index(
                F("campaign"),
                F("priority").desc(),
                F("order_key"),
                name="task_claimable_first",
                condition=Q(status="open", priority__gt=0, n_leased__lt=F("overlap") - F("n_counted")),
            ),
            models.Index(fields=["campaign"], name="task_names_model", condition=Q(names_model=True)),
            models.Index(fields=["id"], name="task_stale", condition=Q(needs_aggregation=True)),
        ]

    def __str__(self) -> str:
        return self.external_id or f"task {self.pk}"

    @cached_property
    def content(self) -> Content:
        return read_content(self.content_raw)
