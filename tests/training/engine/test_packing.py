"""The packed forward pass gives the scores and gradients of one sequence at a time, whatever the batch."""

import pytest
import torch

from training.engine.batches import Collator, GroupOrder
from training.engine.exceptions import ForwardUnusable
from training.engine.forwards import choose_forward
from training.engine.groups import Comparison
from training.engine.losses.bradley_terry import bradley_terry_loss
from training.engine.packing import PADDED, PADDING_FREE, SHARED, pack, token_batches
from training.engine.preparation import EncodedGroup
from training.engine.reward_model import RewardModel
from training.engine.score_groups import score_groups

FAMILIES = ["Llama", "Qwen2", "Qwen3"]


def encoded(prefix, *suffixes, seed=0):
    draw = torch.Generator().manual_seed(seed + prefix + sum(suffixes))
    ids = lambda count: tuple(torch.randint(1, 300, (count,), generator=draw).tolist())  # noqa: E731
    pairs = tuple(
        Comparison(a, b, probability=0.8, margin=0.1, weight=1.0 + b)
        for a in range(len(suffixes))
        for b in range(a + 1, len(suffixes))
    )
    return EncodedGroup(f"g{seed}", seed, ids(prefix), tuple(map(ids, suffixes)), suffixes, pairs)


GROUPS = [encoded(40, 5, 5, seed=1), encoded(12, 9, 3, 14, seed=2), encoded(0, 6, 8, seed=3), encoded(3, 30, 1, seed=4)]


def reward_model(trunk):
    return RewardModel(trunk, trunk.config.hidden_size, seed=0)


def naive_scores(model, groups):
    """One sequence per call, ordinary positions and ordinary causal attention: what all others must equal."""
    model.trunk.set_attn_implementation("eager")
    scores = []
    for group in groups:
        for suffix in group.suffixes:
            ids = torch.tensor([[*group.prefix, *suffix]])
            scores.append(model.head(model.trunk(input_ids=ids, use_cache=False).last_hidden_state[0, -1]))
    return torch.cat(scores)


def loss_and_gradients(model, scores, batch):
    model.zero_grad()
    losses = bradley_terry_loss(
        scores[batch["first"]], scores[batch["second"]], batch["probability"], margin=batch["margin"]
    )
    loss = (losses * batch["weight"]).sum() / batch["weight"].sum()
    loss.backward()
    return loss.item(), {name: value.grad.clone() for name, value in model.named_parameters()}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("forward", [SHARED, PADDING_FREE, PADDED])
def test_loss_and_every_gradient_equal_the_naive_forward(trunk_of, family, forward):
    model = reward_model(trunk_of(family))
    batch = Collator(GROUPS, forward)(range(len(GROUPS)))
    expected_loss, expected = loss_and_gradients(model, naive_scores(model, GROUPS), batch)
    model.use_forward(forward)
    loss, gradients = loss_and_gradients(model, model(**pack(GROUPS, forward)), batch)
    assert loss == pytest.approx(expected_loss, abs=1e-5)
    for name, gradient in gradients.items():
        torch.testing.assert_close(
            gradient, expected[name], atol=1e-5, rtol=1e-4, msg=lambda text, n=name: f"{n}: {text}"
        )


def test_the_probe_groups_can_tell_a_wrong_attention_from_a_right_one(trunk_of):
    """Were this not so, the two tests around it would pass for any attention."""
    model = reward_model(trunk_of("Llama"))
    expected = naive_scores(model, GROUPS)
    model.use_forward(SHARED)
    batch = pack(GROUPS, SHARED)
    batch["position_ids"] = torch.arange(batch["input_ids"].shape[1])[None]
    assert (model(**batch) - expected).abs().max() > 1e-2


