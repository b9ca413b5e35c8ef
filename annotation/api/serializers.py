"""What the queue says to a person's program.  Blind: no model names, no other answers, no sequential ids."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from rest_framework import serializers

from annotation.models import Assignment
from annotation.queue import Claim, Lease, Submission


class ShownResponseSerializer(serializers.Serializer[dict[str, str]]):
    id = serializers.CharField()
    text = serializers.CharField()


class AssignmentSerializer(serializers.ModelSerializer[Assignment]):
    """A task as it is shown to one person: responses in their order, questions and guidelines as they stood."""

    prompt = serializers.SerializerMethodField()
    responses = serializers.SerializerMethodField()
    reference = serializers.CharField(source="task.content.reference")
    criteria = serializers.SerializerMethodField()
    questions = serializers.JSONField(source="form.questions_raw")
    guidelines = serializers.CharField(source="guideline.text", default="")
    time_limit = serializers.IntegerField(source="form.time_limit", help_text="Seconds for the task; null: any time.")

    class Meta:
        model = Assignment
        fields = [
            "id", "campaign", "status", "started_at", "expires_at", "prompt", "responses", "reference", "criteria",
            "questions", "guidelines", "time_limit",
        ]  # fmt: skip
        read_only_fields = fields

    def get_prompt(self, assignment: Assignment) -> list[dict[str, str]]:
        return [{"role": message.role, "content": message.content} for message in assignment.task.content.prompt]

    def get_responses(self, assignment: Assignment) -> list[dict[str, str]]:
        content = assignment.task.content
        return [{"id": id, "text": content.response(id).text} for id in assignment.shown]

    def get_criteria(self, assignment: Assignment) -> list[dict[str, str]]:
        return [{"key": criterion.key, "text": criterion.text} for criterion in assignment.task.content.criteria]


class ClaimSerializer(serializers.Serializer[Claim]):
    """assignment null: `reason` and `message` say why, `until` when to ask again, if that is known."""

    assignment = AssignmentSerializer(allow_null=True)
    resumed = serializers.BooleanField(help_text="It was yours already.")
    reason = serializers.CharField(allow_null=True)
    message = serializers.SerializerMethodField()
    until = serializers.DateTimeField(allow_null=True)

    def get_message(self, claim: Claim) -> str:
        return str(claim.reason.label) if claim.reason else ""


class AnswerSerializer(serializers.Serializer[dict[str, Any]]):
    """key: one per answer; sent again with it, the same answer is stored once.  seconds: active time."""

    key = serializers.CharField(max_length=100)
    answers = serializers.DictField(child=serializers.JSONField(allow_null=True))
    seconds = serializers.FloatField(required=False, allow_null=True, default=None)


class SubmissionSerializer(serializers.Serializer[Submission]):
    """counted false: kept, but all places were filled (`surplus`).  superseded: revised since; the later one stands."""

    judgement = serializers.IntegerField(source="judgement.pk")
    key = serializers.CharField(source="judgement.key")
    answers = serializers.JSONField(source="judgement.answers")
    created = serializers.BooleanField()
    revised = serializers.BooleanField()
    counted = serializers.BooleanField(source="judgement.is_counted")
    surplus = serializers.BooleanField()
    superseded = serializers.BooleanField()


class SkipSerializer(serializers.Serializer[dict[str, str]]):
    reason = serializers.CharField(required=False, allow_blank=True, default="", max_length=500)


class HeartbeatSerializer(serializers.Serializer[dict[str, Any]]):
    seconds = serializers.FloatField(required=False, allow_null=True, default=None, help_text="Time at work so far.")


class FlagSerializer(serializers.Serializer[dict[str, str]]):
    note = serializers.CharField(max_length=2000)


class PrioritySerializer(serializers.Serializer[dict[str, Any]]):
    """tasks: external ids.  priority: higher is asked first, 0 is the common order."""

    tasks = serializers.ListField(child=serializers.CharField(max_length=200), allow_empty=False, max_length=1000)
    priority = serializers.IntegerField(min_value=0, max_value=32767)


class ReservationSerializer(serializers.Serializer[dict[str, Any]]):
    """tasks: external ids.  username: a member of the campaign, who is asked these first."""

    tasks = serializers.ListField(child=serializers.CharField(max_length=200), allow_empty=False, max_length=1000)
    username = serializers.CharField(max_length=150)


class ReservedSerializer(serializers.Serializer[Any]):
    """refused: why the others are not reserved."""

    n_reserved = serializers.IntegerField()
    refused = serializers.ListField(child=serializers.CharField())


class LeaseSerializer(serializers.Serializer[Lease]):
    """held false: `refusal` and `message` say why.  An answer may be sent in either case."""

    held = serializers.BooleanField()
    renewed = serializers.BooleanField(help_text="It had run out, and a free place was taken again.")
    expires_at = serializers.DateTimeField(allow_null=True)
    seconds_left = serializers.SerializerMethodField()
    refusal = serializers.CharField(allow_null=True)
    message = serializers.SerializerMethodField()

    def get_seconds_left(self, lease: Lease) -> float:
        return max(0.0, (lease.expires_at - timezone.now()).total_seconds()) if lease.expires_at else 0.0

    def get_message(self, lease: Lease) -> str:
        return str(lease.refusal.label) if lease.refusal else ""
