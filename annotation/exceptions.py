"""Errors of the queue.  A message says what happened and what to do; `status_code` is what the API answers."""

from feedback.exceptions import FeedbackError


class QueueError(FeedbackError):
    """Base of what the queue refuses; nothing was written."""

    status_code = 409


class AssignmentNotFound(QueueError):
    """No such assignment, or it is another person's."""

    status_code = 404


class AlreadySubmitted(QueueError):
    """The answer is in; it can be revised, not skipped."""


class NotSubmitted(QueueError):
    """There is no answer to open again."""


class WindowClosed(QueueError):
    """The time in which an answer may be revised is over."""


class KeyReused(QueueError):
    """The idempotency key belongs to another answer of this person."""


class KeyInvalid(QueueError):
    """The idempotency key has the wrong form."""

    status_code = 422


class SecondsInvalid(QueueError):
    """The time spent is impossible."""

    status_code = 422


class TextInvalid(QueueError):
    """A skip reason or a draft that cannot be stored."""

    status_code = 422
