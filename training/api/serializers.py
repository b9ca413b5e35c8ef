from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from training.models import Checkpoint, Evaluation, Metric, Round, Run
from training.recipes.registry import RECIPES

JOB_FIELDS = [
    "id",
    "name",
    "status",
    "attempt",
    "progress",
    "error",
    "advice",
    "created_at",
    "started_at",
    "finished_at",
]


class EvaluationSerializer(serializers.ModelSerializer[Evaluation]):
    """Held-out accuracy with its 95 % interval; `report` has the length baseline."""

    class Meta:
        model = Evaluation
        fields = ["split", "accuracy", "low", "high", "n", "report"]
        read_only_fields = fields


class CheckpointSerializer(serializers.ModelSerializer[Checkpoint]):
    evaluations = EvaluationSerializer(many=True, read_only=True)
    rater = serializers.CharField(source="rater.__str__", read_only=True, default=None, help_text="Once promoted.")

    class Meta:
        model = Checkpoint
        fields = ["id", "step", "sha256", "size", "manifest", "rater", "promoted_at", "evaluations", "created_at"]
        read_only_fields = fields


class BaseModelSerializer(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=["tiny", "smollm2", "path", "hub"])
    name = serializers.CharField(required=False, allow_blank=True, default="")


class RunSerializer(serializers.ModelSerializer[Run]):
    """A run.  `settings` are those of its recipe; what is left out takes its default."""

    recipe = serializers.ChoiceField(choices=sorted(RECIPES))
    base_model = BaseModelSerializer()
    settings = serializers.DictField(default=dict)
    seed = serializers.IntegerField(min_value=0, max_value=2**32 - 1, default=0)
    checkpoints = CheckpointSerializer(many=True, read_only=True)

    class Meta:
        model = Run
        fields = [*JOB_FIELDS, "dataset_version", "recipe", "base_model", "settings", "seed", "checkpoints"]
        read_only_fields = [field for field in JOB_FIELDS if field != "name"]


class MetricSerializer(serializers.ModelSerializer[Metric]):
    values = serializers.SerializerMethodField()

    class Meta:
        model = Metric
        fields = ["step", "values"]

    @extend_schema_field(serializers.DictField(child=serializers.FloatField(allow_null=True)))
    def get_values(self, metric: Metric) -> dict[str, Any]:
        return dict(metric.values)


class RoundSerializer(serializers.ModelSerializer[Round]):
    """A round.  `responses`: the fresh responses, a prompt with two or more of them a row; or `sample` says how to
    sample them: `{"base_model", "k", "n_prompts", "max_new_tokens", "temperature", "seed"}`."""

    responses = serializers.ListField(child=serializers.DictField(), write_only=True, required=False)
    sample = serializers.DictField(write_only=True, required=False)
    n_pairs = serializers.IntegerField(min_value=1, default=20)

    class Meta:
        model = Round
        fields = [*JOB_FIELDS, "checkpoint", "n_pairs", "campaign", "report", "responses", "sample"]
        read_only_fields = [*(field for field in JOB_FIELDS if field != "name"), "campaign", "report"]

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if bool(attrs.get("responses")) == bool(attrs.get("sample")):
            raise serializers.ValidationError({"responses": "Give either responses or sample."})
        return attrs
