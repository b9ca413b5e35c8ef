from django.db import models
from django.db.models import Q

from feedback.models.campaigns import Campaign, FormVersion, GuidelineVersion
from feedback.models.raters import Rater
from feedback.models.tasks import Task
from feedback.querysets import JudgementQuerySet


class Judgement(models.Model):
    """One rater's answers to all questions of one task.  Append-only: a trigger lets only the three flags change.

    answers: `{question key: {"state": answered|skipped|not_shown, "value": …}}`, responses by id.
    shown: response ids in the order displayed ([] for programs and imports that do not know).
    measures: what a judge said beside its answers, `{question key: {"probability"?, "consistent"?, …}}`; {} of others.
    key, body_hash: same key and body → this row again; same key, other body → a revision.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="judgements")
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="judgements")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="judgements")
    form = models.ForeignKey(FormVersion, on_delete=models.PROTECT, related_name="+")
    guideline = models.ForeignKey(GuidelineVersion, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    answers = models.JSONField()
    shown = models.JSONField(default=list, blank=True)
    measures = models.JSONField(default=dict, blank=True, db_default={})
    seconds = models.FloatField(null=True, blank=True)
    key = models.CharField(max_length=120)
    body_hash = models.CharField(max_length=64)
    is_current = models.BooleanField(default=True)
    is_counted = models.BooleanField(default=False)
    is_surplus = models.BooleanField(default=False)
    supersedes = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="superseded_by"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = JudgementQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["rater", "key"], name="judgement_key_once"),
            models.UniqueConstraint(
                fields=["task", "rater"], condition=Q(is_current=True), name="judgement_current_once"
            ),
            models.CheckConstraint(condition=~Q(is_counted=True, is_surplus=True), name="judgement_counted_or_surplus"),
            models.CheckConstraint(
                condition=Q(is_current=True) | Q(is_counted=False), name="judgement_counted_is_current"
            ),
            models.CheckConstraint(
                condition=Q(seconds__isnull=True) | Q(seconds__gte=0), name="judgement_seconds_range"
            ),
        ]
        indexes = [models.Index(fields=["campaign", "rater", "-created_at"], name="judgement_of_rater")]

    def __str__(self) -> str:
        return f"{self.rater} on {self.task}"
