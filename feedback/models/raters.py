from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class Rater(models.Model):
    """Who answers: a person, a judge version, a verifier version, a reward model, or an imported name.

    `source` keeps apart imported names and reward models that happen to be called the same.
    `admitted` is the gate's decision, owned here and written by others; people, verifiers and imported names start
    admitted, judges and reward models do not.
    """

    class Kind(models.TextChoices):
        ANNOTATOR = "annotator", _("annotator")
        JUDGE = "judge", _("judge")
        VERIFIER = "verifier", _("verifier")
        REWARD_MODEL = "reward_model", _("reward model")
        IMPORTED = "imported", _("imported")

    kind = models.CharField(max_length=12, choices=Kind)
    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="rater"
    )
    source = models.CharField(max_length=200, blank=True)
    name = models.CharField(max_length=200)
    version = models.CharField(max_length=64, blank=True)
    weight = models.FloatField(default=1.0)
    admitted = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["kind", "source", "name", "version"], name="rater_once"),
            models.CheckConstraint(
                condition=Q(kind="annotator", user__isnull=False) | (~Q(kind="annotator") & Q(user__isnull=True)),
                name="rater_person_has_user",
            ),
            models.CheckConstraint(condition=Q(weight__gte=0), name="rater_weight_range"),
            models.CheckConstraint(
                condition=Q(kind__in=["annotator", "judge", "verifier", "reward_model", "imported"]),
                name="rater_kind_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name}@{self.version}" if self.version else self.name

    @property
    def is_person(self) -> bool:
        return self.kind == self.Kind.ANNOTATOR
