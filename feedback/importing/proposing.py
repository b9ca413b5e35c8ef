"""What to ask about tasks whose file does not say: the plainest question that fits the first of them.  Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from feedback.importing.layouts.base import PAIRWISE_FORM
from feedback.questions.base import Content
from feedback.questions.ranking import FEWEST

JSON = Any


def proposed_form(content: Content) -> tuple[Mapping[str, JSON], ...]:
    """Criteria: a checklist; steps: their labels; two responses: which is better; more: a ranking; one: thumbs."""
    if content.criteria:
        title = "Does the response keep each requirement?"
        return ({"key": "rules", "kind": "checklist", "title": title, "settings": {"from_task": True}},)
    if all(response.steps for response in content.responses):
        return ({"key": "steps", "kind": "steps", "title": "Is each step right?"},)
    if len(content.responses) == FEWEST:
        return PAIRWISE_FORM
    if len(content.responses) > FEWEST:
        return ({"key": "order", "kind": "ranking", "title": "Put the responses in order, best first."},)
    thumbs = {"scale": "thumbs", "attributes": [{"key": "good", "text": "Is it a good response?"}]}
    return ({"key": "good", "kind": "rating", "title": "Good or bad?", "settings": thumbs},)
