"""What may go wrong with one call of a judge.  Each is an absence with its reason, never a score."""

from __future__ import annotations


class JudgeError(Exception):
    """Anything that leaves a question without the judge's answer; `reason` says what happened."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Unparseable(JudgeError):
    """The reply holds no verdict that the question offers."""


class NothingToJudge(JudgeError):
    """A response is empty, or one of the texts that make judges say yes; no call is made."""


class NotConfigured(JudgeError):
    """This process cannot ask the endpoint at all: its key is not in the environment."""
