"""What of a conversation is open, and what is folded to its first line."""

from annotation.workbench.reading import LONG, OPEN_TURNS, read_conversation
from feedback.questions.base import Message, ToolCall

LONG_TEXT = "First line.\n\n" + "x" * LONG


def folds(*messages):
    conversation = read_conversation([Message(*message) for message in messages])
    assert not conversation.earlier
    return [turn.is_folded for turn in conversation.turns]


def test_long_turns_before_the_last_question_are_folded_and_it_is_not():
    assert folds(("user", LONG_TEXT), ("assistant", "short"), ("user", LONG_TEXT)) == [True, False, False]
    assert folds(("user", LONG_TEXT), ("assistant", LONG_TEXT)) == [False, False]


def test_a_system_prompt_is_folded_unless_its_first_line_is_all():
    assert folds(("system", "You tutor.\nBe kind."), ("user", "Hi")) == [True, False]
    assert folds(("system", "You tutor."), ("user", "Hi")) == [False, False]


def test_the_beginning_of_a_very_long_conversation_is_folded_as_a_whole():
    turns = [Message(("user", "assistant")[n % 2], f"turn {n}") for n in range(21)]
    conversation = read_conversation([Message("system", "You tutor."), *turns])
    assert [turn.text for turn in conversation.turns][:2] == ["You tutor.", f"turn {20 - OPEN_TURNS}"]
    assert conversation.turns[-1].text == "turn 20"
    assert len(conversation.earlier) + len(conversation.turns) == 22


def test_tools_are_named_and_assistants_are_not():
    messages = [
        Message("user", "Hi", "Ann"),
        Message("assistant", "", "model-seven", (ToolCall("look", '{"at":1}'),)),
        Message("tool", '{\n  "sky": "blue"\n}', "look"),
    ]
    turns = read_conversation(messages).turns
    assert [turn.name for turn in turns] == ["Ann", "", "look"]
    assert [call.name for call in turns[1].calls] == ["look"]
    assert "tok-number" in turns[1].calls[0].rendered.html
    assert turns[2].first_line == '"sky": "blue"'


def test_json_that_would_lose_a_key_is_shown_as_it_is():
    turn = read_conversation([Message("tool", '{"a": 1, "a": 2}', "look")]).turns[0]
    assert turn.rendered.html.count("1") == 1
    assert "<pre" not in turn.rendered.html
