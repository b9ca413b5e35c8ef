from feedback.models.campaigns import (
    Campaign,
    FormVersion,
    GuidelineReading,
    GuidelineVersion,
    Invitation,
    Membership,
)
from feedback.models.datasets import Dataset, DatasetVersion
from feedback.models.events import AuditEvent
from feedback.models.judgements import Judgement
from feedback.models.people import User
from feedback.models.preferences import Preference, Score
from feedback.models.raters import Rater
from feedback.models.tasks import Task

__all__ = [
    "AuditEvent",
    "Campaign",
    "Dataset",
    "DatasetVersion",
    "FormVersion",
    "GuidelineReading",
    "GuidelineVersion",
    "Invitation",
    "Judgement",
    "Membership",
    "Preference",
    "Rater",
    "Score",
    "Task",
    "User",
]
