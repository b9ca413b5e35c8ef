"""Whether the code of a response passes its tests (HumanEval, arXiv:2107.03374; APPS, arXiv:2105.09938), in a sandbox.

See feedback.verifiers.sandbox: without its isolation nothing is run, and the answer is an absence.  A response that
sets out to fool its tests shares their process and may succeed; what it cannot do is reach the network, the files of
the installation, or outlast its limits.
"""

from __future__ import annotations

import json
import re
import secrets
from typing import ClassVar

from pydantic import Field

from feedback.verifiers.base import Params, Verdict, Verifier, VerifierFailed
from feedback.verifiers.sandbox import Limits, NoIsolation, run_isolated

_FENCE = re.compile(
    r"^ {0,3}```[ \t]*(?:python|py|python3)?[ \t]*\n(.*?)^ {0,3}```", re.DOTALL | re.MULTILINE | re.IGNORECASE
)
_RUNNER = """
import json, sys
job = json.load(sys.stdin)
sys.stdin.close()
token, out = job.pop("token"), sys.stdout
space = {"__name__": "response"}
try:
    exec(compile(job["setup"] + "\\n" + job["code"], "response", "exec"), space)
    for n, test in enumerate(job["tests"], 1):
        exec(compile(test, "test %d" % n, "exec"), space)
except BaseException as error:
    out.write("\\n%s failed %s: %s" % (token, type(error).__name__, str(error)[:300]))
else:
    out.write("\\n%s passed" % token)
out.flush()
"""


class CodeParams(Params):
    """tests: statements that raise when the code is wrong, each run by itself.  setup: stands before the code."""

    tests: list[str] = Field(min_length=1, max_length=200, description="Statements that raise when the code is wrong.")
    setup: str = Field(default="", max_length=20_000, description="Stands before the code: imports, data.")
    seconds: float = Field(default=5.0, gt=0, le=60, description="Wall-clock time for all of them.")
    memory_mb: int = Field(default=256, ge=64, le=4096, description="Address space it may use.")

    model_config = {**Params.model_config, "str_max_length": 20_000}


class PassesTests(Verifier[CodeParams]):
    """The Python in the response (its last fenced block, else all of it) passes every test."""

    name: ClassVar[str] = "passes_tests"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Its Python code passes the tests"
    Params = CodeParams

    def judge(self, prompt: str, response: str, params: CodeParams) -> Verdict:
        token = secrets.token_hex(16)
        job = {"token": token, "setup": params.setup, "code": code_of(response), "tests": params.tests}
        limits = Limits(seconds=params.seconds, memory_mb=params.memory_mb)
        try:
            ended = run_isolated(_RUNNER, json.dumps(job), limits)
        except NoIsolation as error:
            raise VerifierFailed(str(error)) from error
        if ended.timed_out:
            return Verdict(False, f"ran over {params.seconds:g} s")
        _, found, said = ended.output.rpartition(f"{token} ")
        if not found:
            return Verdict(False, f"ended before its tests did (exit {ended.code})")
        return Verdict(said == "passed", f"all {len(params.tests)} tests pass" if said == "passed" else said[:300])


def code_of(response: str) -> str:
    blocks = _FENCE.findall(response)
    return str(blocks[-1]) if blocks else response
