from django.urls import include, path, register_converter
from rest_framework.routers import SimpleRouter

from training.api import rounds, runs


class MoveNoun:
    regex = "|".join(runs.MOVES)

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(MoveNoun, "run_move")

router = SimpleRouter(use_regex_path=False)
router.register("runs", runs.RunViewSet, basename="run")
router.register("rounds", rounds.RoundViewSet, basename="round")

app_name = "training-api"
urlpatterns = [
    path("runs/<uuid:id>/<run_move:noun>/", runs.run_move, name="run-move"),
    path("checkpoints/<int:id>/promotion/", runs.checkpoint_promotion, name="checkpoint-promotion"),
    path("", include(router.urls)),
]
