"""What a person has typed and not yet submitted.  A submit ends its draft, and none is saved after it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.exceptions import TextInvalid
from annotation.models import Assignment, Draft
from feedback.models import Rater
from feedback.questions.base import UNSTORABLE

# FOR SHARE waits for a submit under way, and then finds the status it left.
SAVE = """
WITH own AS (
    SELECT id FROM annotation_assignment WHERE id = %(assignment)s AND rater_id = %(rater)s AND status <> 'submitted'
    FOR SHARE
)
INSERT INTO annotation_draft (assignment_id, fields, saved_at) SELECT id, %(fields)s::jsonb, %(now)s FROM own
ON CONFLICT (assignment_id) DO UPDATE SET fields = EXCLUDED.fields, saved_at = EXCLUDED.saved_at
"""


def save_draft(*, assignment_id: uuid.UUID, rater: Rater, fields: Mapping[str, Sequence[str]]) -> bool:
    """Keep the browser's fields, over what was kept before (one statement).

    False: the answer is in already, so that a late autosave cannot come back over it; or the assignment is not this
    person's.  Raises TextInvalid for text that PostgreSQL cannot store.
    """
    given = {name: list(values) for name, values in fields.items()}
    if any(UNSTORABLE.search(text) for name, values in given.items() for text in (name, *values)):
        raise TextInvalid(_("The text holds a NUL or half a character: remove it, and it will be saved."))
    params: dict[str, Any] = {
        "assignment": assignment_id,
        "rater": rater.pk,
        "fields": json.dumps(given),
        "now": timezone.now(),
    }
    with connection.cursor() as cursor:
        cursor.execute(SAVE, params)
        return bool(cursor.rowcount)


def load_draft(assignment: Assignment) -> dict[str, list[str]]:
    """The fields last kept, or none (one statement)."""
    draft = Draft.objects.filter(assignment=assignment).first()
    return draft.fields if draft else {}
