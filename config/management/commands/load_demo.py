"""manage.py load_demo"""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.demo import load_demo
from feedback.exceptions import FeedbackError


class Command(BaseCommand):
    help = "Load the demo: accounts with a public password, two campaigns, a dataset, a run. Again adds nothing."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            load_demo(self.stdout.write)
        except FeedbackError as error:
            message = f"The demo is loaded in part: {error} Run load_demo again once this is mended."
            raise CommandError(message) from error
