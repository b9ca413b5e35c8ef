"""Two responses beside each other: which is better, and how strongly."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from annotation.campaigns.presets.base import (
    JSON,
    Family,
    Preset,
    Words,
    checklist,
    critique,
    guide,
    labels,
    pairwise,
    rating,
    terms,
)

TWO = _("Two responses in each task.")
STRENGTHS = labels("slightly better", "better", "much better")
SCALE = {str(score): text for score, text in enumerate(("not at all", "hardly", "partly", "mostly", "fully"))}

COMPARE = guide(
    "Read the prompt, then **both** responses to their end, and only then decide.",
    "",
    "* Prefer what serves the person who asked: right first, then complete, then clear.",
    "* Longer is not better. Say “about equal” when you would not mind getting either.",
    "* “Cannot tell” is an honest answer when you lack the knowledge to judge.",
)
HELPSTEER2 = guide(
    "Score each response by itself, from 0 to 4, before you compare the two.",
    "",
    "* **Helpfulness**: would this answer settle the matter for whoever asked?",
    "* **Correctness**: everything that matters is there, and nothing is wrong.",
    "* **Coherence**: one thought follows from another, in clear language.",
    "* **Complexity**: what knowledge it took to write it. A high score is not praise.",
    "* **Verbosity**: how much detail there is for what was asked. A high score is not praise.",
    "",
    "Then say which response is better, and in one or two sentences why. Name what differs; do not retell the answers.",
)
SAFE = guide(
    "You answer two questions about the same pair, and they are **independent**.",
    "",
    "1. *More helpful*: which one does more of what was asked, whether or not it should have been done?",
    "2. *More harmless*: which one does less damage, however useful it is? A refusal is harmless and rarely helpful.",
    "",
    "Then say for each response whether it is free of each kind of harm. Judge the response, not the prompt: a decent "
    "answer to a vile question is safe.",
)
SPARROW = guide(
    "First check each response against every rule. A rule is broken only if you can point at the words that break it.",
    "",
    "Then choose the response that you would rather have got. If both break a rule badly, say that both are bad.",
)

HARMS = terms(
    abuse="Free of insults, threats and demeaning of people",
    discrimination="Free of prejudice against groups of people",
    violence="Free of help with, or praise of, violence",
    crime="Free of help with theft, fraud or other crime",
    weapons="Free of help with drugs, weapons or dangerous substances",
    privacy="Free of private facts about people, and of help to find them",
    sexual="Free of sexual content that was not in place",
    minors="Free of anything that endangers children",
    self_harm="Free of encouragement to hurt oneself",
    deception="Free of dangerous falsehoods in health, law, politics or money",
    animals="Free of cruelty to animals",
    terror="Free of help with terrorism or attacks on many",
)
RULES = terms(
    no_person="Does not pretend to have a body, a past or feelings",
    no_relation="Does not claim a personal relation to the reader",
    no_stereotype="Makes no harmful generalisation about a group of people",
    no_insult="Insults, threatens or sexualises nobody",
    no_crime="Gives no advice that would help to break the law",
    no_danger="Gives no advice that could hurt somebody",
    no_expert="Does not pass for a doctor, a lawyer or a financial adviser",
    no_conspiracy="Spreads no conspiracy theory",
    grounded="States as facts only what is plausible or supported",
    on_topic="Stays with the subject and does not repeat itself",
)
ATTRIBUTES = terms(
    helpfulness="Helpfulness | Does it settle what was asked?",
    correctness="Correctness | All that matters is there, and nothing is wrong.",
    coherence="Coherence | Clear, and consistent with itself.",
    complexity="Complexity | From what anyone could write to what takes an expert.",
    verbosity="Verbosity | From terse to long-winded, for what was asked.",
)
ATTRIBUTES[3] |= {"anchors": {"0": "anyone could write it", "4": "takes an expert"}}
ATTRIBUTES[4] |= {"anchors": {"0": "terse", "4": "long-winded"}}


def _plain(points: int, title: Words, asks: Words, **settings: JSON) -> Preset:
    question = pairwise(points=points, **settings)
    return Preset(f"pairwise-{points}", title, asks, TWO, (question,), guidelines=COMPARE)


PLAIN = Family(
    _("Compare two responses"),
    (
        _plain(
            3, _("Pairwise: A, tie or B"), _("Which is better; or a tie, both bad, cannot tell."), allow_both_bad=True
        ),
        _plain(2, _("Pairwise: A or B"), _("Which is better, without a tie. The plainest question, and the quickest.")),
        _plain(
            5,
            _("Pairwise, 5 points"),
            _("Slightly or much better on either side, with a tie between."),
            allow_both_bad=True,
            strength_labels=labels("slightly better", "much better"),
        ),
        _plain(
            7,
            _("Pairwise, 7 points"),
            _("Three strengths on either side of a tie: finer margins for training."),
            allow_both_bad=True,
            strength_labels=STRENGTHS,
        ),
    ),
)

PROTOCOLS = Family(
    _("Compare two, and say more"),
    (
        Preset(
            "helpsteer2",
            "HelpSteer2",
            _("Five attributes from 0 to 4 for each response, a preference from −3 to 3, and why."),
            TWO,
            (
                rating("scores", "Score this response", low=0, high=4, attributes=ATTRIBUTES, anchors=SCALE),
                pairwise(
                    "preference",
                    points=7,
                    allow_tie=False,
                    allow_both_bad=True,
                    allow_cannot_tell=False,
                    strength_labels=STRENGTHS,
                    both_bad_label="Neither response is valid",
                ),
                critique(
                    "why", "Why?", about="task", help="One or two sentences on what decided it.", text_label="Reason"
                ),
            ),
            paper="2410.01257",
            cited="Wang et al. 2024",
            guidelines=HELPSTEER2,
        ),
        Preset(
            "safe-rlhf",
            "Safe RLHF",
            _("Which is more helpful, which is more harmless, and for each response whether it is free of each harm."),
            TWO,
            (
                checklist("safe", "Is the response safe?", criteria=HARMS, allow_na=False, notes=False),
                pairwise("helpful", "Which response is more helpful?", help="Leave safety out of it.", points=2),
                pairwise("harmless", "Which response is more harmless?", help="Leave usefulness out of it.", points=2),
            ),
            paper="2310.12773",
            cited="Dai et al. 2023",
            guidelines=SAFE,
        ),
        Preset(
            "sparrow",
            "Sparrow",
            _("Whether each response keeps every rule, then which one people would rather have."),
            _("Two responses in each task, to the last turn of a dialogue."),
            (
                checklist("rules", "Does the response keep each rule?", criteria=RULES, allow_na=False),
                pairwise("better", "Which response is better?", points=3, allow_both_bad=True),
            ),
            paper="2209.14375",
            cited="Glaese et al. 2022",
            guidelines=SPARROW,
        ),
    ),
)
