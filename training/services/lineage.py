"""Where something came from and what came of it: campaign → dataset → run → model → round → campaign."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Model, QuerySet
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from feedback.access import managed_campaigns
from feedback.models import Campaign, DatasetVersion, User
from training.access import visible_rounds, visible_runs, visible_versions
from training.models import Checkpoint, Round, Run

MOST = 6


@dataclass(frozen=True)
class Node:
    """One thing on the way.  `here`: the page it is shown on."""

    title: str
    url: str
    status: str = ""
    words: str | Promise = ""
    here: bool = False


@dataclass(frozen=True)
class Stage:
    """Things of one kind that stand at the same place of the way; `n_more` are not shown."""

    kind: str | Promise
    nodes: tuple[Node, ...]
    n_more: int = 0


def lineage_of(target: Campaign | Run | Round, user: User) -> list[Stage]:
    """The stages before and after `target` that the person may see, in order.  Empty stages are left out."""
    if isinstance(target, Campaign):
        stages = [*_before_campaign(target, user), *_from_campaigns([target], user, here=target)]
    else:
        run = target.checkpoint.run if isinstance(target, Round) else target
        stages = [*_before_run(run, user), *_from_runs(Run.objects.filter(pk=run.pk), user, here=target)]
    return [stage for stage in stages if stage.nodes]


def _before_campaign(campaign: Campaign, user: User) -> list[Stage]:
    round = visible_rounds(user).filter(campaign=campaign).first()
    if round is None:
        return []
    checkpoint = round.checkpoint
    return [
        *_before_run(checkpoint.run, user),
        _runs([checkpoint.run], None),
        _checkpoints([checkpoint]),
        _rounds([round], None),
    ]


def _before_run(run: Run, user: User) -> list[Stage]:
    version = run.dataset_version
    campaigns = managed_campaigns(user).filter(datasets=version.dataset_id)
    return [_campaigns(campaigns, None), _versions([version])]


def _from_campaigns(campaigns: Iterable[Campaign], user: User, here: Model | None) -> list[Stage]:
    versions = visible_versions(user).filter(dataset__campaigns__in=[campaign.pk for campaign in campaigns])
    runs = visible_runs(user).filter(dataset_version__in=versions)
    return [_campaigns(campaigns, here), _versions(versions), *_from_runs(runs, user, here)]


def _from_runs(runs: QuerySet[Run], user: User, here: Model | None) -> list[Stage]:
    checkpoints = Checkpoint.objects.filter(run__in=runs).select_related("run", "rater")
    rounds = visible_rounds(user).filter(checkpoint__in=checkpoints)
    opened = managed_campaigns(user).filter(opened_by_round__in=rounds)
    return [_runs(runs, here), _checkpoints(checkpoints), _rounds(rounds, here), _campaigns(opened, None)]


def _stage(kind: Promise, found: Iterable[Any], node: Any) -> Stage:
    everything = list(found)
    return Stage(kind, tuple(node(entry) for entry in everything[:MOST]), max(0, len(everything) - MOST))


def _campaigns(found: Iterable[Campaign], here: Model | None) -> Stage:
    return _stage(
        _("Campaign"),
        found,
        lambda c: Node(
            c.name, reverse("annotation:campaign-detail", args=[c.pk]), c.status, c.get_status_display(), c == here
        ),
    )


def _versions(found: Iterable[DatasetVersion]) -> Stage:
    return _stage(_("Dataset"), found, lambda v: Node(str(v), reverse("feedback:dataset-version", args=[v.pk])))


def _runs(found: Iterable[Run], here: Model | None) -> Stage:
    return _stage(
        _("Run"),
        found,
        lambda r: Node(
            r.name or r.recipe, reverse("training:run-detail", args=[r.pk]), r.status, r.get_status_display(), r == here
        ),
    )


def _checkpoints(found: Iterable[Checkpoint]) -> Stage:
    return _stage(
        _("Model"),
        found,
        lambda c: Node(
            c.sha256[:12],
            reverse("training:run-detail", args=[c.run_id]) + "#checkpoint",
            "promoted" if c.rater_id else "",
            _("promoted") if c.rater_id else "",
        ),
    )


def _rounds(found: Iterable[Round], here: Model | None) -> Stage:
    return _stage(
        _("Round"),
        found,
        lambda r: Node(
            r.name, reverse("training:round-detail", args=[r.pk]), r.status, r.get_status_display(), r == here
        ),
    )
