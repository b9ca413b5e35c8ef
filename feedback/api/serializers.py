from __future__ import annotations

from typing import Any, ClassVar

from rest_framework import serializers

from feedback.importing.rows import RowRefused, check_storable
from feedback.models import Campaign, Dataset, DatasetVersion, Judgement, Preference, Task


class CampaignSerializer(serializers.ModelSerializer[Campaign]):
    """A campaign.  `questions` and `guidelines` are those in force; a change publishes a new version."""

    questions = serializers.JSONField(source="form.questions_raw", help_text="Ordered questions; see the glossary.")
    guidelines = serializers.CharField(
        source="guideline.text", required=False, allow_blank=True, help_text="Markdown shown beside each task."
    )
    form_version = serializers.IntegerField(source="form.number", read_only=True)
    guideline_version = serializers.IntegerField(source="guideline.number", read_only=True)

    class Meta:
        model = Campaign
        fields = [
            "id",
            "name",
            "description",
            "status",
            "overlap",
            "lease_seconds",
            "undo_seconds",
            "quota",
            "questions",
            "guidelines",
            "form_version",
            "guideline_version",
            "created_at",
        ]
        read_only_fields = ["id", "status", "created_at"]
        extra_kwargs = {
            "overlap": {"min_value": 1, "max_value": 100},
            "lease_seconds": {"min_value": 30},
            "quota": {"min_value": 1},
        }

    def validate_questions(self, questions: Any) -> Any:
        """A list of objects that can be stored; what they mean is for `read_form` to check."""
        if not isinstance(questions, list) or not all(isinstance(question, dict) for question in questions):
            raise serializers.ValidationError("Expected a list of questions, each an object.")
        try:
            check_storable({str(index): question for index, question in enumerate(questions)})
        except RowRefused as error:
            raise serializers.ValidationError(str(error)) from error
        return questions


class TaskSerializer(serializers.ModelSerializer[Task]):
    """A task as its manager sees it: models named, seats counted."""

    content = serializers.JSONField(source="content_raw", read_only=True)

    class Meta:
        model = Task
        fields = ["id", "external_id", "content", "metadata", "status", "overlap", "n_leased", "n_counted", "n_skipped"]
        read_only_fields = fields


class JudgementSerializer(serializers.ModelSerializer[Judgement]):
    rater = serializers.CharField(source="rater.name", read_only=True)
    rater_kind = serializers.CharField(source="rater.kind", read_only=True)
    external_id = serializers.CharField(source="task.external_id", read_only=True)
    form_version = serializers.IntegerField(source="form.number", read_only=True)
    guideline_version = serializers.SerializerMethodField()

    class Meta:
        model = Judgement
        fields = [
            "id",
            "task",
            "external_id",
            "rater",
            "rater_kind",
            "form_version",
            "guideline_version",
            "answers",
            "shown",
            "seconds",
            "is_current",
            "is_counted",
            "is_surplus",
            "supersedes",
            "created_at",
        ]
        read_only_fields = fields

    def get_guideline_version(self, judgement: Judgement) -> int | None:
        return judgement.guideline.number if judgement.guideline else None


class PreferenceSerializer(serializers.ModelSerializer[Preference]):
    external_id = serializers.CharField(source="task.external_id", read_only=True)

    class Meta:
        model = Preference
        fields = [
            "id",
            "task",
            "external_id",
            "question",
            "aspect",
            "first",
            "second",
            "probability",
            "strength",
            "agreement",
            "n_raters",
            "n_ties",
            "n_both_bad",
            "raters",
        ]
        read_only_fields = fields


class DatasetVersionSerializer(serializers.ModelSerializer[DatasetVersion]):
    class Meta:
        model = DatasetVersion
        fields = [
            "id",
            "dataset",
            "number",
            "status",
            "selection",
            "sha256",
            "counts",
            "error",
            "created_at",
            "frozen_at",
        ]
        read_only_fields = fields


class DatasetSerializer(serializers.ModelSerializer[Dataset]):
    """A saved selection.  `selection` names campaigns, raters by kind and the policies for ties and the rest."""

    versions: Any = DatasetVersionSerializer(many=True, read_only=True)

    class Meta:
        model = Dataset
        fields = ["id", "name", "selection", "versions", "created_at"]
        read_only_fields = ["id", "versions", "created_at"]
        extra_kwargs: ClassVar[dict[str, Any]] = {"name": {"validators": []}}  # the service says that a name is taken

    def validate_selection(self, selection: Any) -> Any:
        if not isinstance(selection, dict):
            raise serializers.ValidationError("Expected an object.")
        return selection
