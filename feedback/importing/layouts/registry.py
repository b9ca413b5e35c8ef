"""The layouts there are, most particular first.  Adding one: its file here (CONTRIBUTING.md)."""

from collections.abc import Collection

from feedback.exceptions import FeedbackError
from feedback.importing.layouts.base import Layout
from feedback.importing.layouts.bigbench_mistake import BigBenchMistake
from feedback.importing.layouts.biggen import BiGGen
from feedback.importing.layouts.fine_grained import FineGrained, FineGrainedPairs
from feedback.importing.layouts.followbench import FollowBench
from feedback.importing.layouts.helpsteer import HelpSteer, HelpSteerPreference
from feedback.importing.layouts.ifeval import IFEval
from feedback.importing.layouts.llmbar import LLMBar
from feedback.importing.layouts.mr_ben import MrBen
from feedback.importing.layouts.oasst import OASST
from feedback.importing.layouts.pandalm import PandaLM
from feedback.importing.layouts.prmbench import PRMBench
from feedback.importing.layouts.summeval_op import SummEvalOP
from feedback.importing.layouts.touchstone import Touchstone
from feedback.importing.layouts.trl_preference import TRLPreference
from feedback.importing.layouts.wmt_mqm import WMTMQM
from feedback.importing.layouts.xsum import XSumFactuality, XSumHallucination

LAYOUTS: dict[str, Layout] = {
    layout.name: layout
    for layout in (
        PandaLM(),
        LLMBar(),
        OASST(),
        SummEvalOP(),
        XSumFactuality(),
        XSumHallucination(),
        WMTMQM(),
        FineGrained(),
        FineGrainedPairs(),
        FollowBench(),
        IFEval(),
        BiGGen(),
        BigBenchMistake(),
        PRMBench(),
        MrBen(),
        HelpSteer(),
        HelpSteerPreference(),
        TRLPreference(),
        Touchstone(),
    )
}


class LayoutUnknown(FeedbackError):
    """No layout of ours, by name or by its columns."""


def get_layout(name: str) -> Layout:
    try:
        return LAYOUTS[name]
    except KeyError:
        message = f"Unknown layout {name!r}; known: {', '.join(LAYOUTS)}."
        raise LayoutUnknown(message) from None


def detect_layout(columns: Collection[str]) -> Layout:
    """The layout whose columns these are.  Raises LayoutUnknown, naming what each would need."""
    for layout in LAYOUTS.values():
        if layout.recognises(columns):
            return layout
    needs = "; ".join(f"{layout.name} needs {layout.needs}" for layout in LAYOUTS.values())
    found = ", ".join(sorted(columns)[:20]) or "none"
    message = f"The columns ({found}) are of no known layout: {needs}."
    raise LayoutUnknown(message)
