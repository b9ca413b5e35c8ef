import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class Job(models.Model):
    """What a GPU worker executes.  The row is the truth: state, lease, heartbeat, attempt; a message only names it.

    `attempt` fences: a worker that lost its lease may not write for a later attempt.
    `n_lost` counts attempts that ended without a word (killed worker, killed trainer) since a person last asked.
    `sent_at` is when the last message that names this job was sent; None asks the reaper to send one.
    """

    class Status(models.TextChoices):
        QUEUED = "queued", _("queued")
        STARTING = "starting", _("starting")
        RUNNING = "running", _("running")
        SUCCEEDED = "succeeded", _("succeeded")
        FAILED = "failed", _("failed")
        CANCELLED = "cancelled", _("cancelled")

    LIVE = (Status.QUEUED, Status.STARTING, Status.RUNNING)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    status = models.CharField(max_length=9, choices=Status, default=Status.QUEUED)
    attempt = models.PositiveIntegerField(default=0)
    n_lost = models.PositiveIntegerField(default=0)
    sent_at = models.DateTimeField(null=True, blank=True)
    worker = models.CharField(max_length=200, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    cancel_requested_at = models.DateTimeField(null=True, blank=True)
    progress = models.JSONField(default=dict, blank=True, help_text='{"phase", "step", "total"}')
    log_tail = models.TextField(blank=True, help_text="The end of log.txt: the GPU machine is not the web machine.")
    error = models.TextField(blank=True)
    advice = models.TextField(blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=["queued", "starting", "running", "succeeded", "failed", "cancelled"]),
                name="%(class)s_status_known",
            )
        ]

    @property
    def is_live(self) -> bool:
        return self.status in self.LIVE
