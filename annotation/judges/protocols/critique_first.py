"""A critique in words first, then the verdict in a call of its own that is shown the critique (CLoud)."""

from annotation.judges.protocols.base import Protocol

PROTOCOL = Protocol(
    name="critique_first",
    title="Critique, then score",
    about="A first call criticises each response in words; a second one reads that and gives the verdict.",
    source="Ankner et al. 2024, arXiv:2408.11791",
    thinking=(
        "Do not give a verdict yet. For each response, by its letter, say in a few sentences what is right with it and "
        "what is wrong, as far as it matters for the question."
    ),
)
