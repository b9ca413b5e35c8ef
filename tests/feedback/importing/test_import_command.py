import json

import pytest
from django.core.management import CommandError, call_command

from feedback.models import Campaign, Task
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
PAIR = {"prompt": "Why?", "chosen": "Because.", "rejected": "Dunno."}


@pytest.fixture
def write(tmp_path):
    def to_file(*rows, name="pairs.jsonl"):
        path = tmp_path / name
        path.write_text("\n".join(json.dumps(row) for row in rows))
        return str(path)

    return to_file


def test_a_file_can_open_its_own_campaign(write, alice, capsys):
    call_command("import_tasks", write(PAIR), new="Pairs", user="alice")
    campaign = Campaign.objects.get(name="Pairs")
    assert campaign.form.questions[0].kind.name == "pairwise"
    assert campaign.memberships.get().user == alice
    assert campaign.tasks.count() == 1
    call_command("import_tasks", write(PAIR), campaign=str(campaign.pk))
    assert "Nothing new." in capsys.readouterr().out


def test_a_refused_file_leaves_no_campaign_behind(write, alice):
    with pytest.raises(CommandError, match="row 2, chosen"):
        call_command("import_tasks", write(PAIR, {**PAIR, "chosen": 5}), new="Pairs")
    assert not Campaign.objects.exists()


def test_a_dry_run_changes_nothing_and_lists_the_rows_it_would_refuse(write, alice, capsys):
    call_command("import_tasks", write(PAIR, {**PAIR, "chosen": 5}), new="Pairs", dry_run=True)
    assert not Campaign.objects.exists()
    assert not Task.objects.exists()
    out = capsys.readouterr().out
    assert "1 would be added" in out
    assert "row 2, chosen: Expected text or a list of messages. Found: 5" in out


def test_tasks_alone_can_be_imported(write, alice):
    call_command("import_tasks", write(PAIR), "--no-judgements", new="Pairs")
    task = Task.objects.get()
    assert not task.judgements.exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"campaign": "nonsense"}, "There is no campaign"),
        ({"new": "x", "user": "nobody"}, "There is no user"),
        ({"new": "x"}, "Say who manages the new campaign: --user USERNAME"),
    ],
)
def test_a_wrong_argument_is_one_clear_line(write, arguments, said):
    with pytest.raises(CommandError, match=said):
        call_command("import_tasks", write(PAIR), **arguments)


def test_a_missing_file_is_one_clear_line():
    with pytest.raises(CommandError, match="There is no file"):
        call_command("import_tasks", "/nowhere/pairs.jsonl", new="x")


def test_the_only_person_who_may_open_campaigns_manages_it_and_of_two_one_is_named(write, alice):
    call_command("import_tasks", write(PAIR), new="Pairs")
    assert Campaign.objects.get().memberships.get().user == alice
    UserFactory(username="ada", opens_campaigns=True)
    with pytest.raises(CommandError, match="ada, alice"):
        call_command("import_tasks", write(PAIR), new="More pairs")


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        ({"responses": ["a", "b"]}, "pairwise"),
        ({"responses": ["a", "b", "c"]}, "ranking"),
        ({"responses": ["a"]}, "rating"),
        ({"responses": ["a"], "criteria": [{"key": "c", "text": "Is short."}]}, "checklist"),
        ({"responses": [{"steps": ["one", "two"]}]}, "steps"),
    ],
)
def test_a_file_that_does_not_say_what_to_ask_gets_the_plainest_question_that_fits(write, alice, row, kind):
    call_command("import_tasks", write({"prompt": "Why?", **row}), new="Own")
    campaign = Campaign.objects.get()
    (question,) = campaign.form.questions
    assert question.kind.name == kind
    assert question.kind.check_content(question.settings, campaign.tasks.get().content) == []
