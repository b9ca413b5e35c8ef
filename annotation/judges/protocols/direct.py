"""One call, one verdict."""

from annotation.judges.protocols.base import Protocol

PROTOCOL = Protocol(
    name="direct",
    title="Direct",
    about="Each call asks for the verdict at once. The cheapest, and as good as any where the model is strong.",
)
