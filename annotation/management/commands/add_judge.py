"""Make an endpoint and the next version of a judge: `manage.py add_judge NAME MODEL --base-url URL`."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.judges.protocols.registry import PROTOCOLS
from annotation.judges.registering import JudgeInvalid, make_judge, save_endpoint


class Command(BaseCommand):
    help = "Make an endpoint and the next version of a judge; its votes enter no dataset until it is admitted."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("model", help="as the endpoint knows it")
        parser.add_argument("--base-url", required=True, help="up to and with /v1")
        parser.add_argument("--endpoint", default="", help="the endpoint's name; default: its address")
        parser.add_argument("--key-variable", default="", help="environment variable that holds its key")
        parser.add_argument("--prompt-price", type=Decimal, default=Decimal(0), help="of a million prompt tokens")
        parser.add_argument(
            "--completion-price", type=Decimal, default=Decimal(0), help="of a million completion tokens"
        )
        parser.add_argument("--timeout", type=float, default=90.0, help="seconds")
        parser.add_argument("--in-flight", type=int, default=8, help="requests at once, of all processes together")
        parser.add_argument("--requests-per-minute", type=int)
        parser.add_argument("--tokens-per-minute", type=int)
        parser.add_argument("--protocol", choices=list(PROTOCOLS), default="direct")
        parser.add_argument("--instruction", default="", help="said beside the question and the guidelines")
        parser.add_argument(
            "--sampling", type=json.loads, default={}, help='JSON: {"temperature": 0, "max_tokens": 200}'
        )
        parser.add_argument("--samples", type=int, default=1, help="votes in each order")
        parser.add_argument("--judges-own", action="store_true", help="may judge what its own model wrote")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            endpoint = save_endpoint(
                name=options["endpoint"] or options["base_url"],
                base_url=options["base_url"],
                key_variable=options["key_variable"],
                timeout_s=options["timeout"],
                max_in_flight=options["in_flight"],
                requests_per_minute=options["requests_per_minute"],
                tokens_per_minute=options["tokens_per_minute"],
                prompt_price=options["prompt_price"],
                completion_price=options["completion_price"],
            )
            judge = make_judge(
                name=options["name"],
                endpoint=endpoint,
                model=options["model"],
                protocol=options["protocol"],
                instruction=options["instruction"],
                sampling=options["sampling"],
                n_samples=options["samples"],
                judges_own=options["judges_own"],
            )
        except JudgeInvalid as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"{judge} (id {judge.pk}): {judge.model} at {endpoint}, protocol {judge.protocol}")
