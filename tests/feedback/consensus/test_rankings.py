import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedback.consensus.rankings import Order, compare_places, merge_orders

IDS = ("r1", "r2", "r3")
PLACES = st.fixed_dictionaries({id: st.integers(0, 2) for id in IDS})
ORDERS = st.lists(st.builds(Order, PLACES, st.floats(0.1, 5)), min_size=1, max_size=6)


def by_pair(consensus):
    return {(pair.first, pair.second): pair for pair in consensus.pairs}


def test_three_orders_by_hand():
    orders = [
        Order({"r1": 0, "r2": 1, "r3": 2}, voter=0),
        Order({"r2": 0, "r1": 1, "r3": 1}, voter=1),
        Order({"r1": 0, "r3": 0, "r2": 1}, weight=2.0, voter=2),
    ]
    pairs = by_pair(merge_orders(orders, IDS))
    assert list(pairs) == [("r1", "r2"), ("r1", "r3"), ("r2", "r3")]
    first = pairs["r1", "r2"]
    assert (first.probability, first.strength) == (pytest.approx(3 / 4), pytest.approx((1 - 1 + 2 * 1) / 4))
    assert (first.agreement, first.n_raters, first.n_ties, first.voters) == (pytest.approx(3 / 4), 3, 0, (0, 1, 2))
    tied = pairs["r1", "r3"]
    assert (tied.probability, tied.n_ties) == (pytest.approx((1 + 0.5 + 2 * 0.5) / 4), 2)
    assert pairs["r2", "r3"].strength == pytest.approx((1 + 1 - 2 * 1) / 4)


def test_who_placed_nothing_or_has_no_weight_is_not_heard():
    orders = [Order({}), Order({"r1": 1, "r2": 0, "r3": 2}, weight=0.0), Order({"r1": 0, "r2": 1}, voter=2)]
    (pair,) = merge_orders(orders, IDS).pairs
    assert (pair.first, pair.second, pair.probability, pair.voters) == ("r1", "r2", 1.0, (2,))
    assert merge_orders([Order({})], IDS).pairs == ()


@given(ORDERS)
def test_a_pair_is_the_weighted_mean_of_what_each_order_says_of_it(orders):
    total = sum(order.weight for order in orders)
    for (first, second), pair in by_pair(merge_orders(orders, IDS)).items():
        sides = [compare_places(order.places, IDS)[first, second] for order in orders]
        mean = sum(side * order.weight for side, order in zip(sides, orders, strict=True)) / total
        assert pair.probability == pytest.approx((1 + mean) / 2)
        assert pair.n_ties == sides.count(0)
        assert (pair.strength > 0) <= any(side > 0 for side in sides)


@given(ORDERS)
def test_preferences_turn_round_with_the_stored_order(orders):
    straight, turned = by_pair(merge_orders(orders, IDS)), by_pair(merge_orders(orders, IDS[::-1]))
    for (first, second), pair in straight.items():
        other = turned[second, first]
        assert other.probability == pytest.approx(1 - pair.probability)
        assert other.strength == pytest.approx(-pair.strength)
        assert other.agreement == pytest.approx(pair.agreement)
