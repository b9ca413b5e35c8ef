"""The training formats there are.  Adding one: its file here (CONTRIBUTING.md)."""

from feedback.datasets.formats.base import Format
from feedback.datasets.formats.checklist import ChecklistFormat
from feedback.datasets.formats.critique import CritiqueFormat
from feedback.datasets.formats.group import GroupFormat
from feedback.datasets.formats.judgement import JudgementFormat
from feedback.datasets.formats.preference import PreferenceFormat
from feedback.datasets.formats.prompt_completion import PromptCompletionFormat
from feedback.datasets.formats.rating import RatingFormat
from feedback.datasets.formats.stepwise_supervision import StepwiseSupervisionFormat
from feedback.datasets.formats.unpaired_preference import UnpairedPreferenceFormat
from feedback.exceptions import FeedbackError

FORMATS: dict[str, Format] = {
    format.name: format
    for format in (
        PreferenceFormat(),
        GroupFormat(),
        UnpairedPreferenceFormat(),
        PromptCompletionFormat(),
        RatingFormat(),
        StepwiseSupervisionFormat(),
        CritiqueFormat(),
        ChecklistFormat(),
        JudgementFormat(),
    )
}
"""In the order of the page; the first of which a version has rows is what `load_dataset` takes by default."""
SPLITS = ("train", "test")


class UnknownFormat(FeedbackError):
    """No training format of ours."""


def get_format(name: str) -> Format:
    try:
        return FORMATS[name]
    except KeyError:
        message = f"Unknown format {name!r}; known: {', '.join(FORMATS)}."
        raise UnknownFormat(message) from None
