"""Text that people and models wrote → HTML that a rater's browser can be trusted with."""

from feedback.rendering.markdown import SOURCE_BYTES, Rendered, render_code, render_markdown
from feedback.rendering.source import source_html

__all__ = ["SOURCE_BYTES", "Rendered", "render_code", "render_markdown", "source_html"]
