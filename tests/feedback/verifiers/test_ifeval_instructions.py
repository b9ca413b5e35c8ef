"""Each of IFEval's 25 instructions: what keeps it and what does not, read off its arguments in the data set.

Every instruction goes the way of an import: its name and arguments become a criterion, whose verifier is asked.
"""

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from feedback.importing.layouts.ifeval_criteria import _TEXTS, criterion_of
from feedback.verifiers.base import VerifierFailed
from feedback.verifiers.registry import run_verifier

DATA = Path(os.environ.get("TOUCHSTONE_DATA", "../shared/data"))
PROMPTS = DATA / "checklist_ifeval" / "input_data.jsonl"
ANSWERS = DATA / "prompts_self_instruct_252" / "text-davinci-003_predictions.jsonl"
ENGLISH = "the quick brown fox jumps over the lazy dog and then it sleeps under the old tree"
GERMAN = "Der schnelle braune Fuchs springt über den faulen Hund und schläft dann unter dem alten Baum."
HINDI = "तेज भूरी लोमड़ी आलसी कुत्ते के ऊपर कूदती है और फिर पुराने पेड़ के नीचे सो जाती है।"

# instruction, its arguments, responses that keep it, responses that do not
CASES = [
    ("punctuation:no_comma", {}, ["No comma; none.", "Full-width， is another sign"], ["One, two", ","]),
    (
        "length_constraints:number_words",
        {"relation": "at least", "num_words": 4},
        ["It is well-known.", "don't do that"],  # a hyphen and an apostrophe part words, as IFEval counts
        ["One two three.", "1 2 3"],
    ),
    (
        "length_constraints:number_words",
        {"relation": "less than", "num_words": 4},
        ["One two three.", "Yes."],
        ["One two three four.", "It is well-known."],
    ),
    (
        "length_constraints:number_sentences",
        {"relation": "at least", "num_sentences": 2},
        ["He came. She left.", "Who? Me!"],
        ["Mr. Smith came in.", "It costs 3.50 euros"],  # neither an abbreviation nor a number ends a sentence
    ),
    (
        "length_constraints:number_sentences",
        {"relation": "less than", "num_sentences": 2},
        ["Dr. No came.", "One"],
        ["One. Two.", "Why? Because."],
    ),
    (
        "length_constraints:number_paragraphs",
        {"num_paragraphs": 2},
        ["One.\n***\nTwo.", "***\nOne.\n\nStill one. *** Two.\n***"],  # at the ends there may be dividers
        ["One.\n\nTwo.", "One. *** *** Two.", "One.\n***\nTwo.\n***\nThree."],
    ),
    (
        "length_constraints:nth_paragraph_first_word",
        {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "president"},
        ["Hello there.\n\nPresident Smith said so.", "Hello.\n \n\n“President,” he said."],
        ["President Smith.\n\nHello.", "Hello.\nPresident Smith.", "Hello.\n\nPresidents met.", "A\n\nPresident\n\nB"],
    ),
    (
        "keywords:existence",
        {"keywords": ["correlated", "experiencing"]},
        ["Correlated with EXPERIENCING.", "uncorrelated, experiencing"],
        ["correlated", "experience correlates"],
    ),
    ("keywords:forbidden_words", {"forbidden_words": ["rock"]}, ["Rocks are hard.", "pop"], ["I ROCK.", "a rock"]),
    (
        "keywords:frequency",
        {"keyword": "fox", "relation": "at least", "frequency": 2},
        ["A fox, a Fox.", "Foxes and foxy"],
        ["One fox.", "none"],
    ),
    (
        "keywords:frequency",
        {"keyword": "fox", "relation": "less than", "frequency": 2},
        ["One fox.", "none"],
        ["A fox, a Fox.", "fox fox fox"],
    ),
    (
        "keywords:letter_frequency",
        {"letter": "#", "let_relation": "at least", "let_frequency": 2},
        ["# one # two", "##"],
        ["# one", "none"],
    ),
    (
        "keywords:letter_frequency",
        {"letter": "t", "let_relation": "less than", "let_frequency": 2},
        ["One T.", "none"],
        ["Tt", "that"],
    ),
    ("language:response_language", {"language": "hi"}, [HINDI, HINDI * 2], [GERMAN, ENGLISH]),
    ("language:response_language", {"language": "de"}, [GERMAN, GERMAN.upper()], [HINDI, ENGLISH]),
    (
        "detectable_format:number_bullet_lists",
        {"num_bullets": 2},
        ["* one\n* two", "Look:\n- one\n  - two\nDone."],
        ["* one", "* one\n* two\n* three", "one * two * three"],
    ),
    (
        "detectable_format:number_highlighted_sections",
        {"num_highlights": 2},
        ["*one* and *two*", "**one**, *two* and *three*"],
        ["*one*", "* one\n* two\n* three", "** ** and **"],  # bullets and empty stars highlight nothing
    ),
    (
        "detectable_format:multiple_sections",
        {"section_spliter": "SECTION", "num_sections": 2},
        ["SECTION 1\nOne.\nSECTION 2\nTwo.", "**SECTION 1**: a\n\n**SECTION 2**: b\n\nSECTION 3 c"],
        ["SECTION 1 only", "Section 1\nSection 2", "SECTION one\nSECTION two"],
    ),
    (
        "detectable_format:json_format",
        {},
        ['{"a": [1, 2]}', '```json\n{"a": 1}\n```'],
        ["{'a': 1}", 'Here it is: {"a": 1}', '{"a": NaN}'],
    ),
    (
        "detectable_format:title",
        {},
        ["<<poem of joy>>\nText", "Text, then <<A title>>."],
        ["<poem>", "<< >>", "<<broken\ntitle>>"],
    ),
    (
        "detectable_format:constrained_response",
        {},
        ["My answer is no.", "Well: My answer is maybe."],
        ["No.", "My answer is yes. My answer is no.", "my answer is"],
    ),
    (
        "detectable_content:number_placeholders",
        {"num_placeholders": 2},
        ["[name], [address]", "Dear [name]: [your text here]."],
        ["[name]", "[] and []", "see [this](https://a.example) and [that](b)"],
    ),
    (
        "detectable_content:postscript",
        {"postscript_marker": "P.S."},
        ["Bye.\n\nP.S. I love you.", "Bye. p. s. Call me", "Bye.\n\n**P.S.**\nMore."],
        ["Bye.", "Bye.\nP.P.S. Not that one.", "Bye.\nP.S."],
    ),
    (
        "detectable_content:postscript",
        {"postscript_marker": "P.P.S"},
        ["Bye.\n\nP.P.S I love you.", "P.P.S. Call me", "P. P. S. Call"],
        ["Bye. P.S. Call me", "Bye."],
    ),
    (
        "startend:end_checker",
        {"end_phrase": "Is there anything else I can help with?"},
        ["Sure. Is there anything else I can help with?", '"Sure. is there anything else I can help with?"\n'],
        ["Is there anything else I can help with? Bye.", "Is there anything else?"],
    ),
    ("startend:quotation", {}, ['"All of it."', ' "Two.\n\nParagraphs." \n'], ['"Half" of it', "'Single'", '"']),
    (
        "combination:repeat_prompt",
        {"prompt_to_repeat": "Write a haiku.\nBe kind."},
        ["Write a haiku.\nBe kind.\n\nOld pond", "write a haiku. be kind. Old pond"],
        ["Old pond. Write a haiku.\nBe kind.", "Write a haiku about ponds."],
    ),
    (
        "combination:two_responses",
        {},
        ["One.\n******\nTwo.", "******One.******Two.******"],
        ["One.", "One.\n******\none.", "One.****** ******Two.", "A******B******C"],
    ),
    ("change_case:english_lowercase", {}, [ENGLISH, "yes, 100%."], ["Yes.", GERMAN.lower(), "123"]),
    ("change_case:english_capital", {}, [ENGLISH.upper(), "OK!"], ["Ok!", GERMAN.upper(), "123"]),
    (
        "change_case:capital_word_frequency",
        {"capital_relation": "at least", "capital_frequency": 2},
        ["I AM here", "NASA and the U.S."],
        ["I am", "Only Capitals Begin"],
    ),
    (
        "change_case:capital_word_frequency",
        {"capital_relation": "less than", "capital_frequency": 2},
        ["I am", "well-known 2024 facts"],
        ["I AM", "WELL-KNOWN NASA"],
    ),
]
RUNS = [
    pytest.param(name, given, response, keeps, id=f"{name.partition(':')[2]}-{'keeps' if keeps else 'breaks'}-{n}")
    for name, given, good, bad in CASES
    for keeps, responses in ((True, good), (False, bad))
    for n, response in enumerate(responses)
]


