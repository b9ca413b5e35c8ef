"""The table of field cases (FIELD_CASES.md) names tests that are there."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| (\d+) \|.*\| `([\w/]+\.py)::(\w+)` \|$", re.MULTILINE)


def test_every_field_case_of_seats_and_submits_has_a_test_that_exists():
    rows = ROW.findall((Path(__file__).parent / "FIELD_CASES.md").read_text())
    missing = [f"{path}::{name}" for _case, path, name in rows if f"def {name}(" not in (ROOT / path).read_text()]
    assert not missing
    assert {int(case) for case, _path, _name in rows} >= {1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 34}
