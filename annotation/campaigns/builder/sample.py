"""What the preview shows while there is no task yet: an exchange that every kind of question can be asked about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from feedback.questions.base import Content
from feedback.questions.form import Question

JSON = Any
SIZES = (1, 2, 4)
"""How many responses a sample may have."""


def sample_content(n: int) -> dict[str, JSON]:
    """A task with n responses, in steps, and with a requirement of its own."""
    answers = [
        [
            _("Light from the sun holds every colour, and air scatters short waves far more than long ones."),
            _("Blue has a short wave, so it reaches our eyes from all over the sky, while red goes straight on."),
            _("At dusk the way through the air is longer, the blue is spent, and we see red."),
        ],
        [
            _("The sky is blue because it reflects the colour of the sea."),
            _("Over land there is less water, so it is paler there."),
            _("At night there is no reflection, and it turns black."),
        ],
        [
            _("Because of **Rayleigh scattering**."),
            _("Air scatters light with a strength of about the wavelength to the power of −4, so blue wins over red."),
        ],
        [_("Nobody really knows."), _("Some say that it is the ozone, others that it is the oxygen.")],
    ]
    responses = [
        {"id": f"r{at}", "text": "\n\n".join(steps), "steps": steps} for at, steps in enumerate(answers[:n], start=1)
    ]
    criteria = [{"key": "sample", "text": _("A requirement that the task itself brings.")}]
    return {"prompt": _("Why is the sky blue by day and red at dusk?"), "responses": responses, "criteria": criteria}


def fitting_size(questions: Sequence[Question], read: Mapping[int, Content], wanted: int | None) -> int:
    """The wanted number of responses, if all questions can be asked about so many; else the first that fits."""
    order = [*([wanted] if wanted in SIZES else []), 2, 4, 1]
    for size in order:
        if size is not None and not any(q.kind.check_content(q.settings, read[size]) for q in questions):
            return size
    return 2
