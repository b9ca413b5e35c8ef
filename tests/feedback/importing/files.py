"""Campaigns to import into, and rows for them."""

import io
import json

from feedback.importing.layouts.base import PAIRWISE_FORM
from feedback.services.campaigns import create_campaign

TIE = {"verdict": "tie"}


def open_campaign(name="imported", **fields):
    return create_campaign(actor=None, name=name, questions=PAIRWISE_FORM, **fields)


def lines(*rows):
    return io.BytesIO("\n".join(json.dumps(row) for row in rows).encode())


def row(n=1, **fields):
    return {"external_id": f"t{n}", "prompt": f"Why {n}?", "responses": ["Because.", "Dunno."], **fields}


def judged(n=1, rater="ann", value=TIE):
    return row(n, judgements=[{"rater": rater, "answers": {"better": value}}])


def adds_up(report):
    return report.n_rows == report.n_tasks_added + report.n_tasks_known + report.n_refused