def verdict_on(name, given, response, prompt="?"):
    verifier = criterion_of(name, given, "c1")["verifier"]
    return run_verifier(verifier["name"], verifier["params"], prompt, response)


@pytest.mark.parametrize(("name", "given", "response", "keeps"), RUNS)
def test_an_instruction_is_kept_or_not(name, given, response, keeps):
    verdict = verdict_on(name, given, response)
    assert verdict.passed is keeps, verdict.note


def test_every_instruction_has_two_cases_of_either_kind():
    good, bad = Counter(), Counter()
    for name, _given, keeping, breaking in CASES:
        good[name] += len(keeping)
        bad[name] += len(breaking)
    assert set(good) == set(bad) == set(_TEXTS)
    assert len(_TEXTS) == 25
    assert min(*good.values(), *bad.values()) >= 2


def test_a_language_that_cannot_be_told_is_an_absence():
    with pytest.raises(VerifierFailed, match="too short"):
        verdict_on("language:response_language", {"language": "de"}, "Ja, so ist es.")


@pytest.mark.skipif(not PROMPTS.exists(), reason=f"the shared data is not at {DATA}; set TOUCHSTONE_DATA")
def test_all_541_prompts_are_answered_by_programs_on_real_responses():
    """The 834 instructions on answers of text-davinci-003 (to other prompts): a verdict each, or a typed absence."""
    answers = [json.loads(line)["response"] for line in ANSWERS.read_text().splitlines()]
    told, absent, kept = Counter(), Counter(), Counter()
    for at, line in enumerate(PROMPTS.read_text(encoding="utf-8").splitlines()):
        record = json.loads(line)
        for name, given in zip(record["instruction_id_list"], record["kwargs"], strict=True):
            try:
                kept[name] += verdict_on(name, given, answers[at % len(answers)], record["prompt"]).passed
                told[name] += 1
            except VerifierFailed:
                absent[name] += 1
    assert told.total() + absent.total() == 834
    assert set(told) == set(_TEXTS)
    assert set(absent) <= {"language:response_language", "change_case:english_capital", "change_case:english_lowercase"}
    assert absent.total() <= 15
    assert 0 < kept.total() < told.total()
