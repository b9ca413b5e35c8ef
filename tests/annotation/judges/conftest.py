import pytest

from annotation.judges.registering import make_judge, save_endpoint
from bench.scripted_endpoint import ScriptedEndpoint
from tests.factories import CampaignFactory, TaskFactory


@pytest.fixture
def served():
    """A scripted endpoint that is closed at the end."""
    opened = []

    def serve(*args, **fields):
        endpoint = ScriptedEndpoint(*args, **fields).__enter__()
        opened.append(endpoint)
        return endpoint

    yield serve
    for endpoint in opened:
        endpoint.__exit__()


@pytest.fixture
def judge_at(db):
    """A judge at this endpoint."""

    def make(endpoint, **fields):
        row = save_endpoint(name=endpoint.base_url, base_url=endpoint.base_url, timeout_s=5.0, prompt_price=2)
        return make_judge(**{"name": "Judge", "endpoint": row, "model": "m", **fields})

    return make


@pytest.fixture
def task_of(db, alice):
    """The only task of a campaign that asks these questions."""

    def make(*questions, content=None, **fields):
        campaign = CampaignFactory(manager=alice, questions=list(questions), n_tasks=0, **fields)
        return TaskFactory(campaign=campaign, content=content or {"prompt": "Why?", "responses": ["good", "bad"]})

    return make
