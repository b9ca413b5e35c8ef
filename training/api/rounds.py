"""Rounds by program: rank fresh responses and open the next campaign."""

from __future__ import annotations

from typing import Any, cast

from django.db.models import QuerySet
from rest_framework import mixins, serializers, viewsets
from rest_framework.serializers import BaseSerializer

from feedback.api.campaigns import NewestFirst
from feedback.models import User
from training.access import access_checkpoint, visible_rounds
from training.api.serializers import RoundSerializer
from training.exceptions import SettingsInvalid
from training.models import Round
from training.services.rounds import open_round, store_rows


class RoundViewSet(
    mixins.CreateModelMixin, mixins.ListModelMixin, mixins.RetrieveModelMixin, viewsets.GenericViewSet[Round]
):
    """Rounds of models whose dataset the caller manages."""

    queryset = Round.objects.none()
    serializer_class = RoundSerializer
    pagination_class = NewestFirst
    lookup_value_converter = "uuid"

    def get_queryset(self) -> QuerySet[Round]:
        return visible_rounds(cast(User, self.request.user))

    def perform_create(self, serializer: BaseSerializer[Round]) -> None:
        user = cast(User, self.request.user)
        given: dict[str, Any] = dict(serializer.validated_data)
        checkpoint = access_checkpoint(user, given["checkpoint"].pk)
        rows = given.get("responses")
        source = store_rows(rows, "responses.jsonl") if rows else {"kind": "sample", **given["sample"]}
        try:
            serializer.instance = open_round(
                checkpoint=checkpoint,
                source=source,
                n_pairs=given["n_pairs"],
                name=given["name"],
                actor=user,
            )
        except SettingsInvalid as error:
            raise serializers.ValidationError({error.field or "sample": error.message}) from error
