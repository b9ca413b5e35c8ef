"""Groups of text into groups of tokens, and the report of what was kept, cut and left out, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from training.engine.exceptions import NothingToTrain, TooLong
from training.engine.groups import Comparison, Group
from training.engine.rendering import Renderer, common_prefix
from training.engine.truncation import Fitted, fit_lengths
from training.recipes.reward import RewardConfig

ECHO_CHARACTERS = 20  # a shorter prompt at the start of a response may be chance
Tick = Callable[[int], None]


@dataclass(frozen=True)
class EncodedGroup:
    """A group ready for a model: `prefix` is shared by all responses, `suffixes` end with the one end token.

    `characters` are the lengths of the responses as text, for the length baseline; `key` numbers the prompt.
    """

    id: str
    key: int
    prefix: tuple[int, ...]
    suffixes: tuple[tuple[int, ...], ...]
    characters: tuple[int, ...]
    comparisons: tuple[Comparison, ...]

    def tokens(self) -> int:
        """Tokens with the prefix shared."""
        return len(self.prefix) + sum(map(len, self.suffixes))


@dataclass
class Report:
    """What happened to the comparisons of one split.  `total == kept + sum(dropped.values())` always."""

    groups: int = 0
    groups_kept: int = 0
    total: int = 0
    kept: int = 0
    truncated: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    duplicates: int = 0
    empty_response: int = 0
    prompt_repeated: int = 0
    prompts_also_in_train: int = 0
    ties: int = 0
    labels: Counter[str] = field(default_factory=Counter)
    longer_preferred: float = 0.0
    tokens: int = 0
    tokens_unshared: int = 0

    def to_json(self) -> dict[str, Any]:
        """With shares where counts alone say little.  None where there is nothing to divide by."""
        decided = self.labels["first"] + self.labels["second"]
        return {
            "groups": self.groups,
            "groups_kept": self.groups_kept,
            "comparisons": self.total,
            "kept": self.kept,
            "truncated": self.truncated,
            "dropped": {reason: self.dropped[reason] for reason in sorted(self.dropped)},
            "duplicates": self.duplicates,
            "empty_response": self.empty_response,
            "prompt_repeated": self.prompt_repeated,
            "prompts_also_in_train": self.prompts_also_in_train,
            "ties": self.ties,
            "label_balance": self.labels["first"] / decided if decided else None,
            "longer_preferred": self.longer_preferred / decided if decided else None,
            "tokens": self.tokens,
            "tokens_without_sharing": self.tokens_unshared,
        }


class Preparation:
    """Encodes groups for one split under one configuration, keeping count in `report`."""

    def __init__(self, renderer: Renderer, config: RewardConfig, *, labels_as_given: bool = False) -> None:
        """`labels_as_given` keeps every pair that fits: a test set is measured, not learnt from."""
        self.renderer = renderer
        self.config = config
        self.as_given = labels_as_given
        self.report = Report()
        self._prompts: dict[object, int] = {}
        self._seen: set[tuple[int, str, str]] = set()

    def encode(self, groups: Sequence[Group], tick: Tick = lambda done: None) -> list[EncodedGroup]:
        """The groups that still have a comparison.  Raises TooLong when the settings refuse over-long sequences."""
        kept = []
        for done, group in enumerate(groups, start=1):
            encoded = self._encode(group)
            if encoded is not None:
                kept.append(encoded)
            tick(done)
        if self.config.truncation == "refuse" and (count := self.report.dropped["too_long"]):
            raise TooLong(
                f"{count} comparisons have a sequence of more than {self.config.max_length} tokens.",
                "Raise the longest sequence, or choose to drop or cut what is longer.",
            )
        return kept

    def prompts(self) -> set[object]:
        """Prompts seen so far, to find those in both splits."""
        return set(self._prompts)

    def _encode(self, group: Group) -> EncodedGroup | None:
        report = self.report
        report.groups += 1
        report.total += len(group.comparisons)
        key = self._prompts.setdefault(group.prompt_key(), len(self._prompts))
        wanted = [comparison for comparison in group.comparisons if self._usable(group, comparison)]
        rendered = self.renderer.render(group.prompt, group.responses) if wanted else []
        needed = {index for entry in wanted for index in (entry.first, entry.second)}
        fitted, cut = fit_lengths(rendered, needed, self.config, self.renderer.tokenizer.bos_token_id)
        comparisons = [entry for entry in wanted if entry.first in fitted and entry.second in fitted]
        report.dropped["too_long"] += len(wanted) - len(comparisons)
        report.truncated += sum(entry.first in cut or entry.second in cut for entry in comparisons)
        if not comparisons:
            return None
        used = {index for entry in comparisons for index in (entry.first, entry.second)}
        encoded = share_prefix(
            group.id,
            {index: fitted[index] for index in used},
            key=key,
            characters=[len(response) for response in group.responses],
            comparisons=comparisons,
        )
        self._count(group, key, comparisons, encoded)
        return encoded

    def _usable(self, group: Group, comparison: Comparison) -> bool:
        if self.as_given:
            return True
        first, second = (group.responses[index] for index in (comparison.first, comparison.second))
        reason = ""
        if first == second:
            reason = "identical_pair"
        elif self.config.use_weights and comparison.weight == 0:
            reason = "zero_weight"
        elif not self.config.use_soft and comparison.probability == 0.5:
            reason = "tie"
        if reason:
            self.report.dropped[reason] += 1
        return not reason

    def _count(self, group: Group, key: int, comparisons: Sequence[Comparison], encoded: EncodedGroup) -> None:
        report = self.report
        report.groups_kept += 1
        report.kept += len(comparisons)
        report.tokens += encoded.tokens()
        report.tokens_unshared += encoded.tokens() + len(encoded.prefix) * (len(encoded.suffixes) - 1)
        echo = group.prompt[-1]["content"].strip()
        for entry in comparisons:
            pair = (group.responses[entry.first], group.responses[entry.second])
            seen = (key, min(pair), max(pair))
            report.duplicates += seen in self._seen
            self._seen.add(seen)
            report.empty_response += not all(text.strip() for text in pair)
            report.prompt_repeated += len(echo) >= ECHO_CHARACTERS and any(
                text.lstrip().startswith(echo) for text in pair
            )
            self._count_label(entry, len(pair[0]) - len(pair[1]))

    def _count_label(self, entry: Comparison, excess: int) -> None:
        if entry.probability == 0.5:
            self.report.ties += 1
            return
        preferred = "first" if entry.probability > 0.5 else "second"
        self.report.labels[preferred] += 1
        self.report.longer_preferred += 0.5 if excess == 0 else float((excess > 0) == (preferred == "first"))


def with_training_labels(groups: Sequence[EncodedGroup], config: RewardConfig) -> list[EncodedGroup]:
    """The comparisons as the loss sees them: the settings switch off soft labels, margin and weights."""

    def label(comparison: Comparison) -> Comparison:
        return replace(
            comparison,
            probability=comparison.probability if config.use_soft else float(comparison.probability > 0.5),
            margin=comparison.margin if config.use_margin else 0.0,
            weight=comparison.weight if config.use_weights else 1.0,
        )

    return [replace(group, comparisons=tuple(map(label, group.comparisons))) for group in groups]


def require_comparisons(report: Report) -> None:
    """Raise NothingToTrain, with the reasons, when no comparison is left."""
    if report.kept:
        return
    reasons = ", ".join(f"{count} {reason}" for reason, count in report.dropped.items() if count) or "the file is empty"
    raise NothingToTrain(
        f"None of {report.total} comparisons is left to train on ({reasons}).",
        "Raise the longest sequence, cut instead of dropping, or freeze a dataset with more judgements.",
    )


def share_prefix(
    name: str, fitted: Fitted, *, key: int = 0, characters: Sequence[int] = (), comparisons: Sequence[Comparison] = ()
) -> EncodedGroup:
    """Number the responses anew, in order, and split off the ids that all of them begin with.

    `characters` and `comparisons` speak of the responses by their old indices.
    """
    used = sorted(fitted)
    sequences = [fitted[index] for index in used]
    shared = min(len(ids) for ids in sequences) - 1  # at least the end token is a response's own
    for ids in sequences[1:]:
        shared = min(shared, common_prefix(sequences[0], ids))
    number = {index: position for position, index in enumerate(used)}
    return EncodedGroup(
        id=name,
        key=key,
        prefix=tuple(sequences[0][:shared]),
        suffixes=tuple(tuple(ids[shared:]) for ids in sequences),
        characters=tuple(characters[index] for index in used) if characters else (),
        comparisons=tuple(
            replace(entry, first=number[entry.first], second=number[entry.second]) for entry in comparisons
        ),
    )
