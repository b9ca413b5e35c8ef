"""What is wrong, where, and how it would be better: critiques, marked spans, steps."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from annotation.campaigns.presets.base import Family, Preset, critique, guide, pairwise, steps, terms

ONE = _("One response in each task, or several.")
TRANSLATION = _("The source text as the prompt and its translation as the response.")
REASONING = _("Responses that go step by step; without steps in the file, paragraphs are the steps.")

REVISE = guide(
    "Write what is wrong with the response, then write the response as it should be.",
    "",
    "* Be specific: name the sentence and say what to do about it. “Could be better” teaches nothing.",
    "* Your revision mends what you criticised, and leaves alone what was good.",
)
FINE = guide(
    "Mark the **shortest** stretch of text that holds the fault, and say which fault it is.",
    "",
    "* *Irrelevant*: beside the question, said before, or not making sense.",
    "* *Wrong*: contradicts the facts, or cannot be verified.",
    "* *Incomplete*: something needed is missing; mark where it should stand and note what it is.",
    "",
    "If nothing is wrong, say so. Then write the response as it should be, unless it is well as it stands.",
)
TEXT2GRAD = guide(
    "First write a critique as you would to the author. Then mark the spans that it is about: good ones and poor ones.",
    "",
    "Mark only what your critique speaks of, and keep spans short.",
)
MQM = guide(
    "Mark every error of the translation, the shortest stretch that holds it, with its category and severity.",
    "",
    "* **Critical**: the error could do harm or makes the text unusable.",
    "* **Major**: it changes the meaning or stops the reader.",
    "* **Minor**: noticed, but the meaning is plain.",
    "* **Neutral**: you would say it otherwise; nothing is wrong.",
    "",
    "At most five errors in a segment: if there are more, mark the gravest. Mark the whole as non-translation if it is "
    "so garbled that errors cannot be told apart.",
)
STEPS = guide(
    "Judge each step **in its place**: is it right, given what stands before it?",
    "",
    "* *Correct*: right, and it leads on.",
    "* *Neutral*: right or plausible, but it leads nowhere.",
    "* *Wrong*: false, or it does not follow. A step that only carries on an earlier mistake is wrong too.",
)
FIRST_ERROR = guide(
    "Find the **first** step that is wrong; nothing is asked about the steps after it.",
    "",
    "If all steps hold and the result is right, say that no step is wrong.",
)

SEVERITIES = terms(neutral="Neutral", minor="Minor", major="Major", critical="Critical")
ERRORS = terms(
    accuracy_mistranslation="Accuracy: mistranslation",
    accuracy_omission="Accuracy: omission",
    accuracy_addition="Accuracy: addition",
    accuracy_untranslated="Accuracy: left untranslated",
    fluency_grammar="Fluency: grammar",
    fluency_spelling="Fluency: spelling",
    fluency_punctuation="Fluency: punctuation",
    fluency_register="Fluency: register",
    fluency_inconsistency="Fluency: inconsistency",
    fluency_encoding="Fluency: broken characters",
    terminology_wrong="Terminology: wrong for the field",
    terminology_inconsistent="Terminology: inconsistent",
    style_awkward="Style: awkward",
    locale_format="Locale: dates, numbers, currency, names",
    non_translation="Non-translation",
    other="Other",
)

WORDS = Family(
    _("Say what is wrong, in words"),
    (
        Preset(
            "critique-revise",
            _("Critique and revise"),
            _("A critique of each response in words, and the response rewritten."),
            ONE,
            (
                critique(
                    "critique",
                    "What is wrong, and how should it read?",
                    text="required",
                    revision="required",
                    text_label="Critique",
                    revision_label="The response as it should be",
                ),
            ),
            paper="2303.16755",
            cited="Scheurer et al. 2023 (ILF)",
            guidelines=REVISE,
        ),
        Preset(
            "fine-grained",
            _("Fine-grained spans"),
            _("Spans marked as irrelevant, wrong or incomplete, with a note; the response rewritten if need be."),
            ONE,
            (
                critique(
                    "faults",
                    "Mark what is wrong",
                    text="off",
                    spans="optional",
                    revision="optional",
                    categories=terms(
                        irrelevant="Irrelevant | Beside the question, repeated, or making no sense.",
                        wrong="Wrong | Contradicts the facts, or cannot be verified.",
                        incomplete="Incomplete | Something needed is missing here.",
                    ),
                    revision_label="The response without these faults",
                ),
            ),
            paper="2306.01693",
            cited="Wu et al. 2023 (Fine-Grained RLHF)",
            guidelines=FINE,
        ),
        Preset(
            "text2grad",
            "Text2Grad",
            _("A critique in words, and the spans it speaks of, good and poor."),
            ONE,
            (
                critique(
                    "critique",
                    "Criticise the response",
                    text="required",
                    spans="optional",
                    categories=terms(good="Good | Worth keeping.", poor="Poor | Should be otherwise."),
                ),
            ),
            paper="2505.22338",
            cited="Wang et al. 2025",
            guidelines=TEXT2GRAD,
        ),
        Preset(
            "mqm",
            _("MQM: errors of translations"),
            _("Every error marked, with its category and one of four severities."),
            TRANSLATION,
            (
                critique(
                    "errors",
                    "Mark the errors of the translation",
                    text="off",
                    spans="optional",
                    categories=ERRORS,
                    severities=SEVERITIES,
                    max_spans=20,
                ),
            ),
            paper="2104.14478",
            cited="Freitag et al. 2021",
            guidelines=MQM,
        ),
        Preset(
            "pairwise-why",
            _("Pairwise with a reason"),
            _("Which is better, and why in a sentence."),
            _("Two responses in each task."),
            (
                pairwise(points=3, allow_both_bad=True),
                critique(
                    "why", "Why?", about="task", help="Name what decided it.", required=False, text_label="Reason"
                ),
            ),
            guidelines="Decide first, then say in one sentence what decided it.",
        ),
    ),
)

REASONING_STEPS = Family(
    _("Check reasoning step by step"),
    (
        Preset(
            "steps-each",
            _("Every step"),
            _("Each step is correct, neutral or wrong."),
            REASONING,
            (steps("steps", "Is each step right?"),),
            paper="2305.20050",
            cited="Lightman et al. 2023 (PRM800K)",
            guidelines=STEPS,
        ),
        Preset(
            "steps-first-error",
            _("First wrong step"),
            _("Where the reasoning first goes wrong, or that it does not."),
            REASONING,
            (steps("steps", "Which step is the first wrong one?", mode="first_error"),),
            paper="2305.20050",
            cited="Lightman et al. 2023 (PRM800K)",
            guidelines=FIRST_ERROR,
        ),
    ),
)
