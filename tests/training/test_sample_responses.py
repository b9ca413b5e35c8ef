"""The example that puts responses beside prompts, with a stand-in for the model; what it writes can be imported."""

import json
from dataclasses import dataclass

from examples.sample_responses import messages_of, read_first, sample_into
from feedback.importing.layouts.registry import detect_layout
from feedback.importing.rows import Row
from feedback.questions.form import read_form


@dataclass
class Said:
    text: str


class Echo:
    """Answers with the last message and the number of the batch's row."""

    def draw(self, prompts, seed):
        return [Said(f"{prompt[-1]['content']} {row}") for row, prompt in enumerate(prompts)]


PROMPTS = [
    {"key": n, "prompt": f"Say {n}.", "instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]} for n in range(3)
]


def test_sampled_prompts_can_be_imported(tmp_path):
    file = tmp_path / "prompts.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in PROMPTS))
    rows = read_first(file, 2)
    sample_into(rows, Echo(), per_row=2, seed=1)
    layout = detect_layout(rows[0])
    tasks = [layout.read(Row(n, row), read_form(layout.form), judged=True) for n, row in enumerate(rows)]
    assert [[response.text for response in task.content.responses] for task in tasks] == [
        ["Say 0. 0", "Say 0. 1"],
        ["Say 1. 2", "Say 1. 3"],
    ]
    assert {response.model for task in tasks for response in task.content.responses} == {"SmolLM2-135M-Instruct"}


def test_a_system_prompt_stands_before_what_is_asked():
    asked = {"system_prompt": "Be kind.", "input": "Why?"}
    assert [message["role"] for message in messages_of(asked)] == ["system", "user"]
    assert messages_of({"instruction": "Go."}) == [{"role": "user", "content": "Go."}]
