"""The number of bullet points: IFEval's `detectable_format:number_bullet_lists`, where `min` equals `max`."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field, field_validator

from feedback.verifiers.base import Bounds, Verdict, Verifier, counted
from feedback.verifiers.words import contains_a_word


class BulletParams(Bounds):
    """Bounds, and which characters begin a bullet point."""

    markers: str = Field(
        default="*-",
        min_length=1,
        max_length=10,
        description="The characters that begin a bullet point. IFEval's are * and -; models also write + and •.",
    )

    @field_validator("markers")
    @classmethod
    def _are_signs(cls, markers: str) -> str:
        if any(marker.isalnum() or marker.isspace() for marker in markers):
            raise ValueError("a marker is a sign, not a letter, a digit or a space")
        return markers


class BulletCount(Verifier[BulletParams]):
    """Counts lines that begin with a marker, at any indentation.

    As IFEval: no space is asked for after the marker, and a line that begins with ** is bold text, not a bullet.
    Unlike IFEval, a marker with no word after it (a rule such as ---, an empty entry) is not counted.
    """

    name: ClassVar[str] = "bullet_count"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Number of bullet points"
    Params = BulletParams

    def judge(self, prompt: str, response: str, params: BulletParams) -> Verdict:
        lines = (line.strip() for line in response.splitlines())
        return counted(sum(_is_bullet(line, params.markers) for line in lines), "bullet point", params)


def _is_bullet(line: str, markers: str) -> bool:
    return line[:1] in tuple(markers) and not line.startswith("**") and contains_a_word(line)
