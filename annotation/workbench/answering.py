"""What a browser posts, read; and what is said back."""

from __future__ import annotations

from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext as _

from annotation.queue import Submission
from feedback.models import User


class PersonRequest(HttpRequest):
    """A request that the login middleware let through: its user is a person."""

    user: User


def posted_values(post: QueryDict) -> dict[str, list[str]]:
    """The answer's own fields (`q.…`), line breaks as the person typed them."""
    return {
        name: [value.replace("\r\n", "\n") for value in values]
        for name, values in post.lists()
        if name.startswith("q.")
    }


def read_seconds(text: str) -> float | None:
    """Active time as the browser counted it; None when it counted none.  No number becomes NaN, which is refused."""
    if not text:
        return None
    try:
        return float(text)
    except ValueError:
        return float("nan")


def said_of(submission: Submission) -> str:
    if submission.superseded:
        return _("You have changed this answer since; the later one stands.")
    if submission.surplus and submission.over_quota:
        return _("Saved. It is more than this campaign takes from one person, so it is kept but not counted.")
    if submission.surplus:
        return _("Saved. The task had all its judgements by then, so yours is kept but not counted.")
    if submission.late:
        return _("Saved, after the time limit; it is marked as late.")
    return _("Your answer is changed.") if submission.revised else _("Saved.")
