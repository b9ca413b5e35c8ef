"""Sampling: seeded, batched, ended at the end token."""

import pytest

pytest.importorskip("torch", reason="the train extra is not installed")
pytest.importorskip("transformers", reason="the train extra is not installed")

import torch

from training.engine.base_models import load_tokenizer
from training.engine.sampling import Sampler, sample_responses

TINY = {"kind": "tiny", "name": "tiny-llama"}
CHAT = [{"role": "user", "content": "Say hi."}]


@pytest.fixture(scope="module")
def tokenizer():
    return load_tokenizer(TINY, ["The cat sat on the mat.", "A reward model ranks two responses."] * 20)


def sampled(**changes):
    settings = {"k": 3, "max_new_tokens": 6, "seed": 5, "temperature": 1.0, "top_p": 1.0, **changes}
    prompts = settings.pop("prompts", [CHAT, [{"role": "user", "content": "A much longer question than that?"}]])
    return list(sample_responses(TINY, prompts, **settings))


def test_sampling_gives_k_texts_per_prompt_and_depends_on_the_seed():
    state = torch.get_rng_state()
    first = sampled()
    assert [len(texts) for texts in first] == [3, 3]
    assert first == sampled()
    assert first != sampled(seed=6)
    assert torch.equal(state, torch.get_rng_state())


def test_sampling_draws_different_texts_within_a_prompt_but_not_at_temperature_zero():
    assert len(set(sampled(k=8, max_new_tokens=8)[0])) > 1
    assert len(set(sampled(k=8, max_new_tokens=8, temperature=0)[0])) == 1


def test_more_prompts_than_one_batch_come_back_in_order():
    prompts = [[{"role": "user", "content": f"Question {number}"}] for number in range(20)]
    assert len(sampled(prompts=prompts, k=2, max_new_tokens=1)) == 20


@pytest.mark.parametrize(
    "changes", [{"k": 0}, {"max_new_tokens": 0}, {"temperature": -1}, {"top_p": 0}, {"top_p": 1.5}]
)
def test_impossible_sampling_settings_are_refused(changes):
    with pytest.raises(ValueError, match=next(iter(changes))):
        sampled(**changes)


class Recorded:
    """A stand-in for a model that 'draws' fixed ids."""

    def __init__(self, drawn):
        self.drawn = drawn

    def parameters(self):
        return iter([torch.zeros(1)])

    def generate(self, input_ids, attention_mask, **settings):
        self.settings, self.ids, self.mask = settings, input_ids, attention_mask
        return torch.cat([input_ids, torch.tensor(self.drawn)], dim=1)


def test_a_sample_ends_at_its_first_end_token_and_counts_what_was_drawn(tokenizer):
    end, pad = tokenizer.eos_token_id, tokenizer.pad_token_id
    word = tokenizer("cat", add_special_tokens=False)["input_ids"][-1]
    model = Recorded([[word, end, word, end], [word, word, word, word], [end, pad, pad, pad]])
    samples = Sampler(model, tokenizer, 4).draw([CHAT, [*CHAT, *CHAT], CHAT], seed=0)
    assert [sample.tokens for sample in samples] == [2, 4, 1]
    assert [sample.finished for sample in samples] == [True, False, True]
    assert samples[2].text == ""
    assert samples[0].text == tokenizer.decode([word]).strip()


def test_prompts_are_padded_on_the_left_and_the_distribution_is_the_one_asked_for(tokenizer):
    model = Recorded([[5], [5]])
    Sampler(model, tokenizer, 1, temperature=0.5, top_p=0.9).draw([CHAT, [*CHAT, *CHAT]], seed=0)
    assert model.mask[0].tolist() == sorted(model.mask[0].tolist())
    assert model.mask[0, 0] == 0
    assert model.mask[1].all()
    assert model.settings["top_k"] == 0
    assert (model.settings["temperature"], model.settings["top_p"]) == (0.5, 0.9)
