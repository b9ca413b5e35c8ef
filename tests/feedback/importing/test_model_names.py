"""A response that says which model wrote it is found; one that speaks about models is not."""

import pytest

from feedback.importing.model_names import names_model
from feedback.services.importing import import_tasks
from tests.feedback.importing.files import lines, open_campaign, row

SELVES = [
    "As ChatGPT, I cannot do that.",
    "Hello! I am Claude, made by Anthropic.",
    "As a language model trained by OpenAI, I have no opinion.",
    "I'm Qwen, created by Alibaba Cloud.",
    "I’m a large language model, trained by Google.",
    "My name is Llama. How can I help?",
    "As an AI language model developed by OpenAI, it is not my place.",
    "I was created by Meta AI to help.",
    "I am an OpenAI language model.",
    "As an AI assistant called Claude, I must decline.",
    "You can call me Bard.",
    "我是通义千问。",
    "Ich bin ChatGPT.",
]
OTHERS = [
    "ChatGPT is a language model trained by OpenAI.",
    "I am using Claude for this.",
    "As a language model, I cannot feel.",
    "What is GPT-4? It was trained by OpenAI.",
    "I am Claudette, and I was trained by my mother.",
    "I am a Gemini, born in June.",
    "As Google grew, I left.",
    "> I am ChatGPT\n\nThis quotation is from a forum.",
    '```python\nprint("I am ChatGPT")\n```\nprints a line.',
    "I'm a Claude fan, and I am a Microsoft employee.",
    "With models such as Llama, I think less is more.",
    "I am an engineer. The model was made by OpenAI.",
    "It is slow, as the model was trained by OpenAI.",
    "As an AI researcher, I compare models made by Google.",
    "",
]


@pytest.mark.parametrize("text", SELVES)
def test_who_names_oneself_is_found(text):
    assert names_model(text)


@pytest.mark.parametrize("text", OTHERS)
def test_who_speaks_of_others_is_not(text):
    assert not names_model(text)


@pytest.mark.django_db
@pytest.mark.parametrize("said", [0, 1])
def test_an_import_marks_the_tasks_whose_responses_name_their_model(said):
    texts = ["Sure.", "Sure too."]
    texts[said] = "I am Claude, and sure."
    campaign = open_campaign()
    rows = [row(1, responses=texts), row(2, prompt="I am Claude, made by Anthropic. And you?")]
    import_tasks(campaign, lines(*rows), "touchstone", actor=None)
    assert [task.external_id for task in campaign.tasks.filter(names_model=True)] == ["t1"]
