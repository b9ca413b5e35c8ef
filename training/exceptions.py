"""Errors of training.  `message` says what happened, `advice` what to do about it; both reach the run page."""

from __future__ import annotations

from feedback.exceptions import FeedbackError


class TrainingError(FeedbackError):
    """Base of everything this room raises on purpose; the REST API answers it as a problem document."""

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(f"{message} {advice}".strip())
        self.message = message
        self.advice = advice


class Fenced(TrainingError):
    """Another attempt, or a person, has taken the job: this one may write nothing more."""


class JobFailed(TrainingError):
    """The job cannot succeed as it stands; trying again without a change would fail again."""


class JobCancelled(TrainingError):
    """A person asked for it, and the engine has stopped."""


class WorkerStopping(TrainingError):
    """This worker was told to end; the job goes back to the queue and resumes elsewhere or later."""


class EngineLost(TrainingError):
    """The engine ended without a word (killed, out of memory): trying again resumes from its last checkpoint."""


class SettingsInvalid(TrainingError):
    """A run was asked for with settings its recipe refuses; `field` names the one at fault, if there is one."""

    status_code = 422

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message, "Correct the setting and ask again.")
        self.field = field


class SourceInvalid(TrainingError):
    """The fresh responses of a round cannot be read."""

    status_code = 422
