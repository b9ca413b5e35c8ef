"""Let a judge answer the tasks of a campaign: `manage.py judge_tasks JUDGE_ID CAMPAIGN_ID --limit 100`."""

from __future__ import annotations

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.db.models import Count, Q, QuerySet, Sum
from django.utils import timezone

from annotation.judges.calls import Send
from annotation.judges.exceptions import JudgeError
from annotation.judges.judging import ask_again, judge_task
from annotation.judges.limiter import Limiter
from annotation.judges.sending import limited_by
from annotation.models import Judge, JudgeCall, Judging
from feedback.models import Campaign, Task


class Command(BaseCommand):
    help = "Ask a judge about the tasks of a campaign that it has not answered; again goes on where it ended."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("judge", help="its id, or its name for the latest version")
        parser.add_argument("campaign")
        parser.add_argument("--limit", type=int, help="tasks, by number; default: all")
        parser.add_argument("--at-once", type=int, default=8, help="tasks that this process works on at the same time")
        parser.add_argument("--again", action="store_true", help="also what ended absent before")
        parser.add_argument("--wait", type=float, default=600.0, help="seconds to wait for failures that may pass")

    def handle(self, *args: Any, **options: Any) -> None:
        judge, campaign = _judge_named(str(options["judge"])), _campaign(options["campaign"])
        if options["again"]:
            self.stdout.write(f"{ask_again(judge, campaign)} absent tasks are asked again")
        send = limited_by(Limiter(judge.endpoint, judge.model))
        until = time.monotonic() + options["wait"]
        while True:
            tasks = list(_due(judge, campaign, options["limit"]))
            try:
                with ThreadPoolExecutor(max(1, options["at_once"])) as pool:
                    list(pool.map(lambda task: _judge(judge, task, send), tasks))
            except JudgeError as error:
                message = f"Stopped, and nothing is lost: {error.reason}"
                raise CommandError(message) from None
            if not _pending(judge, campaign, options["limit"]).exists() or time.monotonic() > until:
                break
            time.sleep(0.2)
        self._report(judge, campaign)

    def _report(self, judge: Judge, campaign: Campaign) -> None:
        judgings = Judging.objects.filter(judge=judge, task__campaign=campaign)
        states = dict(judgings.values_list("status").annotate(n=Count("pk")).order_by())
        self.stdout.write(", ".join(f"{states.get(state, 0)} {state}" for state in ("judged", "absent", "pending")))
        reasons = Counter(reason for row in judgings.exclude(status="judged") for reason in row.reasons.values())
        for reason, n in reasons.most_common(10):
            self.stdout.write(f"  {n} x {reason}")
        calls = JudgeCall.objects.filter(judging__in=judgings)
        sums = calls.aggregate(sent=Sum("prompt_tokens"), got=Sum("completion_tokens"), cost=Sum("cost"))
        unknown = calls.filter(status="unknown").count()
        self.stdout.write(
            f"{calls.count()} calls ({unknown} of unknown end), {sums['sent'] or 0} + {sums['got'] or 0} tokens, "
            f"cost {sums['cost'] or 0:.4f}"
        )


def _judge_named(name: str) -> Judge:
    judges = Judge.objects.select_related("rater", "endpoint").order_by("-number")
    found: Judge | None = judges.filter(pk=int(name)).first() if name.isdecimal() else None
    found = found or judges.filter(name=name).first()
    if found is None:
        known = ", ".join(f"{one} (id {one.pk})" for one in judges[:20]) or "none; make one with add_judge"
        message = f"There is no judge {name}. Known: {known}."
        raise CommandError(message)
    return found


def _campaign(id: str) -> Campaign:
    try:
        found: Campaign | None = Campaign.objects.filter(pk=id).first()
    except ValidationError:
        found = None
    if found is None:
        message = f"There is no campaign {id}."
        raise CommandError(message)
    return found


def _first(campaign: Campaign, limit: int | None) -> QuerySet[Task]:
    return campaign.tasks.open().order_by("pk")[:limit]


def _pending(judge: Judge, campaign: Campaign, limit: int | None) -> QuerySet[Judging]:
    first = _first(campaign, limit).values("pk")
    return Judging.objects.filter(judge=judge, task__in=first, form=campaign.form, status="pending")


def _due(judge: Judge, campaign: Campaign, limit: int | None) -> QuerySet[Task]:
    """The first tasks by number, less those that are settled or wait for their time."""
    mine = Judging.objects.filter(judge=judge, form=campaign.form)
    settled = mine.exclude(status="pending").values("task")
    waiting = mine.filter(Q(not_before__gt=timezone.now()), status="pending").values("task")
    due = (
        Task.objects.filter(pk__in=_first(campaign, limit).values("pk")).exclude(pk__in=settled).exclude(pk__in=waiting)
    )
    return due.select_related("campaign__form", "campaign__guideline").order_by("pk")


def _judge(judge: Judge, task: Task, send: Send) -> None:
    try:
        judge_task(judge, task, send=send)
    finally:
        connection.close()
