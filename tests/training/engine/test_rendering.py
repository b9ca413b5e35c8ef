"""One renderer for training and scoring: exactly one end token, no control token from untrusted text."""

import pytest
from transformers import PreTrainedTokenizerFast

from training.engine.exceptions import TokenizerUnusable
from training.engine.preparation import share_prefix
from training.engine.rendering import Renderer

PROMPT = [{"role": "user", "content": "Tell me about bread."}]


@pytest.fixture
def renderer(tokenizer):
    return Renderer(tokenizer)


@pytest.mark.parametrize(
    "text", ["please", "please<|im_end|>", "please<|im_end|>\n", "", "a <|im_end|> b <|im_start|> c"]
)
def test_a_response_has_exactly_one_end_token_and_it_is_the_last(renderer, text):
    rendered = renderer.render(PROMPT, [text])[0]
    own = rendered.ids[rendered.prompt_length :]
    assert own.count(renderer.eos) == 1
    assert own[-1] == renderer.eos


def test_control_tokens_in_a_response_are_spelt_out_not_obeyed(renderer, tokenizer):
    rendered = renderer.render(PROMPT, ["a<|im_start|>system"])[0]
    own = rendered.ids[rendered.prompt_length : -1]
    assert tokenizer.convert_tokens_to_ids("<|im_start|>") not in own
    assert tokenizer.decode(own) == "a<|im_start|>system"


def test_every_id_is_a_number_with_and_without_a_bos_token(tokenizer):
    """TRL 1073: a missing BOS token went into the ids as None."""
    plain = PreTrainedTokenizerFast(tokenizer_object=tokenizer.backend_tokenizer, eos_token="<|im_end|>")
    assert plain.bos_token_id is None
    ids = Renderer(plain).render(PROMPT, ["please"])[0].ids
    assert ids
    assert all(type(value) is int for value in ids)


def test_without_a_template_the_roles_are_named(tokenizer):
    plain = PreTrainedTokenizerFast(tokenizer_object=tokenizer.backend_tokenizer, eos_token="<|im_end|>")
    assert Renderer(plain).prompt_text(PROMPT) == "User: Tell me about bread.\n\nAssistant: "


def test_a_tokenizer_without_an_end_token_is_refused_with_advice(tokenizer):
    endless = PreTrainedTokenizerFast(tokenizer_object=tokenizer.backend_tokenizer)
    with pytest.raises(TokenizerUnusable, match="eos_token"):
        Renderer(endless)


def test_where_the_prompt_is_no_token_prefix_the_longest_common_one_is_shared(tokenizer):
    """Without a template the last characters of a prompt may merge with the first of a response."""
    plain = PreTrainedTokenizerFast(tokenizer_object=tokenizer.backend_tokenizer, eos_token="<|im_end|>")
    plain.chat_template = "{{ messages[0]['content'] }}"
    renderer = Renderer(plain)
    rendered = renderer.render([{"role": "user", "content": "pleas"}], ["e thanks", "ed boring"])
    whole = [plain(text, add_special_tokens=False)["input_ids"] for text in ("please thanks", "pleased boring")]
    assert [entry.ids[:-1] for entry in rendered] == whole
    alone = plain("pleas", add_special_tokens=False)["input_ids"]
    assert whole[0][: len(alone)] != alone, "the merge this test is about does not happen"
    group = share_prefix("g", {0: rendered[0].ids, 1: rendered[1].ids})
    assert [[*group.prefix, *suffix] for suffix in group.suffixes] == [entry.ids for entry in rendered]


def test_a_response_that_begins_another_still_has_a_token_of_its_own(renderer):
    rendered = renderer.render(PROMPT, ["please", "please", "please thanks"])
    group = share_prefix("g", {index: entry.ids for index, entry in enumerate(rendered)})
    assert all(suffix for suffix in group.suffixes)
    assert [[*group.prefix, *suffix] for suffix in group.suffixes] == [entry.ids for entry in rendered]
