"""`python -m training.engine RUN_DIR` trains or resumes; `… evaluate`, `… score` and `… sample` do what they say.

torch is imported only after the process has set its environment, and only by the command that needs it.
"""

from __future__ import annotations

import sys

from training.engine.environment import set_defaults

set_defaults()

from training.engine.commands import main  # noqa: E402 - the environment must be set before torch is imported

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
