"""Where a sentence ends: by rules, since the punkt model that IFEval uses may not be on the machine."""

from __future__ import annotations

import re

from feedback.verifiers.words import contains_a_word

# Written with a full stop that ends no sentence: only words that hardly ever stand last.
_NEVER_LAST = re.compile(
    r"(?:adm|approx|cf|dr|e\.g|figs?|gen|gov|i\.e|lt|messrs|mr|mrs|ms|mt|mx|pp|prof|rep|rev|sen|sgt|st|viz|vs)\."
)
# These may stand last: a small letter after them shows that they do not.
_SOMETIMES_LAST = re.compile(r"(?:co|corp|dept|etc|inc|jr|ltd|sr|(?:[^\W\d_]\.)+[^\W\d_])\.")
_BEFORE_NUMBER = re.compile(r"(?:art|ch|nos?|p|sec|vol)\.")

_OPENING = "\"'“‘«([*_¿¡"
_CLOSING = r"\"'”’»)\]*_」』）"
# Wide stops (East Asian, Devanagari, Armenian, Urdu, Arabic) need no space after them.
_STOP = re.compile(rf"(?:(?<![.!?…‽])[.!?…‽]++[{_CLOSING}]*+(?=\s|$)|[。！？｡।॥։۔؟]++[{_CLOSING}]*+)\s*+")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
_LIST_MARKER = re.compile(r"\s*(?:[*+\-•‣◦⁃]|\d{1,3}[.)])\s+")
_LONGEST_WORD = 40


def sentences_in(text: str) -> list[str]:
    """The sentences of `text` in order, markers of list entries removed.

    As punkt, "!" and "?" end a sentence before any letter, and a full stop ends none inside a number, after an initial
    or after a known abbreviation.  Unlike punkt, a blank line and the start of a list entry end one too, or a list of
    ten would be one sentence; and what holds no letter or digit is none.
    """
    found: list[str] = []
    for block in _blocks(text):
        start = 0
        for stop in _STOP.finditer(block):
            if _ends_sentence(block, start, stop):
                found.append(block[start : stop.end()].strip())
                start = stop.end()
        found.append(block[start:].strip())
    return [sentence for sentence in found if contains_a_word(sentence)]


def _blocks(text: str) -> list[str]:
    """Paragraphs, and within them the entries of lists."""
    blocks: list[list[str]] = []
    for paragraph in _BLANK_LINE.split("\n".join(text.splitlines())):
        blocks.append([])
        for line in paragraph.split("\n"):
            marker = _LIST_MARKER.match(line)
            if marker:
                blocks.append([])
            blocks[-1].append(line[marker.end() :] if marker else line)
    return ["\n".join(lines) for lines in blocks]


def _ends_sentence(block: str, start: int, stop: re.Match[str]) -> bool:
    """Whether a sentence that began at `start` ends at this stop; at most _LONGEST_WORD characters are looked at."""
    after = block[stop.end() : stop.end() + _LONGEST_WORD].lstrip(_OPENING)
    if not after:
        return True
    before = block[max(start, stop.end() - _LONGEST_WORD) : stop.end()].split()
    word = before[-1].lstrip(_OPENING)
    if word.endswith(("...", "…")):
        return not after[0].islower()
    if not word.endswith("."):
        return True
    return not (_is_abbreviation(word, after) or _is_list_number(before, word))


def _is_abbreviation(word: str, after: str) -> bool:
    """Whether the stop belongs to `word`: an initial, a known abbreviation, or one like U.S. before a small letter."""
    small = word.casefold()
    if _NEVER_LAST.fullmatch(small) or (len(word) == 2 and word[0].isupper() and word != "I."):
        return True
    if _BEFORE_NUMBER.fullmatch(small):
        return after[0].isdigit()
    return after[0].islower() and _SOMETIMES_LAST.fullmatch(small) is not None


def _is_list_number(before: list[str], word: str) -> bool:
    """Whether `word` counts entries inside a line: "Two tips: 1. Rest. 2. Drink."."""
    if not re.fullmatch(r"\d{1,2}\.", word):
        return False
    return len(before) == 1 or before[-2].endswith((":", ";", ","))
