"""manage.py export_dataset VERSION FORMAT OUT [--as jsonl|csv|tsv|parquet]"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from feedback.datasets.card import card_of_export
from feedback.datasets.exporting import WRITERS
from feedback.datasets.folder import read_rows
from feedback.datasets.formats.registry import FORMATS, SPLITS
from feedback.models import DatasetVersion
from feedback.services.dataset_files import CARD, open_file


class Command(BaseCommand):
    help = "Write a frozen dataset version to a folder: one file a split, and the card."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("version", help="id of a frozen version")
        parser.add_argument("format", choices=list(FORMATS))
        parser.add_argument("out", type=Path, metavar="FOLDER")
        parser.add_argument("--as", dest="suffix", default="jsonl", choices=[*WRITERS, "parquet"])

    def handle(self, *args: Any, **options: Any) -> None:
        version = _frozen(options["version"])
        out: Path = options["out"]
        out.mkdir(parents=True, exist_ok=True)
        format, suffix = options["format"], options["suffix"]
        (out / format).mkdir(exist_ok=True)
        written = {}
        for split in SPLITS:
            path = out / format / f"{split}.{suffix}"
            written[split] = _write(version, format, split, path)
            self.stdout.write(f"{path}: {written[split]} rows")
        with open_file(version, CARD) as source:
            card = source.read().decode()
        full = [split for split in SPLITS if written[split]]
        (out / CARD).write_text(card_of_export(card, format, full, suffix), encoding="utf-8")


def _frozen(id: str) -> DatasetVersion:
    try:
        version = DatasetVersion.objects.filter(pk=id).first()
    except ValidationError:
        version = None
    if version is None:
        message = f"There is no dataset version {id}."
        raise CommandError(message)
    if version.status != DatasetVersion.Status.FROZEN:
        message = f"{version} is not frozen: it is {version.status}. {version.error}"
        raise CommandError(message)
    return version


def _write(version: DatasetVersion, format: str, split: str, path: Path) -> int:
    """Beside its place, then renamed: a file that is there is whole.  Returns the number of rows."""
    part = path.with_name(f"{path.name}.part")
    with open_file(version, f"{format}/{split}.parquet") as source:
        if path.suffix == ".parquet":
            with part.open("wb") as sink:
                shutil.copyfileobj(source, sink)
        else:
            columns = FORMATS[format].schema.names
            with part.open("w", encoding="utf-8", newline="") as text:
                text.writelines(WRITERS[path.suffix[1:]](columns, read_rows(source)))
    part.replace(path)
    n: int = version.counts["rows"][format][split]
    return n