@pytest.mark.parametrize(
    ("family", "changes"), [("Mistral", {"sliding_window": 6}), ("Gemma3Text", {"sliding_window": 6, "head_dim": 8})]
)
def test_a_sliding_window_reaches_from_the_response_back_into_the_prompt(trunk_of, family, changes):
    model = reward_model(trunk_of(family, **changes))
    expected = naive_scores(model, GROUPS)
    model.use_forward(SHARED)
    torch.testing.assert_close(model(**pack(GROUPS, SHARED)), expected, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("forward", [SHARED, PADDING_FREE, PADDED])
def test_a_score_does_not_depend_on_what_else_is_in_the_batch(trunk_of, forward):
    """TRL 2758, reward-bench 137: the same response scored otherwise in a batch, or beside a longer one."""
    model = reward_model(trunk_of("Qwen2"))
    model.use_forward(forward)
    together = score_groups(model, GROUPS, forward)
    alone = [score_groups(model, [group], forward)[0] for group in GROUPS]
    for one, other in zip(together, alone, strict=True):
        assert one == pytest.approx(other, abs=1e-5)


@pytest.mark.parametrize("pad", [0, 7, None])
def test_no_padding_token_changes_a_score(trunk_of, pad):
    model = reward_model(trunk_of("Llama"))
    expected = naive_scores(model, GROUPS)
    model.trunk.config.pad_token_id = pad
    for forward in (SHARED, PADDING_FREE, PADDED):
        model.use_forward(forward)
        torch.testing.assert_close(model(**pack(GROUPS, forward)), expected, atol=1e-5, rtol=1e-4)


def test_left_or_right_the_score_is_read_at_the_last_token_of_each_response():
    """A marked last token per response: the index points at it in every layout."""
    groups = [
        EncodedGroup("a", 0, (1, 2), ((3, 91), (4, 5, 92)), (0, 0), ()),
        EncodedGroup("b", 1, (), ((93,),), (0,), ()),
    ]
    for forward in (SHARED, PADDING_FREE, PADDED):
        batch = pack(groups, forward)
        assert batch["input_ids"].flatten()[batch["last"]].tolist() == [91, 92, 93]


def test_positions_go_on_from_the_prompt_in_each_response():
    batch = pack([encoded(3, 2, 4)], SHARED)
    assert batch["position_ids"].tolist() == [[0, 1, 2, 3, 4, 3, 4, 5, 6]]


def test_sharing_saves_the_tokens_of_the_prompt():
    assert pack(GROUPS, SHARED)["input_ids"].numel() == sum(group.tokens() for group in GROUPS)
    assert pack(GROUPS, PADDING_FREE)["input_ids"].numel() > pack(GROUPS, SHARED)["input_ids"].numel()


@pytest.mark.parametrize("family", FAMILIES)
def test_an_ordinary_model_shares_its_prompts(trunk_of, family):
    assert choose_forward(reward_model(trunk_of(family)), "auto") == SHARED


def test_a_recurrent_model_falls_back_and_says_why(trunk_of, caplog):
    model = reward_model(trunk_of("Mamba", state_size=4))
    expected = naive_or_padded(model)
    with caplog.at_level("INFO", logger="training.engine.forwards"):
        assert choose_forward(model, "auto") == PADDED
    assert "carry a state" in caplog.text
    torch.testing.assert_close(model(**pack(GROUPS, PADDED)), expected, atol=1e-4, rtol=1e-4)


def naive_or_padded(model):
    with torch.no_grad():
        return torch.cat(
            [
                model.head(model.trunk(input_ids=torch.tensor([[*group.prefix, *suffix]])).last_hidden_state[0, -1])
                for group in GROUPS
                for suffix in group.suffixes
            ]
        )


def test_a_model_with_capped_attention_falls_back(trunk_of, caplog):
    with caplog.at_level("INFO", logger="training.engine.forwards"):
        assert choose_forward(reward_model(trunk_of("Gemma2", head_dim=8)), "auto") == PADDED
    assert "softcap" in caplog.text


def test_a_forward_that_is_asked_for_but_wrong_is_refused(trunk_of):
    with pytest.raises(ForwardUnusable, match="carry a state"):
        choose_forward(reward_model(trunk_of("Mamba", state_size=4)), SHARED)


def test_token_batches_hold_every_group_once_within_the_limit():
    batches = token_batches(GROUPS, 60)
    assert [number for batch in batches for number in batch] == list(range(len(GROUPS)))
    assert all(len(batch) == 1 or sum(GROUPS[number].tokens() for number in batch) <= 60 for batch in batches)


def test_every_epoch_has_every_group_once_in_an_order_of_its_own():
    def order(seed, epoch):
        sampler = GroupOrder(50, seed)
        sampler.set_epoch(epoch)
        return list(sampler)

    assert order(1, 0) == order(1, 0)
    assert len({tuple(order(seed, epoch)) for seed in (1, 2) for epoch in (0, 1, 2)}) == 6
    assert all(sorted(order(1, epoch)) == list(range(50)) for epoch in range(3))
