"""What the page of a dataset version shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from feedback.datasets.folder import read_rows
from feedback.datasets.formats.registry import FORMATS
from feedback.datasets.words import FATES
from feedback.models import Campaign, DatasetVersion
from feedback.plots import stacked_bar
from feedback.services.dataset_files import open_file

JSON = Any
N_PREVIEWED = 5
LATE_SECONDS = 60
_LARGEST_SHARES = 3
_POLICY_WORDS = {
    "half": gettext_lazy("count one half for either side"),
    "drop": gettext_lazy("pairs of which it is the verdict are left out"),
    "drop_votes": gettext_lazy("such votes are left out"),
    "equal": gettext_lazy("all the same"),
    "votes": gettext_lazy("its number of votes"),
}


def version_context(version: DatasetVersion) -> dict[str, JSON]:
    counts = version.counts
    waits = version.status == DatasetVersion.Status.FREEZING
    seconds = int((timezone.now() - version.created_at).total_seconds())
    context = {
        "version": version,
        "dataset": version.dataset,
        "waits": waits,
        "seconds": seconds,
        "late": waits and not version.attempt and seconds > LATE_SECONDS,
        "facts": selection_facts(version.selection),
        "fates": fate_rows(counts),
        "bar": fates_bar(counts) if counts else "",
    }
    if version.status == DatasetVersion.Status.FROZEN:
        context |= {"formats": format_rows(counts), "preview": preview(version), "earlier": same_rows(version)}
        context["campaigns"] = Campaign.objects.filter(datasets=version.dataset_id).order_by("name")
    return context


def fate_rows(counts: Mapping[str, JSON]) -> list[tuple[str | Promise, int]]:
    """(words, judgements): exported first, then why the others are not."""
    if not counts:
        return []
    known = {"exported": counts["exported"], **counts["dropped"]}
    return [(words, known[fate]) for fate, words in FATES.items() if fate in known]


def fates_bar(counts: Mapping[str, JSON]) -> SafeString:
    """Exported and the largest reasons; the others together (a picture tells four shades apart, not twelve)."""
    rows = sorted(counts["dropped"].items(), key=lambda pair: -pair[1])
    parts = [(str(FATES["exported"]), counts["exported"])]
    shown = rows if len(rows) <= _LARGEST_SHARES else rows[: _LARGEST_SHARES - 1]
    parts += [(str(FATES[reason]), n) for reason, n in shown]
    if rest := sum(n for _reason, n in rows[len(shown) :]):
        parts.append((_("for other reasons"), rest))
    return stacked_bar(parts, title=_("Where the judgements went"))


def format_rows(counts: Mapping[str, JSON]) -> list[dict[str, JSON]]:
    return [
        {"format": format, "train": rows.get("train", 0), "test": rows.get("test", 0)}
        for format in FORMATS.values()
        if any((rows := (counts.get("rows") or {}).get(format.name) or {}).values())
    ]


def preview(version: DatasetVersion) -> Sequence[Mapping[str, JSON]]:
    """The first preferences, flattened for the page; [] when the files cannot be read now."""
    try:
        with open_file(version, "preference/train.parquet") as file:
            rows = list(islice(read_rows(file), N_PREVIEWED))
    except OSError:
        return []
    return [
        {
            **row,
            "prompt": row["prompt"][-1]["content"],
            "chosen": row["chosen"][-1]["content"],
            "rejected": row["rejected"][-1]["content"],
        }
        for row in rows
    ]


def same_rows(version: DatasetVersion) -> DatasetVersion | None:
    """An earlier version of this dataset with exactly the same rows."""
    others = version.dataset.versions.filter(sha256=version.sha256, number__lt=version.number)
    return others.order_by("number").first()


def selection_facts(selection: Mapping[str, JSON]) -> list[tuple[str, str]]:
    """(what, words) of a stored selection, for a list of facts."""

    def policy(name: str, default: str) -> str:
        return str(_POLICY_WORDS[selection.get(name, default)])

    return [
        (_("Questions"), ", ".join(selection.get("questions") or ()) or _("all")),
        (_("Raters"), ", ".join(selection.get("rater_kinds") or ()) or _("everyone admitted")),
        (_("Ties"), policy("ties", "half")),
        (_("Both bad"), policy("both_bad", "half")),
        (_("Raters a pair needs"), str(selection.get("min_raters", 1))),
        (_("A comparison weighs"), policy("weights", "equal")),
        (_("Held out"), f"{selection.get('test_fraction', 0):.0%}"),
        (_("Salt"), selection.get("salt") or "–"),
        (_("Licence"), selection.get("licence") or _("not stated")),
    ]
