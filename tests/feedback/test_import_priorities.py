"""A file may say which tasks are asked first."""

import pytest

from feedback.exceptions import ImportRefused
from feedback.models import Task
from feedback.services.importing import import_tasks
from tests.factories import CampaignFactory

pytestmark = pytest.mark.django_db


def row(name, **more):
    return {"external_id": name, "prompt": f"Say {name}.", "responses": ["One.", "Two."], **more}


def test_a_files_priorities_are_kept_and_claims_look_for_them():
    campaign = CampaignFactory()
    import_tasks(campaign, [row("a", priority=7), row("b"), row("c", priority="3")], actor=None)
    assert dict(Task.objects.values_list("external_id", "priority")) == {"a": 7, "b": 0, "c": 3}
    campaign.refresh_from_db()
    assert campaign.has_priorities


def test_a_file_without_priorities_leaves_claims_as_they_are():
    campaign = CampaignFactory()
    import_tasks(campaign, [row("a"), row("b", priority=0)], actor=None)
    campaign.refresh_from_db()
    assert not campaign.has_priorities


@pytest.mark.parametrize("priority", [-1, 32768, 1.5, "high", True])
def test_a_priority_that_is_none_refuses_the_row_and_says_why(priority):
    campaign = CampaignFactory()
    with pytest.raises(ImportRefused) as refused:
        import_tasks(campaign, [row("a", priority=priority)], actor=None)
    (error,) = refused.value.report.refused
    assert error.column == "priority"
    assert "whole number" in error.reason
