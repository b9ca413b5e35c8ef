import uuid

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from feedback.models.campaigns import Campaign


class Dataset(models.Model):
    """A saved selection of judgements: which campaigns, raters and policies."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=200, unique=True)
    selection = models.JSONField()
    campaigns = models.ManyToManyField(Campaign, related_name="datasets")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.name


class DatasetVersion(models.Model):
    """A frozen, hashed selection.  Once frozen it never changes (a trigger says so).

    sha256: over canonical sorted JSON lines, so the same selection gives the same hash.
    counts: `{"judgements": n, "exported": n, "dropped": {reason: n}, "rows": {split: n}, …}`, reconciling.
    path: folder in the default storage that holds README.md (card) and one folder a format.
    """

    class Status(models.TextChoices):
        FREEZING = "freezing", _("freezing")
        FROZEN = "frozen", _("frozen")
        FAILED = "failed", _("failed")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    status = models.CharField(max_length=8, choices=Status, default=Status.FREEZING)
    selection = models.JSONField()
    sha256 = models.CharField(max_length=64, blank=True)
    counts = models.JSONField(default=dict, blank=True)
    path = models.CharField(max_length=400, blank=True)
    error = models.TextField(blank=True)
    attempt = models.PositiveSmallIntegerField(default=0, help_text="How many workers have begun to freeze it.")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    frozen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [models.UniqueConstraint(fields=["dataset", "number"], name="dataset_version_number_once")]

    def __str__(self) -> str:
        return f"{self.dataset} v{self.number}"
