"""The annotator's screen for questions that are not published yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.campaigns.builder.sample import SIZES, fitting_size, sample_content
from annotation.workbench.screen import Screen, Values, build_screen
from feedback.models import Campaign, FormVersion, Task
from feedback.questions.content import dump_content, read_content
from feedback.questions.form import Question

JSON = Any
MANY = 500
"""Tasks that the preview can leaf through."""


@dataclass(frozen=True)
class Preview:
    """screen: None when the questions do not hold together.  at: which of n tasks; n: 0 for a sample.

    size: responses of the sample.  refused: why the questions cannot be asked about this task.
    """

    screen: Screen | None
    at: int = 0
    n: int = 0
    size: int = 2
    refused: tuple[str, ...] = ()
    time_limit: int | None = None

    @property
    def number(self) -> int:
        return self.at + 1

    @property
    def sizes(self) -> tuple[int, ...]:
        return SIZES


def preview_questions(
    campaign: Campaign | None,
    raw: Sequence[Mapping[str, JSON]],
    *,
    at: int = 0,
    size: int | None = None,
    values: Values | None = None,
    time_limit: int | None = None,
) -> Preview:
    """raw: questions that `find_wrongs` finds nothing wrong with.  values: what was tried in the preview."""
    form = FormVersion(number=0, questions_raw=list(raw), time_limit=time_limit)
    guideline = campaign.guideline if campaign else None
    shared: dict[str, Any] = {"form": form, "guideline": guideline, "values": values or {}}
    n = min(MANY, campaign.tasks.exclude(status=Task.Status.WITHDRAWN)[:MANY].count()) if campaign else 0
    if n and campaign is not None:
        place = min(max(at, 0), n - 1)
        task = campaign.tasks.exclude(status=Task.Status.WITHDRAWN).order_by("pk")[place]
        if refused := _refusals(form.questions, task):
            return Preview(None, place, n, refused=refused, time_limit=time_limit)
        screen = build_screen(task=task, shown=task.content.ids, **shared)
        return Preview(screen, place, n, time_limit=time_limit)
    contents = {one: read_content(sample_content(one)) for one in SIZES}
    fitting = fitting_size(form.questions, contents, size)
    task = Task(content_raw=dump_content(contents[fitting]))
    if refused := _refusals(form.questions, task):
        return Preview(None, size=fitting, refused=refused, time_limit=time_limit)
    return Preview(build_screen(task=task, shown=task.content.ids, **shared), size=fitting, time_limit=time_limit)


def _refusals(questions: Sequence[Question], task: Task) -> tuple[str, ...]:
    found = {
        f"{question.spec.title}: {problem.message}"
        for question in questions
        for problem in question.kind.check_content(question.settings, task.content)
    }
    return tuple(sorted(found))
