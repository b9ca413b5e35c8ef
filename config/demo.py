"""The demo: two people, two campaigns, a dataset and a training run, so that a newcomer sees every page alive.

One campaign waits for votes.  The other was answered by verifiers on the spot; its preferences are frozen and wait for
the train extra.  Each step looks first for what an earlier, interrupted load has left, so that loading again adds
nothing and takes nothing away.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import Group, Permission
from django.db import transaction
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.campaigns.presets import PRESETS, questions_of
from annotation.programs import verify_campaign
from config.demo_guidelines import CHECKLIST_GUIDELINES, PAIRWISE_GUIDELINES
from feedback.models import Campaign, Dataset, DatasetVersion, Membership, User
from feedback.services.aggregation import aggregate_preferences
from feedback.services.campaigns import activate_campaign, create_campaign, set_role
from feedback.services.freezing import create_dataset, freeze_dataset
from feedback.services.importing import import_tasks
from training.models import Run
from training.services.runs import queue_run

PASSWORD = "touchstone-demo"  # noqa: S105  public: the demo is for a loopback address
FOLDER = Path(settings.BASE_DIR) / "feedback" / "demo"
GROUP = "Campaign managers"
DATASET = "Demo: follows instructions"
RUN = "Demo: reward model"
BASE_MODEL = {"kind": "tiny", "name": "tiny-llama"}
RUN_SETTINGS = {"epochs": 6, "batch_size": 4, "learning_rate": 1e-3, "max_length": 512}
"""For a tiny model that begins untrained: small batches, and a rate a pretrained model would not survive."""

Say = Callable[[str], object]


@dataclass(frozen=True)
class DemoCampaign:
    """One campaign of the demo, told apart by its name."""

    name: str
    description: str | Promise
    preset: str
    guidelines: str
    file: str


VOTES = DemoCampaign(
    "Demo: which answer helps more?",
    gettext_lazy("Two answers by a small model to everyday questions. They wait for your votes."),
    "pairwise-3",
    PAIRWISE_GUIDELINES,
    "pairwise.jsonl",
)
INSTRUCTIONS = DemoCampaign(
    "Demo: does it follow the instructions?",
    gettext_lazy("Requirements that a program can check, answered by verifiers; people may answer them too."),
    "checklist-task",
    CHECKLIST_GUIDELINES,
    "checklist.jsonl",
)


def load_demo(say: Say) -> None:
    """Make what is missing of the demo, step by step, and say what was done."""
    manager, annotator = _people()
    say(_("Accounts: manager and annotator, password %(password)s") % {"password": PASSWORD})
    for demo in (VOTES, INSTRUCTIONS):
        campaign = _campaign(demo, manager, annotator)
        say(_("Campaign “%(name)s”: %(n)d tasks") % {"name": campaign.name, "n": campaign.tasks.count()})
    with transaction.atomic():  # one commit, not one an answer
        verify_campaign(campaign)
    n_preferences = aggregate_preferences(campaign)
    say(_("Verifiers have answered: %(n)d preferences") % {"n": n_preferences})
    version = _dataset(campaign, manager)
    say(_("Dataset “%(name)s”, sha256 %(sha)s…") % {"name": version, "sha": version.sha256[:12]})
    run = _run(version, manager)
    say(_("Run “%(name)s” is %(status)s") % {"name": run.name, "status": run.get_status_display()})


@transaction.atomic
def _people() -> tuple[User, User]:
    """The manager may open campaigns; neither is staff.  A password that was changed stays changed."""
    group, _created = Group.objects.get_or_create(name=GROUP)
    group.permissions.add(Permission.objects.get(content_type__app_label="feedback", codename="add_campaign"))
    people = []
    for username, first_name in (("manager", "Mara"), ("annotator", "Anton")):
        user = User.objects.filter(username=username).first()
        if user is None:
            user = User.objects.create_user(username, password=PASSWORD, first_name=first_name)
        people.append(user)
    people[0].groups.add(group)
    return people[0], people[1]


@transaction.atomic
def _campaign(demo: DemoCampaign, manager: User, annotator: User) -> Campaign:
    """The campaign with its tasks and people, open.  One that is there is left as its people have made it."""
    found: Campaign | None = Campaign.objects.filter(name=demo.name, created_by=manager).first()
    if found is not None:
        return found
    campaign = create_campaign(
        actor=manager,
        name=demo.name,
        description=str(demo.description),
        questions=questions_of(PRESETS[demo.preset]),
        guidelines=demo.guidelines,
    )
    import_tasks(campaign, FOLDER / demo.file, "touchstone", actor=manager)
    set_role(campaign, annotator, Membership.Role.ANNOTATOR, actor=manager)
    activate_campaign(campaign, actor=manager)
    return campaign


def _dataset(campaign: Campaign, manager: User) -> DatasetVersion:
    dataset = Dataset.objects.filter(name=DATASET).first()
    if dataset is None:
        selection = {"campaigns": [str(campaign.pk)], "rater_kinds": ["verifier"]}
        dataset = create_dataset(name=DATASET, selection=selection, actor=manager)
    frozen = dataset.versions.filter(status=DatasetVersion.Status.FROZEN).order_by("number").first()
    return frozen or freeze_dataset(dataset, actor=manager)


def _run(version: DatasetVersion, manager: User) -> Run:
    """Queued; it starts when a worker of the queue `gpu` has the train extra."""
    found: Run | None = Run.objects.filter(name=RUN, dataset_version=version).first()
    return found or queue_run(
        dataset_version=version,
        recipe="reward",
        base_model=BASE_MODEL,
        settings=RUN_SETTINGS,
        seed=7,
        actor=manager,
        name=RUN,
    )
