from django.db import models

from feedback.models import DatasetVersion, Rater
from training.models.jobs import Job


class Run(Job):
    """One execution of a recipe on a dataset version and a base model.

    base_model: `{"kind": "tiny" | "smollm2" | "path" | "hub", "name": …}`; settings: the recipe's dataclass as JSON.
    directory: the run directory below RUNS_ROOT, self-contained (design: spec.json, data/, metrics.jsonl, …).
    """

    name = models.CharField(max_length=200, blank=True)
    dataset_version = models.ForeignKey(DatasetVersion, on_delete=models.PROTECT, related_name="runs")
    recipe = models.CharField(max_length=40)
    base_model = models.JSONField()
    settings = models.JSONField(default=dict)
    seed = models.PositiveBigIntegerField(default=0)
    directory = models.CharField(max_length=400, blank=True)
    result = models.JSONField(default=dict, blank=True)

    def __str__(self) -> str:
        return self.name or f"{self.recipe} on {self.dataset_version}"


class Metric(models.Model):
    """What the engine reported at one step: `{"loss", "accuracy", …}`."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="metrics")
    step = models.PositiveIntegerField()
    values = models.JSONField()
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["step"]
        constraints = [models.UniqueConstraint(fields=["run", "step"], name="metric_step_once")]

    def __str__(self) -> str:
        return f"step {self.step}"


class Checkpoint(models.Model):
    """A saved model of a run.  Promoted, it is a rater (a reward model) that scores fresh responses."""

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="checkpoints")
    step = models.PositiveIntegerField()
    path = models.CharField(max_length=400)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    manifest = models.JSONField()
    rater = models.OneToOneField(Rater, null=True, blank=True, on_delete=models.PROTECT, related_name="checkpoint")
    promoted_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [models.UniqueConstraint(fields=["run", "step"], name="checkpoint_step_once")]

    def __str__(self) -> str:
        return f"{self.run} · step {self.step}"


class Evaluation(models.Model):
    """How a checkpoint did on one split, with its interval, beside the length baseline.

    report: the engine's evaluation object (accuracy, low, high, n, ties, baseline_length, …).
    """

    checkpoint = models.ForeignKey(Checkpoint, on_delete=models.CASCADE, related_name="evaluations")
    split = models.CharField(max_length=20)
    accuracy = models.FloatField()
    low = models.FloatField()
    high = models.FloatField()
    n = models.PositiveIntegerField()
    report = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["checkpoint", "split"], name="evaluation_split_once")]

    def __str__(self) -> str:
        return f"{self.split}: {self.accuracy:.3f}"
