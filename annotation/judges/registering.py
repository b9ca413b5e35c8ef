"""Making endpoints and judge versions: what is wrong is said before anything is stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max

from annotation.judges.protocols.registry import PROTOCOLS
from annotation.models import Endpoint, Judge
from feedback.exceptions import FieldsInvalid
from feedback.models import Rater, User
from feedback.services.events import record_event

JSON = Any
SAMPLING: Mapping[str, tuple[type, ...]] = {
    "temperature": (int, float),
    "top_p": (int, float),
    "max_tokens": (int,),
    "seed": (int,),
    "presence_penalty": (int, float),
    "frequency_penalty": (int, float),
}


class JudgeInvalid(FieldsInvalid):
    """A judge that cannot be made."""


def save_endpoint(**fields: Any) -> Endpoint:
    """A new one, or the one of this name changed.  Raises JudgeInvalid."""
    endpoint = Endpoint.objects.filter(name=fields["name"]).first() or Endpoint()
    for name, value in fields.items():
        setattr(endpoint, name, value)
    try:
        endpoint.full_clean(validate_unique=False)
    except ValidationError as error:
        raise JudgeInvalid({name: " ".join(found) for name, found in error.message_dict.items()}) from None
    endpoint.save()
    return endpoint


@transaction.atomic
def make_judge(
    *,
    name: str,
    endpoint: Endpoint,
    model: str,
    protocol: str = "direct",
    instruction: str = "",
    sampling: Mapping[str, JSON] | None = None,
    n_samples: int = 1,
    judges_own: bool = False,
    actor: User | None = None,
) -> Judge:
    """The next version of this name, as a rater that is not admitted until it passes the gate.  Raises JudgeInvalid."""
    sampling = dict(sampling or {})
    if errors := _errors(name, model, protocol, sampling, n_samples):
        raise JudgeInvalid(errors)
    Endpoint.objects.select_for_update(no_key=True).get(pk=endpoint.pk)  # versions are numbered in turn
    number = (Judge.objects.filter(name=name).aggregate(n=Max("number"))["n"] or 0) + 1
    rater = Rater.objects.create(kind=Rater.Kind.JUDGE, name=name, version=str(number), admitted=False)
    judge: Judge = Judge.objects.create(
        rater=rater,
        name=name,
        number=number,
        endpoint=endpoint,
        model=model,
        protocol=protocol,
        instruction=instruction,
        sampling=sampling,
        n_samples=n_samples,
        judges_own=judges_own,
        created_by=actor,
    )
    record_event(actor, "judge.made", judge, name=name, number=number, model=model, protocol=protocol)
    return judge


def _errors(name: str, model: str, protocol: str, sampling: Mapping[str, JSON], n_samples: int) -> dict[str, str]:
    errors: dict[str, str] = {}
    if not name.strip() or len(name) > 100:
        errors["name"] = "A judge needs a name of at most 100 characters."
    if not model.strip() or len(model) > 200:
        errors["model"] = "Name the model as its endpoint knows it, in at most 200 characters."
    if protocol not in PROTOCOLS:
        errors["protocol"] = f"There is no protocol {protocol!r}; known: {', '.join(PROTOCOLS)}."
    if not 1 <= n_samples <= 64:
        errors["n_samples"] = "Between 1 and 64 votes in each order."
    for key, value in sampling.items():
        if key not in SAMPLING or isinstance(value, bool) or not isinstance(value, SAMPLING[key]):
            errors["sampling"] = f"{key} = {value!r} cannot be sent; known: {', '.join(SAMPLING)}, all of them numbers."
    if n_samples > 1 and not sampling.get("temperature"):
        errors["sampling"] = "Several votes are the same vote at temperature 0: set a temperature above it."
    return errors
