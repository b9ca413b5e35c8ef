"""Bounds on length: IFEval's `length_constraints:number_words` and `length_constraints:number_sentences`."""

from __future__ import annotations

from typing import ClassVar

from feedback.verifiers.base import Bounds, Verdict, Verifier, VerifierFailed, counted
from feedback.verifiers.sentences import sentences_in
from feedback.verifiers.words import words_in


class WordCount(Verifier[Bounds]):
    """Counts words as IFEval does (`\\w+`), with combining marks inside their word."""

    name: ClassVar[str] = "word_count"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Number of words"
    Params = Bounds

    def judge(self, prompt: str, response: str, params: Bounds) -> Verdict:
        fewest, most = words_in(response)
        if fewest == most:
            return counted(fewest, "word", params)
        if params.allow(fewest) and params.allow(most):
            return Verdict(True, f"{fewest} to {most} words, asked for {params}")
        if _misses(params, fewest, most):
            return Verdict(False, f"{fewest} to {most} words, asked for {params}")
        raise VerifierFailed(
            f"The response has {fewest} to {most} words: a part of it is in a script without spaces, where words "
            "cannot be counted. Ask a person, or set another criterion for this language."
        )


class SentenceCount(Verifier[Bounds]):
    """Counts sentences, which end at a stop, at a blank line or where a list entry begins."""

    name: ClassVar[str] = "sentence_count"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Number of sentences"
    Params = Bounds

    def judge(self, prompt: str, response: str, params: Bounds) -> Verdict:
        return counted(len(sentences_in(response)), "sentence", params)


def _misses(bounds: Bounds, fewest: int, most: int) -> bool:
    """Whether every count from `fewest` to `most` lies outside the bounds."""
    too_few = bounds.min is not None and most < bounds.min
    too_many = bounds.max is not None and fewest > bounds.max
    return too_few or too_many
