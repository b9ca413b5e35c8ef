from django.apps import AppConfig


class TrainingConfig(AppConfig):
    name = "training"

    def ready(self) -> None:
        from training import checks  # noqa: F401  (registers them; needs the settings)
