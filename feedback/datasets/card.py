"""The dataset card: README.md with the YAML that `datasets.load_dataset(FOLDER, CONFIG)` reads.  Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from feedback.datasets.formats.registry import FORMATS, SPLITS
from feedback.datasets.selection import Selection
from feedback.datasets.votes import REASONS

JSON = Any
_NEITHER = {
    "half": "counts one half for either side",
    "drop": "pairs of which it is the verdict are left out",
    "drop_votes": "such votes are left out before merging",
}


@dataclass(frozen=True)
class CardFacts:
    """Everything the card says.  campaigns: (name, id)."""

    name: str
    number: int
    frozen_at: str
    sha256: str
    campaigns: Sequence[tuple[str, str]]
    selection: Selection
    counts: Mapping[str, JSON]


def write_card(facts: CardFacts) -> str:
    parts = [_front_matter(facts), _opening(facts), _rows(facts.counts), _reconciliation(facts.counts)]
    return "\n\n".join([*parts, _policies(facts.selection), _use(), _provenance(facts)]) + "\n"


def _front_matter(facts: CardFacts) -> str:
    lines = ["---", f"pretty_name: {_quoted(str(facts.name))}"]
    if facts.selection.licence:
        lines.append(f"license: {_quoted(facts.selection.licence)}")
    lines.append("configs:")
    full = _full_splits(facts.counts)
    for name, splits in full.items():
        lines += [f"- config_name: {name}", "  data_files:"]
        for split in splits:
            lines += [f"  - split: {split}", f"    path: {name}/{split}.parquet"]
        if name == next(iter(full)):
            lines.append("  default: true")
    return "\n".join([*lines, "---"])


def card_of_export(card: str, format: str, splits: Sequence[str], suffix: str) -> str:
    """The card beside one exported format: it names the files that are there, for `load_dataset(FOLDER)` to find."""
    head, _, rest = card.partition("configs:\n")
    _, _, body = rest.partition("\n---\n")
    files = [f"  - split: {split}\n    path: {format}/{split}.{suffix}" for split in splits]
    lines = [f"- config_name: {format}", "  data_files:", *files, "  default: true"]
    return "\n".join([f"{head}configs:", *lines, "---", body])


def _full_splits(counts: Mapping[str, JSON]) -> dict[str, list[str]]:
    """Format → splits that have rows: `load_dataset` refuses an empty one."""
    rows = counts["rows"]
    found = {name: [split for split in SPLITS if rows.get(name, {}).get(split)] for name in FORMATS}
    return {name: splits for name, splits in found.items() if splits}


def _opening(facts: CardFacts) -> str:
    c = facts.counts
    raters = ", ".join(f"{n} {kind}" for kind, n in c["raters"].items()) or "none"
    return (
        f"# {_line(facts.name)}, version {facts.number}\n\n"
        f"Frozen {facts.frozen_at} from {len(facts.campaigns)} campaign(s): {c['tasks']['exported']} tasks, "
        f"{c['exported']} judgements; raters: {raters}.\n\n"
        f"sha256 of the rows: `{facts.sha256}`\n\n"
        f"Licence: {facts.selection.licence or 'not stated; ask whoever made it before you share it'}."
    )


def _rows(counts: Mapping[str, JSON]) -> str:
    lines = ["## Formats", "", "| config | train | test | what a row is |", "|---|---:|---:|---|"]
    for format in FORMATS.values():
        n = counts["rows"].get(format.name, {})
        lines.append(f"| `{format.name}` | {n.get('train', 0)} | {n.get('test', 0)} | {format.about} |")
    prompts = counts["prompts"]
    lines += ["", f"Prompts: {prompts['train']} train, {prompts['test']} test; no prompt is on both sides."]
    if counts["even_pairs"]:
        lines.append(f"{counts['even_pairs']} pairs are even: they have no chosen side and are in `group` only.")
    return "\n".join(lines)


def _reconciliation(counts: Mapping[str, JSON]) -> str:
    lines = ["## Where the judgements went", "", "| | judgements |", "|---|---:|"]
    lines.append(f"| in the campaigns | {counts['judgements']} |")
    lines += [f"| dropped: {r.replace('_', ' ')} | {counts['dropped'][r]} |" for r in REASONS if r in counts["dropped"]]
    return "\n".join([*lines, f"| exported | {counts['exported']} |"])


def _policies(selection: Selection) -> str:
    kinds = ", ".join(selection.rater_kinds) or "all"
    questions = ", ".join(f"`{key}`" for key in selection.questions) or "all"
    lines = [
        "## Policies",
        "",
        f"- questions: {questions}; raters: {kinds}; at least {selection.min_raters} a pair",
        f"- a tie: {_NEITHER[selection.ties]}",
        f"- both bad: {_NEITHER[selection.both_bad]}",
        f"- weight of a comparison: {'its number of votes' if selection.weights == 'votes' else '1'}",
        f"- held out: {selection.test_fraction:g} of the prompts, by a hash of the prompt"
        + (f" and the salt {_quoted(selection.salt)}" if selection.salt else ""),
    ]
    return "\n".join(lines)


def _use() -> str:
    return '## Use\n\n```python\nfrom datasets import load_dataset\n\npairs = load_dataset("FOLDER", "preference")\n```'


def _provenance(facts: CardFacts) -> str:
    lines = ["## Provenance", ""]
    lines += [f"- campaign “{_line(name)}” (`{id}`)" for name, id in facts.campaigns]
    return "\n".join([*lines, "- raters have pseudonyms, numbered within this version"])


def _quoted(text: str) -> str:
    """A YAML double-quoted scalar: JSON is one, as long as no character is written as two surrogates."""
    return json.dumps(_printable(text), ensure_ascii=False)


def _printable(text: str) -> str:
    return "".join(character for character in " ".join(text.split()) if character.isprintable())


def _line(text: str) -> str:
    """A name as one line of Markdown."""
    return _printable(text).replace("`", "'").replace("<", "&lt;")
