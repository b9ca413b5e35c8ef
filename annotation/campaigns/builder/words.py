"""What the settings are called on the manager's screen.  A setting without words here is shown by its own name."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Words = str | Promise

LABELS: dict[str, tuple[Words, Words]] = {
    # pairwise
    "points": (
        _("Points of the scale"),
        _("2: A or B. 3: with a tie. 5 and 7: two or three strengths on either side."),
    ),
    "allow_tie": (_("Tie"), ""),
    "allow_both_bad": (_("Offer “both are bad”"), ""),
    "allow_cannot_tell": (_("Offer “cannot tell”"), ""),
    "strength_labels": (_("Words for the strengths"), _("From the slightest to the strongest.")),
    "tie_label": (_("Words for a tie"), ""),
    "both_bad_label": (_("Words for “both are bad”"), ""),
    "cannot_tell_label": (_("Words for “cannot tell”"), ""),
    # ranking
    "allow_ties": (_("Responses may share a place"), ""),
    "best_label": (_("Words for the best end"), ""),
    "worst_label": (_("Words for the worst end"), ""),
    # rating
    "scale": (_("Scale"), ""),
    "low": (_("Lowest score"), _("Thumbs are always 0 and 1.")),
    "high": (_("Highest score"), ""),
    "attributes": (_("What is scored"), _("Each gets a score of its own.")),
    "anchors": (_("What scores mean"), _("A score and its words; at least the ends.")),
    "allow_na": (_("Offer “n. a.”"), _("Not applicable.")),
    # critique
    "about": (_("About"), ""),
    "text": (_("A text"), ""),
    "spans": (_("Marked spans"), ""),
    "revision": (_("A revised response"), ""),
    "categories": (_("Categories of spans"), _("None: spans are only marked.")),
    "severities": (_("Severities of spans"), ""),
    "span_notes": (_("A note on each span"), ""),
    "max_spans": (_("Spans at most"), _("In one response.")),
    "text_label": (_("Words over the text"), ""),
    "revision_label": (_("Words over the revision"), ""),
    # checklist
    "criteria": (_("Requirements"), _("Each is answered yes or no, for every response.")),
    "from_task": (_("Tasks bring their own requirements too"), _("As criteria in the file.")),
    "allow_unsure": (_("Offer “unsure”"), ""),
    "notes": (_("Notes on each answer"), ""),
    "ask_verified": (_("Ask people also what a verifier answers"), ""),
    "weight": (_("Weight"), _("In the response's total score.")),
    "verifier": (_("Answered by a verifier"), _("A program that answers at once.")),
    "params": (_("What it checks"), ""),
    # steps
    "mode": (_("What is asked"), ""),
    "neutral": (_("Offer “neutral”"), _("When each step is labelled.")),
    "correct_label": (_("Words for a correct step"), ""),
    "neutral_label": (_("Words for a neutral step"), ""),
    "wrong_label": (_("Words for a wrong step"), ""),
}

ROW_LABELS: dict[str, tuple[Words, Words]] = {
    "text": (_("Text"), ""),
    "help": (_("Explanation"), ""),
    "key": (_("Key"), _("Its name in exports and in the API. Empty: made from the text.")),
}
"""Within a row, where the same name means another thing."""

OPTIONS: dict[tuple[str, str], Words] = {
    ("scale", "likert"): _("points"),
    ("scale", "thumbs"): _("thumbs"),
    ("scale", "slider"): _("slider"),
    ("about", "response"): _("each response"),
    ("about", "task"): _("the task as a whole"),
    ("mode", "each"): _("a label for each step"),
    ("mode", "first_error"): _("the first wrong step"),
    ("verifier", ""): _("people only"),
    **{
        (name, value): words
        for name in ("text", "spans", "revision")
        for value, words in (("off", _("no")), ("optional", _("optional")), ("required", _("required")))
    },
}

ONE_ROW: dict[str, Words] = {
    "attributes": _("Add an attribute"),
    "categories": _("Add a category"),
    "severities": _("Add a severity"),
    "criteria": _("Add a requirement"),
    "anchors": _("Add a score's words"),
    "strength_labels": _("Add words for a strength"),
}


def label_of(name: str, *, in_row: bool) -> tuple[Words, Words]:
    """(label, help) of a setting."""
    if in_row and name in ROW_LABELS:
        return ROW_LABELS[name]
    return LABELS.get(name, (name.replace("_", " ").capitalize(), ""))


def option_of(name: str, value: object) -> Words:
    return OPTIONS.get((name, str(value)), str(value))
