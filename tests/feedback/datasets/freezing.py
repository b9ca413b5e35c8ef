"""Campaigns to freeze, and what came of it."""

import random
from pathlib import Path

from django.conf import settings

from feedback.datasets.folder import read_rows
from feedback.importing.layouts.base import PAIRWISE_FORM
from feedback.services.campaigns import create_campaign
from feedback.services.freezing import create_dataset
from feedback.services.importing import import_tasks


def open_campaign(name="asked", questions=PAIRWISE_FORM):
    return create_campaign(actor=None, name=name, questions=questions)


def dataset_of(*campaigns, name="pairs", **policies):
    selection = {"campaigns": [str(campaign.pk) for campaign in campaigns], **policies}
    return create_dataset(name=name, selection=selection, actor=None)


def rows_of(version, format="group"):
    folder = Path(settings.MEDIA_ROOT) / version.path
    return {split: list(read_rows(folder / format / f"{split}.parquet")) for split in ("train", "test")}


def all_rows(version, format="group"):
    found = rows_of(version, format)
    return found["train"] + found["test"]


def reconciles(counts):
    return counts["judgements"] == counts["exported"] + sum(counts["dropped"].values())


def imported(name, rows, seed):
    """The same rows in another order, into a campaign with other primary keys."""
    rows = list(rows)
    random.Random(seed).shuffle(rows)
    campaign = open_campaign(name)
    import_tasks(campaign, rows, actor=None)
    return campaign
