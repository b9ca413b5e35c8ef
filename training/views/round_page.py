"""What the page of one round shows, gathered for its template."""

from __future__ import annotations

import hashlib
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from feedback.models import User
from feedback.plots import bar_chart
from training.models import Round
from training.services.lineage import lineage_of
from training.services.round_agreement import agreement_with_people
from training.services.selection import BINS
from training.services.train_extra import train_extra
from training.views.wording import progress_words, time_taken

MOST_SHOWN = 50


def live_etag(round: Round) -> str:
    """Changes whenever the page would."""
    extra = train_extra() if round.status == Round.Status.QUEUED else None
    seen = (round.status, round.attempt, round.progress, round.log_tail, round.error, round.cancel_requested_at, extra)
    return '"' + hashlib.sha256(repr(seen).encode()).hexdigest()[:24] + '"'


def live_context(round: Round, user: User) -> dict[str, Any]:
    return {
        "round": round,
        "stages": lineage_of(round, user),
        "extra": train_extra() if round.status == Round.Status.QUEUED else None,
        "progress": progress_words(round.progress),
        "took": time_taken(round),
        "plots": sureness_plots(round),
        "pairs": chosen_pairs(round),
        "agreement": [
            (_("Pairs the model was least sure of"), agreement_with_people(round, "unsure")),
            (_("Pairs drawn at random"), agreement_with_people(round, "random")),
        ],
    }


def sureness_plots(round: Round) -> list[SafeString]:
    """How sure the model was, over all pairs and over the chosen ones."""
    counts = round.report.get("sureness")
    if not counts:
        return []
    labels = [f"{0.5 + 0.5 * n / BINS:.2f}" for n in range(BINS)]
    titles = {"all": _("How sure the model is, all pairs"), "selected": _("How sure the model is, chosen pairs")}
    return [
        bar_chart(
            dict(zip(labels, map(float, counts[key]), strict=True)),
            title=title,
            x_label=_("probability of the response it prefers, from"),
            y_label=_("pairs"),
            height=220,
        )
        for key, title in titles.items()
    ]


def chosen_pairs(round: Round) -> list[dict[str, Any]]:
    """The first chosen pairs, least sure first, as the manager's table shows them."""
    if round.campaign is None:
        return []
    tasks = sorted(round.campaign.tasks.all(), key=lambda task: abs(task.metadata["reward"]["probability"] - 0.5))
    return [
        {
            "prompt": task.content.prompt[-1].content,
            "responses": [(r.text, task.metadata["reward"]["scores"][r.id]) for r in task.content.responses],
            "probability": task.metadata["reward"]["probability"],
            "how": task.metadata["selection"]["how"],
            "selection_probability": task.metadata["selection"]["probability"],
        }
        for task in tasks[:MOST_SHOWN]
    ]
