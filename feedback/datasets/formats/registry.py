"""The training formats there are.  Adding one: its file here (CONTRIBUTING.md)."""

from feedback.datasets.formats.base import Format
from feedback.datasets.formats.group import GroupFormat
from feedback.datasets.formats.judgement import JudgementFormat
from feedback.datasets.formats.preference import PreferenceFormat
from feedback.exceptions import FeedbackError

FORMATS: dict[str, Format] = {format.name: format for format in (PreferenceFormat(), GroupFormat(), JudgementFormat())}
SPLITS = ("train", "test")


class UnknownFormat(FeedbackError):
    """No training format of ours."""


def get_format(name: str) -> Format:
    try:
        return FORMATS[name]
    except KeyError:
        message = f"Unknown format {name!r}; known: {', '.join(FORMATS)}."
        raise UnknownFormat(message) from None
