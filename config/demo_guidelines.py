"""The guidelines of the demo's campaigns, as annotators read them (Markdown)."""

PAIRWISE_GUIDELINES = """\
# Which answer helps more?

Somebody asked a question; a small language model answered it twice. Say which answer **you** would rather have got.

Ask yourself, in this order:

1. **Is it true?** A wrong fact or a wrong sum weighs more than anything below.
2. **Does it answer what was asked?** All of it, and not something else.
3. **Is it clear?** Short beats long when both say the same. Repetition is a fault.

## When in doubt

* Both are equally good: **tie**. Do not look for a difference that you would not notice as the reader.
* Both are useless, for instance because they ramble or never answer: **both are bad**.
* You would have to look it up and cannot judge: **cannot tell**.
* An answer that stops in the middle was cut at a length limit. Judge what is there.

A and B change places from task to task, and nobody knows which model wrote which: there is no pattern to find.
"""

CHECKLIST_GUIDELINES = """\
# Does it follow the instructions?

Each prompt asks for something that can be checked: so many words, three bullet points, no comma. Judge **every
requirement on its own, for every answer**. Whether the answer is any good does not matter here.

* **Yes**: the requirement is kept, to the letter.
* **No**: it is not. *Almost* is no: 46 words are more than 45.
* **n.a.**: it cannot apply to this answer.
* **Unsure**: you cannot tell. That is a useful answer; it is not counted as no.

## How to count

* A word is a run of letters or digits: *don't* and *well-known* are two words each.
* A sentence ends with a full stop, a question mark or an exclamation mark.
* A bullet point is a line that begins with a dash, a star, a plus or a dot. A numbered line is none.

Programs have answered these requirements too. You do not see what they said, so that you are a check on them.
"""
