"""Rows of one task put together, and tasks of one row taken apart."""

from feedback.importing import arranging
from feedback.importing.arranging import group_rows, members_of, rows_of, spread_rows
from feedback.importing.rows import Row, RowError, RowRefused


def rows(keys):
    """`a` … are rows with that key, `!` is a row that cannot be read."""
    return (RowError(n, "", "Broken.") if key == "!" else Row(n, {"k": key, "n": n}) for n, key in enumerate(keys, 1))


def told(keys):
    return [
        f"{row.number}:{len(members_of(row))}" if isinstance(row, Row) else f"{row.number}!"
        for row in group_rows(rows(keys), ["k"])
    ]


def test_rows_that_stand_together_are_one_with_the_number_of_the_first():
    assert told("aabccc") == ["1:2", "3:1", "4:3"]
    (group,) = group_rows(rows("aa"), ["k"])
    assert [values["n"] for values in rows_of(group)] == [1, 2]


def test_rows_that_come_back_later_are_refused():
    assert told("aabba") == ["1:2", "3:2", "5!"]


def test_a_group_beside_an_unreadable_row_is_refused_since_it_may_miss_one():
    assert told("aa!bbc") == ["1!", "3!", "4!", "6:1"]
    assert told("!!a") == ["1!", "2!", "3!"]
    assert told("a!") == ["1!", "2!"]
    assert told("!") == ["1!"]


def test_a_group_too_long_for_memory_is_refused(monkeypatch):
    monkeypatch.setattr(arranging, "MAX_GROUP", 2)
    assert told("aaab") == ["1!", "4:1"]


def test_a_row_is_spread_into_its_tasks_or_refused_whole():
    def halves(row):
        yield Row(row.number, {"half": 1})
        if row.values["k"] == "b":
            raise RowRefused("k", "Is odd.", "b")
        yield Row(row.number, {"half": 2})

    found = list(spread_rows(rows("ab!"), halves))
    assert [row.number for row in found] == [1, 1, 2, 3]
    assert [isinstance(row, RowError) for row in found] == [False, False, True, True]
