"""Requirements, answered yes or no."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from annotation.campaigns.presets.base import Family, Preset, checklist, guide, terms

CHECK = guide(
    "Answer each requirement by itself, yes or no, for every response.",
    "",
    "* Half kept is not kept: answer no, and say in the note what is missing.",
    "* “N. a.” is for a requirement that does not concern this task; “unsure” if you cannot find out.",
)

CHECKING = Family(
    _("Check against requirements"),
    (
        Preset(
            "checklist-task",
            _("Checklist from each task"),
            _("Every task's own requirements, yes or no. Those that name a verifier are answered at once, by program."),
            _("Requirements of its own in each task, as IFEval and FollowBench have them."),
            (checklist("rules", "Does the response keep each requirement?", from_task=True),),
            paper="2311.07911",
            cited="Zhou et al. 2023 (IFEval)",
            guidelines=CHECK,
        ),
        Preset(
            "checklist-campaign",
            _("Checklist of your own"),
            _("The same requirements for every task, which you list next; some can be given to a verifier."),
            _("One response in each task, or several."),
            (
                checklist(
                    "rules",
                    "Does the response keep each requirement?",
                    criteria=terms(
                        asked="Does what was asked", true="Says nothing that is untrue", clear="Is easy to understand"
                    ),
                ),
            ),
            guidelines=CHECK,
        ),
    ),
)
