"""IFEval's 25 kinds of instruction as criteria: in words for people, and with our verifier."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

JSON = Any
Kwargs = Mapping[str, JSON]
_ANSWERS = ("My answer is yes.", "My answer is no.", "My answer is maybe.")
_TEXTS: dict[str, str] = {
    "punctuation:no_comma": "Contains no comma.",
    "length_constraints:number_words": "Has {relation} {num_words} words.",
    "length_constraints:number_sentences": "Has {relation} {num_sentences} sentences.",
    "length_constraints:number_paragraphs": "Has exactly {num_paragraphs} paragraphs, separated by ***.",
    "length_constraints:nth_paragraph_first_word": (
        "Has exactly {num_paragraphs} paragraphs, separated by blank lines, and paragraph {nth_paragraph} begins with "
        "“{first_word}”."
    ),
    "keywords:existence": "Contains each of: {keywords}.",
    "keywords:forbidden_words": "Contains none of: {forbidden_words}.",
    "keywords:frequency": "Contains “{keyword}” {relation} {frequency} times.",
    "keywords:letter_frequency": "Contains “{letter}” {let_relation} {let_frequency} times.",
    "language:response_language": "Is written wholly in the language “{language}”.",
    "detectable_format:number_bullet_lists": "Has exactly {num_bullets} bullet points.",
    "detectable_format:number_highlighted_sections": "Highlights at least {num_highlights} sections, *like this*.",
    "detectable_format:multiple_sections": (
        "Has at least {num_sections} sections, headed “{section_spliter}” and a number."
    ),
    "detectable_format:json_format": "Is wholly JSON.",
    "detectable_format:title": "Has a title in double angular brackets, <<like this>>.",
    "detectable_format:constrained_response": (
        "Says one of “My answer is yes.”, “My answer is no.”, “My answer is maybe.”"
    ),
    "detectable_content:number_placeholders": "Has at least {num_placeholders} placeholders in square brackets.",
    "detectable_content:postscript": "Ends with a postscript that begins with “{postscript_marker}”.",
    "startend:end_checker": "Ends with exactly “{end_phrase}”.",
    "startend:quotation": "Is wholly within double quotation marks.",
    "combination:repeat_prompt": "First repeats the request word for word, then answers it.",
    "combination:two_responses": "Gives two different responses, separated by ******.",
    "change_case:english_lowercase": "Is in English and in small letters only.",
    "change_case:english_capital": "Is in English and in capital letters only.",
    "change_case:capital_word_frequency": "Has {capital_relation} {capital_frequency} words in capital letters.",
}


def _bounds(relation: JSON, n: JSON) -> dict[str, JSON] | None:
    """IFEval's relations: “at least” n, and “less than” n."""
    if type(n) is not int or n < 0:
        return None
    return {"at least": {"min": n}, "less than": {"max": n - 1} if n else None}.get(str(relation))


def _given(params: str, argument: str) -> Callable[[Kwargs], dict[str, JSON] | None]:
    return lambda given: {params: given.get(argument)}


def _at_least(argument: str) -> Callable[[Kwargs], dict[str, JSON] | None]:
    return lambda given: {"min": given.get(argument)}


def _exactly(argument: str) -> Callable[[Kwargs], dict[str, JSON] | None]:
    return lambda given: {"min": given.get(argument), "max": given.get(argument)}


def _related(relation: str, n: str, **others: str) -> Callable[[Kwargs], dict[str, JSON] | None]:
    def params(given: Kwargs) -> dict[str, JSON] | None:
        bounds = _bounds(given.get(relation), given.get(n))
        return bounds and {**bounds, **{name: given.get(argument) for name, argument in others.items()}}

    return params


def _nothing(given: Kwargs) -> dict[str, JSON]:
    return {}


_VERIFIERS: dict[str, tuple[str, Callable[[Kwargs], dict[str, JSON] | None]]] = {
    "punctuation:no_comma": ("no_comma", lambda given: {"ascii_only": True}),
    "length_constraints:number_words": ("word_count", _related("relation", "num_words")),
    "length_constraints:number_sentences": ("sentence_count", _related("relation", "num_sentences")),
    "length_constraints:number_paragraphs": ("paragraph_count", _exactly("num_paragraphs")),
    "length_constraints:nth_paragraph_first_word": (
        "nth_paragraph_first_word",
        lambda given: {
            "num_paragraphs": given.get("num_paragraphs"),
            "nth": given.get("nth_paragraph"),
            "first_word": given.get("first_word"),
        },
    ),
    "keywords:existence": ("keywords_present", _given("keywords", "keywords")),
    "keywords:forbidden_words": ("keywords_absent", _given("keywords", "forbidden_words")),
    "keywords:frequency": ("keyword_frequency", _related("relation", "frequency", keyword="keyword")),
    "keywords:letter_frequency": ("letter_frequency", _related("let_relation", "let_frequency", letter="letter")),
    "language:response_language": ("response_language", _given("language", "language")),
    "detectable_format:number_bullet_lists": ("bullet_count", _exactly("num_bullets")),
    "detectable_format:number_highlighted_sections": ("highlight_count", _at_least("num_highlights")),
    "detectable_format:multiple_sections": (
        "section_count",
        lambda given: {"min": given.get("num_sections"), "splitter": given.get("section_spliter")},
    ),
    "detectable_format:json_format": ("valid_json", _nothing),
    "detectable_format:title": ("title", _nothing),
    "detectable_format:constrained_response": ("one_of", lambda given: {"options": list(_ANSWERS)}),
    "detectable_content:number_placeholders": ("placeholder_count", _at_least("num_placeholders")),
    "detectable_content:postscript": ("postscript", _given("marker", "postscript_marker")),
    "startend:end_checker": ("end_phrase", _given("phrase", "end_phrase")),
    "startend:quotation": ("quoted", _nothing),
    "combination:repeat_prompt": ("repeat_first", _given("text", "prompt_to_repeat")),
    "combination:two_responses": ("two_responses", _nothing),
    "change_case:english_lowercase": ("all_small", _nothing),
    "change_case:english_capital": ("all_capital", _nothing),
    "change_case:capital_word_frequency": ("capital_word_count", _related("capital_relation", "capital_frequency")),
}


class InstructionUnknown(ValueError):
    """No such instruction, or one whose arguments are missing."""


def criterion_of(instruction: str, given: Kwargs, key: str) -> dict[str, JSON]:
    """One instruction → a criterion of the task.  Raises InstructionUnknown."""
    if instruction not in _TEXTS:
        message = f"{instruction!r} is none of IFEval's {len(_TEXTS)} instructions."
        raise InstructionUnknown(message)
    words = {name: ", ".join(map(str, value)) if isinstance(value, list) else value for name, value in given.items()}
    try:
        text = _TEXTS[instruction].format_map({name: value for name, value in words.items() if value is not None})
    except KeyError as error:
        message = f"{instruction} lacks its argument {error.args[0]}."
        raise InstructionUnknown(message) from None
    criterion: dict[str, JSON] = {"key": key, "text": text}
    name, params_of = _VERIFIERS.get(instruction, ("", lambda given: None))
    if (params := params_of(given)) is not None:
        criterion["verifier"] = {"name": name, "params": params}
    return criterion
