"""A task with what raters said about it → one group of comparisons and ratings, and where each judgement went.  Pure.

A judgement is exported when it counts in at least one comparison or rating, or is a critique, which is a row of its
own; else it is dropped for the reason that stopped it last, in the order of REASONS.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from feedback.datasets.selection import Neither, Selection, aspect_name
from feedback.questions.base import Consensus, Content, Pair
from feedback.questions.form import Question
from feedback.questions.pairwise import PairwiseAnswer

JSON = Any
EXPORTED = "exported"
REASONS = (
    "superseded",
    "surplus",
    "withdrawn_task",
    "gold",
    "rater_kind",
    "not_admitted",
    "no_answer",
    "no_weight",
    "cannot_tell",
    "tie_vote",
    "both_bad_vote",
    "nothing_to_compare",
    "too_few_raters",
    "identical_responses",
    "tie",
    "both_bad",
)
"""From what stops a judgement first to what stops it last; the words for people are in feedback.datasets.words."""
_FURTHER = {reason: place for place, reason in enumerate((*REASONS, EXPORTED))}


@dataclass(frozen=True)
class Told:
    """One usable judgement.  rater: its pseudonym.  answers: {question key: answer model}, what it answered."""

    rater: str
    kind: str
    weight: float
    answers: Mapping[str, Any]


@dataclass(frozen=True)
class TaskVotes:
    """A task and its usable judgements, in the order of pseudonyms so that sums come out the same everywhere."""

    id: str
    prompt_hash: str
    content: Content
    questions: tuple[Question, ...]
    told: tuple[Told, ...]


@dataclass(frozen=True)
class Comparison:
    """question: with its aspect, if it has any.  first, second: positions among the responses.  margin: mean strength,
    ≥ 0.  votes: raters who counted.
    """

    question: str
    first: int
    second: int
    probability: float
    margin: float
    weight: float
    votes: int


@dataclass(frozen=True)
class Rating:
    """What a response is worth on one aspect.  attribute: the question with its aspect.  votes: raters who counted."""

    response: int
    attribute: str
    value: float
    weight: float
    question: str = ""
    aspect: str = ""
    votes: int = 1


@dataclass(frozen=True)
class Vote:
    """One answer that counted, as it was given."""

    question: str
    told: Told


@dataclass(frozen=True)
class Group:
    """The unit of data: a prompt, its responses, and what is known about them.  questions: those that were asked."""

    id: str
    split: str
    content: Content
    comparisons: tuple[Comparison, ...]
    ratings: tuple[Rating, ...]
    votes: tuple[Vote, ...]
    questions: tuple[Question, ...] = ()

    def question(self, key: str) -> Question:
        return next(question for question in self.questions if question.key == key)


@dataclass
class Weighed:
    """What one task amounts to.  fates: one of REASONS or EXPORTED per judgement.  pairs: fate → number of pairs."""

    fates: list[str]
    comparisons: list[Comparison] = field(default_factory=list)
    ratings: list[Rating] = field(default_factory=list)
    votes: list[Vote] = field(default_factory=list)
    pairs: Counter[str] = field(default_factory=Counter)

    def mark(self, judgements: Iterable[int], fate: str) -> None:
        for index in judgements:
            self.fates[index] = max(self.fates[index], fate, key=_FURTHER.__getitem__)


def weigh(task: TaskVotes, selection: Selection) -> Weighed:
    """Merge the judgements of one task, question by question."""
    weighed = Weighed(["no_answer"] * len(task.told))
    for question in task.questions:
        _weigh_question(task, question, selection, weighed)
    return weighed


def _weigh_question(task: TaskVotes, question: Question, selection: Selection, weighed: Weighed) -> None:
    counting: list[int] = []
    for index, told in enumerate(task.told):
        if question.key in told.answers:
            stop = _stopped(told, question, task.content, selection)
            weighed.mark([index], stop or "nothing_to_compare")
            if not stop:
                counting.append(index)
    answers = [task.told[index].answers[question.key] for index in counting]
    weights = [task.told[index].weight for index in counting]
    consensus = question.kind.consensus(answers, weights, question.settings, task.content)
    heard: set[int] = set()
    if consensus is None:  # every answer stands for itself
        weighed.mark(counting, EXPORTED)
        heard.update(counting)
    merged = consensus or Consensus()
    for pair in merged.pairs:
        if not selection.wants(question.key, pair.aspect):
            continue
        voters = [counting[voter] for voter in pair.voters]
        fate = _fate_of(pair, task, selection)
        weighed.pairs[fate] += 1
        weighed.mark(voters, fate)
        if fate == EXPORTED:
            weighed.comparisons.append(_comparison(pair, question.key, task.content, selection))
            heard.update(voters)
    heard.update(_rate(merged, question.key, task.content, selection, counting, weighed))
    weighed.votes += [Vote(question.key, task.told[index]) for index in sorted(heard)]


def _rate(
    merged: Consensus, key: str, content: Content, selection: Selection, counting: Sequence[int], weighed: Weighed
) -> Sequence[int]:
    """Marks become ratings; the judgements that were heard in them."""
    wanted = [mark for mark in merged.marks if selection.wants(key, mark.aspect)]
    enough = [mark for mark in wanted if mark.n_raters >= selection.min_raters]
    for mark in enough:
        attribute = aspect_name(key, mark.aspect)
        weight = float(mark.n_raters) if selection.weights == "votes" else 1.0
        place = content.ids.index(mark.response)
        weighed.ratings.append(Rating(place, attribute, mark.value, weight, key, mark.aspect, mark.n_raters))
    if enough:
        weighed.mark(counting, EXPORTED)
    elif wanted:
        weighed.mark(counting, "too_few_raters")
    return counting if enough else ()


def _stopped(told: Told, question: Question, content: Content, selection: Selection) -> str:
    """Why an answer is no vote, or ""."""
    answer = told.answers[question.key]
    if told.weight <= 0:
        return "no_weight"
    if not question.kind.says_something(answer, content):
        return "cannot_tell"
    said = answer.verdict if isinstance(answer, PairwiseAnswer) else ""
    if said == "tie" and selection.ties == "drop_votes":
        return "tie_vote"
    if said == "both_bad" and selection.both_bad == "drop_votes":
        return "both_bad_vote"
    return ""


def _fate_of(pair: Pair, task: TaskVotes, selection: Selection) -> str:
    if pair.n_raters < selection.min_raters:
        return "too_few_raters"
    if task.content.response(pair.first).text == task.content.response(pair.second).text:
        return "identical_responses"
    if _is_neither(pair):
        reason = "both_bad" if pair.n_both_bad > pair.n_ties else "tie"
        policy: Neither = selection.both_bad if reason == "both_bad" else selection.ties
        return reason if policy == "drop" else EXPORTED
    return EXPORTED


def _is_neither(pair: Pair) -> bool:
    """Is “neither” the verdict: as the commonest one, or because the two sides are even?"""
    if abs(pair.probability - 0.5) < 1e-9:
        return True
    favoured = max(pair.probability, 1 - pair.probability)
    return pair.neither > favoured - pair.neither / 2 + 1e-9


def _comparison(pair: Pair, key: str, content: Content, selection: Selection) -> Comparison:
    return Comparison(
        question=aspect_name(key, pair.aspect),
        first=content.ids.index(pair.first),
        second=content.ids.index(pair.second),
        probability=pair.probability,
        margin=abs(pair.strength),
        weight=float(pair.n_raters) if selection.weights == "votes" else 1.0,
        votes=pair.n_raters,
    )
