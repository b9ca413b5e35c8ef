"""A batch of tasks ready to be stored → which are new, which known, which contradict what is there; then COPY.

What is known stays as it is: a task's content is immutable, and an imported judgement is never revised by a file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from feedback.importing.model_names import names_model
from feedback.importing.report import ImportReport
from feedback.importing.rows import RowError, excerpt
from feedback.models import Campaign, Judgement, Rater, Task
from feedback.services.copying import Encoded, copy_rows, reserve_ids
from feedback.services.import_rows import ReadyJudgement, ReadyTask
from feedback.services.priorities import notice_priorities

Identity = tuple[str, str]
Spoken = dict[tuple[int, int], str]
"""(task id, rater id) → body hash of the rater's current judgement."""
UPDATE_CHUNK = 5000


class BatchWriter:
    """Writes the batches of one import, in its transaction, and keeps the report."""

    def __init__(self, campaign: Campaign, report: ImportReport) -> None:
        self.campaign, self.report = campaign, report
        self._raters: dict[str, int] = {}
        self._spoken_anew: set[int] = set()
        self._has_priorities = False

    def write(self, ready: Sequence[ReadyTask]) -> None:
        known = self._known(ready)
        self._meet_raters(ready)
        spoken = self._spoken([id for id, _hash in known.values()])
        fresh = {task.identity for task in ready} - known.keys()
        ids = iter(reserve_ids(Task, len(fresh)))
        tasks: list[tuple[int, ReadyTask]] = []
        judgements: list[tuple[int, ReadyTask, ReadyJudgement]] = []
        for task in ready:
            found = known.get(task.identity)
            if error := self._contradiction(task, found, spoken):
                self.report.refuse(error)
                continue
            self.report.n_tasks_known += found is not None
            if found is None:
                found = known[task.identity] = (next(ids), task.content_hash)
                tasks.append((found[0], task))
            new = list(self._new_judgements(task, found[0], spoken))
            self.report.n_judgements_known += len(task.judgements) - len(new)
            judgements += [(found[0], task, told) for told in new]
            self.report.take(task.task)
        self._copy(tasks, judgements)

    def finish(self) -> None:
        """Known tasks that got a judgement are to be aggregated again; last, to hold their locks only briefly."""
        if self._has_priorities and not self.campaign.has_priorities:
            notice_priorities(self.campaign)
        touched = sorted(self._spoken_anew)
        for start in range(0, len(touched), UPDATE_CHUNK):
            Task.objects.filter(pk__in=touched[start : start + UPDATE_CHUNK]).update(needs_aggregation=True)

    def _known(self, ready: Sequence[ReadyTask]) -> dict[Identity, tuple[int, str]]:
        identities = [task.identity for task in ready]
        named = Q(external_id__in=[external_id for external_id, _hash in identities if external_id])
        unnamed = Q(external_id="", content_hash__in=[hash for external_id, hash in identities if not external_id])
        rows = self.campaign.tasks.filter(named | unnamed).values_list("id", "external_id", "content_hash")
        return {(name, "" if name else hash): (id, hash) for id, name, hash in rows}

    def _meet_raters(self, ready: Sequence[ReadyTask]) -> None:
        for name in sorted({self._name(told) for task in ready for told in task.judgements} - self._raters.keys()):
            rater, _created = Rater.objects.get_or_create(
                kind=Rater.Kind.IMPORTED, source=self.report.source, name=name, version=""
            )
            self._raters[name] = rater.pk
            self.report.raters.add(name)

    def _name(self, judgement: ReadyJudgement) -> str:
        return judgement.rater or self.report.source

    def _spoken(self, task_ids: Sequence[int]) -> Spoken:
        rows = (
            Judgement.objects.current()
            .filter(task_id__in=task_ids, rater_id__in=self._raters.values())
            .values_list("task_id", "rater_id", "body_hash")
        )
        return {(task, rater): body_hash for task, rater, body_hash in rows}

    def _contradiction(self, task: ReadyTask, found: tuple[int, str] | None, spoken: Spoken) -> RowError | None:
        if found is None:
            return None
        id, content_hash = found
        if content_hash != task.content_hash:
            reason = _("There is another task with this identity, whose content differs; tasks are never rewritten.")
            return RowError(task.number, "external_id", reason, excerpt(task.task.external_id))
        for told in task.judgements:
            name = self._name(told)
            if spoken.get((id, self._raters[name]), told.body_hash) != told.body_hash:
                reason = _("“%(rater)s” has judged this task otherwise; a second opinion needs another source.")
                return RowError(task.number, "judgements", reason % {"rater": excerpt(name)})
        return None

    def _new_judgements(self, task: ReadyTask, id: int, spoken: Spoken) -> Iterator[ReadyJudgement]:
        for told in task.judgements:
            seat = (id, self._raters[self._name(told)])
            if seat not in spoken:
                spoken[seat] = told.body_hash
                yield told

    def _copy(
        self, tasks: Sequence[tuple[int, ReadyTask]], judgements: Sequence[tuple[int, ReadyTask, ReadyJudgement]]
    ) -> None:
        now = timezone.now()
        self._has_priorities |= any(task.task.priority for _id, task in tasks)
        new, judged = {id for id, _task in tasks}, {id for id, _task, _told in judgements}
        copy_rows(Task, (self._task_row(id, task, now, stale=id in judged) for id, task in tasks))
        ids = reserve_ids(Judgement, len(judgements))
        rows = (self._judgement_row(id, *entry, now) for id, entry in zip(ids, judgements, strict=True))
        copy_rows(Judgement, rows)
        self._spoken_anew |= judged - new
        self.report.n_tasks_added += len(tasks)
        self.report.n_judgements_added += len(judgements)

    def _task_row(self, id: int, ready: ReadyTask, now: datetime, *, stale: bool) -> dict[str, Any]:
        return {
            "id": id,
            "campaign_id": self.campaign.pk,
            "external_id": ready.task.external_id,
            "content_hash": ready.content_hash,
            "prompt_hash": ready.prompt_hash,
            "content_raw": Encoded(ready.content_json),
            "metadata": ready.task.metadata,
            "names_model": any(names_model(response.text) for response in ready.task.content.responses),
            "gold": ready.task.gold,
            "overlap": self.campaign.overlap,
            "priority": ready.task.priority,
            "needs_aggregation": stale,
            "created_at": now,
        }

    def _judgement_row(
        self, id: int, task_id: int, ready: ReadyTask, told: ReadyJudgement, now: datetime
    ) -> dict[str, Any]:
        """key: the row's identity within the campaign, since a rater's keys are unique everywhere."""
        row = f"{self.campaign.pk} {ready.identity}"
        return {
            "id": id,
            "campaign_id": self.campaign.pk,
            "task_id": task_id,
            "rater_id": self._raters[self._name(told)],
            "form_id": self.campaign.form_id,
            "guideline_id": self.campaign.guideline_id,
            "answers": told.answers,
            "shown": list(told.shown),
            "seconds": told.seconds,
            "key": f"import:{self.report.layout}:{hashlib.sha256(row.encode()).hexdigest()[:40]}",
            "body_hash": told.body_hash,
            "created_at": now,
        }
