from django.db import models

from feedback.models import Campaign
from training.models.jobs import Job
from training.models.runs import Checkpoint


class Round(Job):
    """One turn of the loop: a promoted reward model ranks fresh responses and opens the next campaign.

    source: `{"kind": "file", "path": …}` or `{"kind": "sample", "base_model": …, "prompts": …, "k": …}`.
    report: `{"prompts", "responses", "pairs", "selected", …}`; scores and selection probabilities lie in the directory.
    """

    name = models.CharField(max_length=200)
    checkpoint = models.ForeignKey(Checkpoint, on_delete=models.PROTECT, related_name="rounds")
    parent = models.ForeignKey(Campaign, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    campaign = models.OneToOneField(
        Campaign, null=True, blank=True, on_delete=models.PROTECT, related_name="opened_by_round"
    )
    source = models.JSONField()
    n_pairs = models.PositiveIntegerField(default=20)
    directory = models.CharField(max_length=400, blank=True)
    report = models.JSONField(default=dict, blank=True)

    def __str__(self) -> str:
        return self.name
