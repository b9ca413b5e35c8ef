"""Two turns: choose what matters here and look at the responses for it, then think again and decide (BR-RM)."""

from annotation.judges.protocols.base import Protocol

PROTOCOL = Protocol(
    name="branch_rethink",
    title="Branch and rethink",
    about=(
        "A first turn names the two or three things that decide this case and checks the responses for them; a second "
        "one goes through its findings again and gives the verdict."
    ),
    source="Jiao et al. 2025, arXiv:2510.23596",
    thinking=(
        "Do not give a verdict yet. Name the two or three things that decide this case, such as facts, sums, safety or "
        "what was asked for, and for each say, by the responses' letters, what you find when you look for faults in it."
    ),
)
