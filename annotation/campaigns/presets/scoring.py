"""Responses one by one or several in order: scores, thumbs, rankings."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from annotation.campaigns.presets.base import Family, Preset, guide, ranking, rating, terms

ONE = _("One response in each task, or several.")
FIVE = {"1": "poor", "5": "excellent"}

RATE = guide(
    "Score every response on its own merits; do not compare it with the others.",
    "",
    "* Use the whole scale. The middle is for what is truly in the middle.",
    "* Judge each attribute by itself: a wrong answer can be well written.",
)
RANK = guide(
    "Put the responses in order, the best first. Those that you cannot tell apart share a place.",
    "",
    "* Read all of them before you place the first.",
    "* Compare neighbours at the end: would you really rather have the upper one?",
)
INSTRUCTGPT = guide(
    "First give every response a score from 1 to 7 for its quality as a whole, then put all of them in order.",
    "",
    "* Help with what the person meant, not only with what they wrote.",
    "* What is untrue or could do harm ranks low, however fluent it is.",
    "* Two responses may share a place; use this sparingly.",
)
THUMBS = guide("Would you be content with this answer if you had asked? **Good** if so, else **Bad**. Do not ponder.")
TIMED = guide(
    "Say whether the answer is correct, and how sure you are, **before the time is over**.",
    "",
    "* Check what you can: the passage, a calculation, an example. You need not finish your check.",
    "* Do not trust a confident tone, a long explanation or a tidy layout: they say nothing about correctness.",
    "* An answer after the time still counts, and is marked as late.",
)

SCORING = Family(
    _("Score or rank responses"),
    (
        Preset(
            "rating-5",
            _("Rating, 1 to 5"),
            _("A score from 1 to 5 for each response, on attributes of your own."),
            ONE,
            (
                rating(
                    "scores",
                    "How good is this response?",
                    attributes=terms(
                        quality="Overall quality",
                        accuracy="Accuracy | Is what it says true?",
                        clarity="Clarity | Is it easy to follow?",
                    ),
                    anchors=FIVE,
                ),
            ),
            guidelines=RATE,
        ),
        Preset(
            "ranking",
            _("Ranking"),
            _("All responses in order, the best first; ties if you allow them."),
            _("2 to 16 responses in each task."),
            (ranking("order", "Put the responses in order", best_label="best", worst_label="worst"),),
            guidelines=RANK,
        ),
        Preset(
            "instructgpt",
            "InstructGPT",
            _("An overall score from 1 to 7 for each response, then all of them in order."),
            _("4 to 9 responses in each task."),
            (
                rating(
                    "overall",
                    "Overall quality",
                    high=7,
                    attributes=terms(overall="Overall quality"),
                    anchors={"1": "awful", "4": "so-so", "7": "excellent"},
                ),
                ranking("order", "Put the responses in order", allow_cannot_tell=False),
            ),
            paper="2203.02155",
            cited="Ouyang et al. 2022",
            guidelines=INSTRUCTGPT,
        ),
        Preset(
            "thumbs",
            _("Thumbs up or down"),
            _("Good or bad, one key a response. Learnt from by KTO, DRO and RLUF."),
            _("One response in each task; pairs are not needed."),
            (
                rating(
                    "good",
                    "Is this a good response?",
                    scale="thumbs",
                    attributes=terms(good="Would you be content with it?"),
                ),
            ),
            paper="2402.01306",
            cited="Ethayarajh et al. 2024",
            guidelines=THUMBS,
        ),
        Preset(
            "timed-correctness",
            _("Timed check of correctness"),
            _("Correct or not, and how sure; with three minutes on the clock, which is kept with each answer."),
            _("One response in each task. Mark some as gold to learn how often people are misled."),
            (
                rating(
                    "correct",
                    "Is the answer correct?",
                    scale="thumbs",
                    attributes=terms(correct="The answer is correct"),
                    anchors={"1": "Correct", "0": "Wrong"},
                ),
                rating(
                    "sure",
                    "How sure are you?",
                    attributes=terms(sure="Confidence"),
                    anchors={"1": "a guess", "3": "rather sure", "5": "certain"},
                ),
            ),
            paper="2409.12822",
            cited="Wen et al. 2024",
            guidelines=TIMED,
            time_limit=180,
        ),
    ),
)
