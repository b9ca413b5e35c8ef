"""Word and sentence bounds."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedback.verifiers.base import VerifierFailed
from feedback.verifiers.registry import InvalidParams, run_verifier
from feedback.verifiers.sentences import sentences_in
from feedback.verifiers.words import words_in


def words(response: str, **bounds: int) -> bool:
    return run_verifier("word_count", bounds, "", response).passed


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("...!?", 0),
        ("one two  three\nfour", 4),
        ("don't", 2),  # as IFEval's \w+
        ("well-known snake_case 3.5", 5),
        ("हिन्दी में लिखो", 3),
        ("cafe\u0301 au lait", 3),
        ("Zu\u00adcker", 1),
        ("می\u200cخواهم", 1),
        ("a\u200bb", 2),
        ("🎉 party 👨‍👩‍👧", 1),
    ],
)
def test_words_are_counted_in_any_spaced_script(text, count):
    assert words_in(text) == (count, count)


@given(st.text())
def test_a_decomposed_text_has_as_many_words_as_its_composed_form(text):
    composed = unicodedata.normalize("NFC", text)
    assert words_in(unicodedata.normalize("NFD", composed)) == words_in(composed)


@given(st.lists(st.text("abcxyzÄß09", min_size=1)))
def test_words_joined_by_spaces_are_counted_back(parts):
    assert words_in(" ".join(parts)) == (len(parts), len(parts))


@pytest.mark.parametrize(("count", "passed"), [(3, False), (4, True), (5, True), (6, False)])
def test_both_bounds_are_included(count, passed):
    assert words(" ".join(["w"] * count), min=4, max=5) is passed


def test_the_note_says_what_was_found_and_what_was_asked():
    assert run_verifier("word_count", {"max": 2}, "", "one two three").note == "3 words, asked for at most 2"
    assert run_verifier("sentence_count", {"min": 2, "max": 2}, "", "One.").note == "1 sentence, asked for exactly 2"
    assert run_verifier("word_count", {"min": 2, "max": 4}, "", "one").note == "1 word, asked for 2 to 4"


@pytest.mark.parametrize("params", [{}, {"min": 3, "max": 2}, {"min": -1}, {"at_most": 5}, {"max": "many"}])
def test_bounds_that_say_nothing_or_nonsense_are_refused(params):
    for name in ("word_count", "sentence_count", "bullet_count"):
        with pytest.raises(InvalidParams, match=name):
            run_verifier(name, params, "", "text")


def test_words_of_a_script_without_spaces_are_not_guessed():
    chinese = "今天天气很好我们去公园"  # 11 characters, so 1 to 11 words
    with pytest.raises(VerifierFailed, match="1 to 11 words"):
        words(chinese, max=5)
    with pytest.raises(VerifierFailed):
        words(chinese, min=4, max=6)
    assert words(chinese, max=11)
    assert not words(chinese, min=12)
    assert not words("plain words " * 20 + chinese, max=20)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("🎉 ...", 0),
        ("no stop at all", 1),
        ("One. Two! Three? Four", 4),
        ("Mr. Smith paid $3.50 to Dr. J. Doe. He left.", 2),
        ("See e.g. the U.S. today. So do I. Yes.", 3),
        ("He works at Acme Inc. and sleeps. They sell pens, paper, etc. Good.", 3),
        ("No. 5 is alive. I said no. He left.", 3),
        ("i like tea. you like coffee.", 2),
        ("Wait... what? Never... Then go.", 3),
        ("“Stop!” He ran (fast.) Away.", 3),
        ("Two tips: 1. Rest. 2. Drink.", 2),
        ("It was 1999. Then it ended.", 2),
        ("Title\n\nA first line\nthat goes on.", 2),
        ("Tips:\n- rest\n- drink water. Often.\n* sleep", 5),
        ("1. First. Again.\n2) second", 3),
        ("今日は。元気です！はい", 3),
        ("यह पहला है। यह दूसरा है॥", 2),
        ("हل انت بخير؟ نعم.", 2),
        ("line one.\u2028line two.\r\nline three.", 3),
        ("What?! Really!!! Yes.", 3),
        ("---\n***", 0),
    ],
)
def test_sentences_are_found(text, count):
    assert len(sentences_in(text)) == count


@given(st.text())
def test_every_sentence_is_a_part_of_the_text_and_any_text_is_survived(text):
    lines = "\n".join(text.splitlines())
    for sentence in sentences_in(text):
        assert sentence in lines
        assert words_in(sentence)[0] >= 1


@given(st.lists(st.sampled_from(["Birds sing.", "Is it late?", "Go home!", "We met at noon."]), max_size=30))
def test_plain_sentences_are_counted_back(parts):
    assert len(sentences_in(" ".join(parts))) == len(parts)


@pytest.mark.parametrize(
    "hostile", ["." * 100_000 + "x", ".'" * 100_000, "1. " * 100_000, "\n \n" * 100_000, "A. " * 100_000]
)
@pytest.mark.timeout(60)
def test_hostile_text_is_read_in_linear_time(hostile):
    assert len(sentences_in(hostile)) <= 100_000
