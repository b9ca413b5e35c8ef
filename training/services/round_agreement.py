"""How often people agree with the reward model about the pairs it asked them about."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import QuerySet

from feedback.models import Campaign, Task
from training.models import Round


@dataclass(frozen=True)
class RoundAgreement:
    """n: pairs on which people decided and the model did too.  agreed: people prefer what the model prefers."""

    n: int
    agreed: int

    @property
    def share(self) -> float | None:
        return self.agreed / self.n if self.n else None


def agreement_with_people(round: Round, how: str) -> RoundAgreement:
    """Over pairs chosen as `how` (unsure, random), by the consensus of admitted raters; ties are left out."""
    if round.campaign is None:
        return RoundAgreement(0, 0)
    pairs = []
    for task in _judged(round.campaign, how):
        preference = task.preferences.all()[0]
        leans = task.metadata["reward"]["probability"] - 0.5
        lean = leans if preference.first == "r1" else -leans
        if preference.probability != 0.5 and lean:
            pairs.append((preference.probability > 0.5) == (lean > 0))
    return RoundAgreement(len(pairs), sum(pairs))


def _judged(campaign: Campaign, how: str) -> QuerySet[Task]:
    tasks: QuerySet[Task] = campaign.tasks.filter(metadata__selection__how=how, preferences__isnull=False)
    return tasks.prefetch_related("preferences").distinct()
