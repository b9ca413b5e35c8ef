"""What a word is, in any script: shared by the verifiers that count or look for words.

Python's `\\w` leaves out combining marks, so that `\\w+` finds three words in the one Hindi word हिन्दी.  And a script
that is written without spaces has no word borders that a pattern could see; there, these functions say so.
"""

from __future__ import annotations

import re
import unicodedata

# Soft hyphen, zero-width non-joiner and joiner, word joiner, byte order mark: invisible, and no border of a word.
_JOINERS = dict.fromkeys(map(ord, "\u00ad\u200c\u200d\u2060\ufeff"))
# The same and the zero-width space: invisible, so they may not hide a word from a search either.
_INVISIBLE = {**_JOINERS, ord("\u200b"): None}
_WORD = re.compile(r"\w+")
# Thai, Lao, Myanmar, Khmer, kana, Han with its extensions and compatibility forms, half-width kana.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)


def words_in(text: str) -> tuple[int, int]:
    """The fewest and the most words in `text`: equal unless a part is in a script without spaces.

    As IFEval counts (a word is a run of letters, digits and underscores, so that "don't" is two), but marks and
    joiners belong to the word they stand in.  A run of an unspaced script is one word at least, and at most as many
    as it has characters.
    """
    runs = _WORD.findall(_without_marks(text))
    unspaced = (len(_UNSPACED.findall(run)) for run in runs)
    return len(runs), len(runs) + sum(letters - 1 for letters in unspaced if letters)


def is_blank(text: str) -> bool:
    """Whether a reader would see nothing at all."""
    return not text.translate(_INVISIBLE).strip()


def contains_a_word(text: str) -> bool:
    return _WORD.search(text) is not None


def normalised(text: str) -> str:
    """For comparing: compatibility forms unified, case folded, invisible characters removed."""
    folded = unicodedata.normalize("NFKC", text.translate(_INVISIBLE)).casefold()
    return unicodedata.normalize("NFKC", folded)


def count_occurrences(needle: str, text: str, *, whole_words: bool) -> int:
    """How often `needle` stands in `text` without overlap; both must be `normalised`, `needle` not empty.

    With `whole_words` it must not be part of a longer word.  Where an unspaced script meets an edge there is no border
    to see, and any occurrence counts.
    """
    count, start = 0, text.find(needle)
    while start >= 0:
        end = start + len(needle)
        whole = _border(text[start - 1 : start], needle[0]) and _border(text[end : end + 1], needle[-1])
        found = whole or not whole_words
        count += found
        start = text.find(needle, end if found else start + 1)
    return count


def _border(outside: str, inside: str) -> bool:
    """Whether a word may begin or end between the two characters; `outside` is empty at the end of the text."""
    if not outside:
        return True
    if unicodedata.category(outside).startswith("M"):
        return False
    both_in_words = _is_word_character(outside) and _is_word_character(inside)
    return not both_in_words or bool(_UNSPACED.match(outside) or _UNSPACED.match(inside))


def _is_word_character(character: str) -> bool:
    return character.isalnum() or character == "_" or unicodedata.category(character).startswith("M")


def _without_marks(text: str) -> str:
    if text.isascii():
        return text
    bare = text.translate(_JOINERS)
    return "".join(char for char in bare if not unicodedata.category(char).startswith("M"))
