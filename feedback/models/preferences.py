from django.db import models
from django.db.models import Q

from feedback.models.tasks import Task


class Preference(models.Model):
    """The aggregate of a pair of responses; derived, always rebuildable.  Columns: see questions.base.Pair."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="preferences")
    question = models.CharField(max_length=40)
    aspect = models.CharField(max_length=64, blank=True)
    first = models.CharField(max_length=64)
    second = models.CharField(max_length=64)
    probability = models.FloatField()
    strength = models.FloatField(default=0.0)
    agreement = models.FloatField()
    n_raters = models.PositiveIntegerField()
    n_ties = models.PositiveIntegerField(default=0)
    n_both_bad = models.PositiveIntegerField(default=0)
    raters = models.JSONField(default=dict, help_text="How many raters of each kind: {kind: n}.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["task", "question", "aspect", "first", "second"], name="preference_once"),
            models.CheckConstraint(
                condition=Q(probability__gte=0, probability__lte=1), name="preference_probability_range"
            ),
            models.CheckConstraint(condition=Q(n_raters__gte=1), name="preference_has_raters"),
        ]

    def __str__(self) -> str:
        return f"P({self.first} > {self.second}) = {self.probability:.2f}"


class Score(models.Model):
    """The consensus value of one response; derived, always rebuildable.  See questions.base.Mark."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="scores")
    question = models.CharField(max_length=40)
    aspect = models.CharField(max_length=64, blank=True)
    response = models.CharField(max_length=64)
    value = models.FloatField()
    agreement = models.FloatField()
    n_raters = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["task", "question", "aspect", "response"], name="score_once"),
            models.CheckConstraint(condition=Q(n_raters__gte=1), name="score_has_raters"),
        ]

    def __str__(self) -> str:
        return f"{self.response} {self.aspect}: {self.value:.2f}"
