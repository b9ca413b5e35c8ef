"""The words for where judgements went, in the order in which they are shown."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

FATES: Mapping[str, str | Promise] = {
    "exported": _("exported"),
    "superseded": _("revised later by the same rater"),
    "surplus": _("came after the last seat was filled"),
    "withdrawn_task": _("its task was withdrawn"),
    "gold": _("its task is gold: it measures raters"),
    "rater_kind": _("its kind of rater is not selected"),
    "not_admitted": _("its rater is not admitted"),
    "no_answer": _("answered none of the selected questions"),
    "no_weight": _("its rater weighs nothing"),
    "cannot_tell": _("could not tell"),
    "tie_vote": _("said it is a tie (such votes are left out)"),
    "both_bad_vote": _("said both are bad (such votes are left out)"),
    "nothing_to_compare": _("leads to no comparison"),
    "too_few_raters": _("its pair has too few raters"),
    "identical_responses": _("its two responses are identical"),
    "tie": _("its pair is a tie (such pairs are left out)"),
    "both_bad": _("both responses are bad (such pairs are left out)"),
}
