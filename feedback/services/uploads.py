"""A file between its dry run and its import: kept in the storage for a day, named by a signed token."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any, BinaryIO, cast

from django.core import signing
from django.core.files import File
from django.core.files.storage import default_storage
from django.utils import timezone
from django.utils.translation import gettext as _

from feedback.exceptions import WrongState
from feedback.importing.readers import format_of
from feedback.models import Campaign

FOLDER = "imports"
KEPT = timedelta(days=1)
_SALT = "feedback.uploads"


@dataclass(frozen=True)
class Upload:
    """A stored file and how to read it.  name: as the person's computer called it."""

    path: str
    name: str
    campaign: str
    layout: str
    format: str
    source: str
    judgements: bool

    @property
    def token(self) -> str:
        return signing.dumps(asdict(self), salt=_SALT)

    def options(self) -> dict[str, Any]:
        """What `import_tasks` takes."""
        return {
            "layout": self.layout,
            "format": self.format or format_of(self.name),
            "source_name": self.source,
            "with_judgements": self.judgements,
        }


def keep_upload(campaign: Campaign, file: File[Any], **how: Any) -> Upload:
    """Store a file for its import; what others left lying longer than a day is thrown away."""
    _tidy()
    path = default_storage.save(f"{FOLDER}/{campaign.pk}/{uuid.uuid4()}", file)
    return Upload(path=path, name=str(file.name), campaign=str(campaign.pk), **how)


def read_token(campaign: Campaign, token: str) -> Upload:
    """Raises WrongState for a token that is forged, old, of another campaign, or whose file is gone."""
    try:
        upload = Upload(**signing.loads(token, salt=_SALT, max_age=KEPT))
    except signing.BadSignature:
        upload = None
    if upload is None or upload.campaign != str(campaign.pk) or not default_storage.exists(upload.path):
        raise WrongState(_("The uploaded file is not here any more: choose it again."))
    return upload


@contextmanager
def opened(upload: Upload) -> Iterator[BinaryIO]:
    with default_storage.open(upload.path, "rb") as file:
        yield cast(BinaryIO, file)


def forget(upload: Upload) -> None:
    default_storage.delete(upload.path)


def _tidy() -> None:
    if not default_storage.exists(FOLDER):
        return
    for folder in default_storage.listdir(FOLDER)[0]:
        for name in default_storage.listdir(f"{FOLDER}/{folder}")[1]:
            path = f"{FOLDER}/{folder}/{name}"
            if default_storage.get_modified_time(path) < timezone.now() - KEPT:
                default_storage.delete(path)
