"""How long a person was at work on a task: what the browser counted, kept here and never believed beyond the clock.

The browser counts while its page is in sight and used (30 s after the last sign of life it stops); each heartbeat
brings the count so far, so that a reload, another browser or a crash loses less than a minute.
"""

from __future__ import annotations

import math

from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.exceptions import SecondsInvalid
from annotation.models import Assignment

SLACK_SECONDS = 30.0
"""What two clocks and a slow network may add to the time a person can have spent."""


def check_seconds(seconds: float | None, assignment: Assignment) -> None:
    """Raises SecondsInvalid for what cannot be the time spent: negative, no number, more than passed since claiming."""
    if seconds is None:
        return
    passed = passed_seconds(assignment)
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not is_number or not math.isfinite(seconds) or not 0 <= seconds <= passed + SLACK_SECONDS:
        message = _("%(seconds)s seconds cannot be the time spent on a task opened %(passed)d seconds ago.")
        raise SecondsInvalid(message % {"seconds": seconds, "passed": passed})


def passed_seconds(assignment: Assignment) -> float:
    """By the server's clock, since the task was first shown."""
    return max(0.0, (timezone.now() - assignment.started_at).total_seconds())


def keep_seconds(assignment: Assignment, seconds: float | None) -> float:
    """Set the time at work to what the browser says, if that is more than was known; returns it.

    It never shrinks, and never exceeds the time that passed.  Raises SecondsInvalid.
    """
    check_seconds(seconds, assignment)
    told = min(seconds, passed_seconds(assignment)) if seconds is not None else 0.0
    assignment.active_seconds = max(assignment.active_seconds, told)
    return assignment.active_seconds


def judged_seconds(assignment: Assignment, seconds: float | None) -> float | None:
    """What a judgement states as its time: the time at work, None when nobody measured it.

    Under a time limit it is the time on the server's clock since the task was shown, so that nothing that happens in
    the browser stops that clock.  Raises SecondsInvalid.
    """
    measured = keep_seconds(assignment, seconds)
    if assignment.form.time_limit is not None:
        return passed_seconds(assignment)
    return max(seconds or 0.0, measured) if seconds is not None or measured else None
