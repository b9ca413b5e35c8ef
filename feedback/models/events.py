from django.conf import settings
from django.db import models

from feedback.models.campaigns import Campaign


class AuditEvent(models.Model):
    """Who changed what, when.  One entry per change of state; written by services only."""

    at = models.DateTimeField(auto_now_add=True, db_index=True)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    verb = models.CharField(max_length=60)
    campaign = models.ForeignKey(Campaign, null=True, blank=True, on_delete=models.PROTECT, related_name="events")
    object_type = models.CharField(max_length=40)
    object_id = models.CharField(max_length=64)
    detail = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [models.Index(fields=["object_type", "object_id"], name="event_of_object")]

    def __str__(self) -> str:
        return f"{self.verb} {self.object_type} {self.object_id}"
